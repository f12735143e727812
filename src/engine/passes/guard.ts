import { leaveTransfer, type SeenPath } from '../change-guard.ts';
import type { Pass, PassGround } from '../pass.ts';

/**
 * `--dry-run`, `--interactive` and `--review` of transfers; absent without them. With `--dry-run` a copy counts as done
 * and a move does not, as in rclone.
 */
export function guardPass({ run, verb, source, dest, options }: PassGround): Pass | undefined {
  const { guard } = run;
  if (guard === undefined) return undefined;
  return {
    async admit(transfer) {
      const isRenamed = options.transform !== undefined && guard.flag === '--dry-run';
      const { source: file, replaces, path } = transfer;
      const seen: SeenPath[] = [{ remote: source, path: file.path, listed: file }];
      if (replaces !== undefined || !options.noCheckDest)
        seen.push({ remote: dest, path: replaces?.path ?? path, listed: replaces });
      const may = await run.mayChange({ ...transfer, isRenamed }, seen);
      return may || leaveTransfer(run, verb, transfer.do, transfer.source);
    },
  };
}

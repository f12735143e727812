import { leaveTransfer } from '../change-guard.ts';
import type { PassGround } from '../file-work.ts';
import type { Pass } from '../pass.ts';

/**
 * `--dry-run`, `--interactive` and `--review` of transfers; absent without them. With `--dry-run` a copy counts as done
 * and a move does not, as in rclone.
 */
export function guardPass({ run, verb, options }: PassGround): Pass | undefined {
  const { guard } = run;
  if (guard === undefined) return undefined;
  return {
    async admit({ do: action, source, replaces, path, reason }) {
      const { path: about, size } = source;
      const isRenamed = options.transform !== undefined && guard.flag === '--dry-run';
      const shown = isRenamed && action === 'copy' && path !== about ? `copy to ${path}` : action;
      const change = { action: shown, about, size, source, to: path };
      const may = await run.mayChange({
        ...change,
        ...(replaces === undefined ? {} : { dest: replaces }),
        ...(reason === undefined ? {} : { reason }),
      });
      return may || leaveTransfer(run, verb, action, source);
    },
  };
}

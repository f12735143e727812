import type { ChangeGuard } from '../../sync/change-guard.ts';
import type { Invocation } from '../command.ts';
import { logText } from '../log/log-text.ts';

/**
 * `--dry-run` on a terminal: logs what would be done as everywhere, and then how to review it as a tree. Logs no hint if
 * flags say that the lines themselves are wanted, nor in plain mode.
 */
export async function dryRunWithHint(
  invocation: Invocation,
  run: (invocation: Invocation) => Promise<void>,
): Promise<void> {
  const { guard, context } = invocation;
  if (guard === undefined || !mayHint(invocation)) return run(invocation);
  let changes = 0;
  const counting: ChangeGuard = {
    ...guard,
    allows(change) {
      changes++;
      return guard.allows(change);
    },
  };
  await run({ ...invocation, guard: counting });
  if (changes === 0) return;
  const what = changes === 1 ? 'this change' : `these ${changes} changes`;
  context.emit(logText('notice', `To review ${what}, run with --review`));
}

function mayHint({ flags, env }: Invocation): boolean {
  const { verbose, quiet, progress } = flags;
  if (verbose > 0 || quiet || progress || flags['use-json-log'] || flags['log-file']) return false;
  return !env['SYNCER_PLAIN'] && env['TERM'] !== 'dumb' && !env['CI'];
}

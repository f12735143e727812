import { hostname } from 'node:os';
import { type Context, linkedAbort } from '../../core/context.ts';
import { toSyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import type { ChangedPlaces, Changing, CommandCall } from '../../shell/command-line/command.ts';
import { logText } from '../../shell/log/log-text.ts';

export type TakenPlaces = Awaited<ReturnType<typeof takePlaces>>;

/** Time limit for giving a lock free after Ctrl-C, in milliseconds. */
const RELEASE_MS = 5_000;

/**
 * Called before a command changes anything, and after everything that could keep it from starting; a dry run and a plan
 * change nothing. Rejects with `locked` if a lock is wanted and another run has one of these places.
 *
 * @param places the destination first: there is the lock of `--lock-remote`
 * @param context what the run has so far
 */
export async function takePlaces(
  invocation: CommandCall & Changing,
  places: ChangedPlaces,
  context: Context = invocation.context,
) {
  const { flags, consent, changes } = invocation;
  const free = { context, hold: (remote: Remote) => remote, release: async () => {} };
  const isReadOnly = consent.how === 'collect' && consent.plan.isReadOnly;
  if (flags['dry-run'] || isReadOnly) return free;
  await changes(places);
  const [dest] = places.remotes;
  if (!flags['lock-remote'] || dest === undefined) return free;
  const { heldRemote, takeLease } = await import('./remote-lease.ts');
  const { shellLine } = await import('../../system/shell-words.ts');
  const { runId: id, shownWords } = invocation;
  const holder = { id, host: hostname(), command: shellLine(shownWords) };
  const lease = await takeLease(dest, holder, context, {
    waitMs: flags['lock-wait'] ?? 0,
    onWait({ id: other, host, command }) {
      const text = `Waiting for run ${other} on ${host}, or for its lock to stay unchanged for 75 s: ${command}`;
      context.emit(logText('notice', text));
    },
  });
  // A request that waits for its turn, or to be tried again, may be sent after the process stood still.
  const unlimit = context.requestGate?.use(async (signal) => {
    lease.look();
    signal.throwIfAborted();
  });
  return {
    /** The context of the run: aborted, too, if the remote lock is lost. */
    context: { ...context, signal: linkedAbort(context.signal, lease.lost).signal },
    /** The remote, which changes nothing once the remote lock is lost. */
    hold: (remote: Remote) => heldRemote(remote, lease),
    /** Called when nothing is changed any more. Never rejects: a remote lock that was lost before is a counted error. */
    async release() {
      unlimit?.();
      await lease.release({ signal: AbortSignal.timeout(RELEASE_MS) });
      // The last change may have been made before: then nothing of this run was refused.
      const { aborted, reason } = lease.lost;
      if (aborted) context.emit({ type: 'error', error: toSyncerError(reason) });
    },
  };
}

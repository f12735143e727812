import { hostname } from 'node:os';
import { innermost } from '../../core/around.ts';
import { type Context, linkedAbort } from '../../core/context.ts';
import { toSyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import type { ChangedPlaces, Changing, CommandCall } from '../../shell/command-line/command.ts';
import { logText } from '../../shell/log/log-text.ts';
import { withLayersLogged } from '../remotes/layers.ts';

/** What a command works with while the places that it changes are its own. */
export interface LockedRun {
  /** That of the run: aborted, too, if the remote lock is lost. */
  readonly context: Context;
  /** The remote, which changes nothing once the remote lock is lost. */
  whileLocked(remote: Remote): Remote;
}

/** What limits the wait for other runs: see `TimeLimit`. */
interface WaitLimit {
  readonly context: Context;
  until<T>(work: Promise<T>): Promise<T>;
}

/** Time limit for giving a lock free after Ctrl-C, in milliseconds. */
const RELEASE_MS = 5_000;

/**
 * Does what changes these places, after everything that could keep the command from starting; a dry run and a plan
 * change nothing, and no lock is taken for them. Rejects with `locked` if a lock is wanted and another run has one of
 * the places, and as `work` does. Locks are released when `work` has ended; a remote lock that was lost before is a
 * counted error.
 *
 * @param places the destination first: there is the lock of `--lock-remote`
 * @param limit absent: the wait for other runs ends only with the run
 */
export async function withPlaces<T>(
  invocation: CommandCall & Changing,
  places: ChangedPlaces,
  work: (locked: LockedRun) => Promise<T>,
  limit?: WaitLimit,
): Promise<T> {
  const { flags, consent } = invocation;
  const { context, until } = limit ?? { context: invocation.context, until: (wait) => wait };
  const isReadOnly = consent.how === 'collect' && consent.plan.isReadOnly;
  // The queue has one run for each destination, and several workers of it on this machine.
  if (flags['dry-run'] || isReadOnly || flags.queue !== undefined) return work(unlocked(context));
  const waiting = linkedAbort(context.signal);
  const taking = lockPlaces(invocation, places, context, waiting.signal);
  let taken: TakenPlaces;
  try {
    taken = await until(taking);
  } catch (thrown) {
    // The lock may be taken just now.
    waiting.abort(thrown);
    await taking.then(({ release }) => release()).catch(() => {});
    throw thrown;
  }
  try {
    return await work(taken.locked);
  } finally {
    await taken.release();
  }
}

/** A run that holds no lock of a remote. */
function unlocked(context: Context): LockedRun {
  return { context, whileLocked: (remote) => remote };
}

interface TakenPlaces {
  readonly locked: LockedRun;
  /** Called when nothing is changed any more. Never rejects. */
  release(): Promise<void>;
}

/** @param signal ends the wait for other runs */
async function lockPlaces(
  invocation: CommandCall & Changing,
  places: ChangedPlaces,
  context: Context,
  signal: AbortSignal,
): Promise<TakenPlaces> {
  const { flags, runId: id, shownWords } = invocation;
  await invocation.changes(places);
  const [dest] = places.remotes;
  if (!flags['lock-remote'] || dest === undefined)
    return { locked: unlocked(context), release: async () => {} };
  const { heldRemote, takeLease } = await import('./remote-lease.ts');
  const { shellLine } = await import('../../system/shell-words.ts');
  const holder = { id, host: hostname(), command: shellLine(shownWords) };
  const lease = await takeLease(
    // No change of the run: neither in its journal nor its trash.
    innermost(dest),
    holder,
    { ...context, signal },
    {
      waitMs: flags['lock-wait'] ?? 0,
      onWait({ id: other, host, command }) {
        const text = `Waiting for run ${other} on ${host}, or for its lock to stay unchanged for 75 s: ${command}`;
        context.emit(logText('notice', text));
      },
    },
  );
  // A request that waits for its turn, or to be tried again, may be sent after the process stood still.
  const unlimit = context.requestGate?.use(async (ofRequest) => {
    lease.look();
    ofRequest.throwIfAborted();
  });
  return {
    locked: {
      context: { ...context, signal: linkedAbort(context.signal, lease.lost).signal },
      whileLocked: (remote) => withLayersLogged(heldRemote(remote, lease), context),
    },
    async release() {
      unlimit?.();
      await lease.release({ signal: AbortSignal.timeout(RELEASE_MS) });
      // The last change may have been made before: then nothing of this run was refused.
      const { aborted, reason } = lease.lost;
      if (aborted) context.emit({ type: 'error', error: toSyncerError(reason) });
    },
  };
}

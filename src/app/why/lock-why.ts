import { hasCode, toSyncerError } from '../../core/errors.ts';
import type { Op, Remote } from '../../core/remote.ts';
import { placeOf } from '../../engine/place/overlap.ts';
import { formatDuration } from '../../go/format-duration.ts';
import { readLease, refuseLease } from '../../running/lease-file.ts';
import type { Invocation } from '../command.ts';
import { holderText, runsAt } from '../running/lock-places.ts';

/** What a lock makes of a run that would start now. */
export interface LockWhy {
  readonly text: string;
  /** The run would end before it changes anything. */
  readonly stops: boolean;
}

/**
 * Other runs that change the same places, and what `--lock`, `--lock-wait` and `--lock-remote` make of them. Only reads.
 *
 * @param remotes what the run would change, the destination first
 */
export async function lockWhy(
  { flags, env, context }: Invocation,
  remotes: readonly Remote[],
): Promise<readonly LockWhy[]> {
  const op: Op = { signal: context.signal };
  const places = await Promise.all(remotes.map((remote) => placeOf(remote, op)));
  const [other] = await runsAt(env, places);
  const { lock, 'lock-wait': waitMs, 'lock-remote': isRemote } = flags;
  const found: LockWhy[] = [];
  if (other !== undefined) {
    const text = await holderText(other, context.clock);
    if (waitMs !== undefined) {
      const longest = formatDuration(waitMs);
      found.push({ text: `waits for ${text}; at most ${longest}`, stops: false });
    } else if (lock) found.push({ text: `locked by ${text}`, stops: true });
    else found.push({ text: `${text}; without --lock the run is not kept from it`, stops: false });
  } else if (lock || waitMs !== undefined) {
    found.push({ text: 'no other run on this machine changes the same place', stops: false });
  }
  const [dest] = remotes;
  if (isRemote && dest !== undefined) found.push(await leaseWhy(dest, op));
  return found;
}

async function leaseWhy(dest: Remote, op: Op): Promise<LockWhy> {
  try {
    refuseLease(dest);
    const found = await readLease(dest, op);
    if (found === 'moving') return { text: 'another run is taking the remote lock', stops: false };
    if (found === undefined || found.record.isReleased) {
      return { text: 'no run holds the remote lock', stops: false };
    }
    const { id, host, command } = found.record;
    const then = 'the run ends with 75 if it is renewed, and takes it after 75 s if it is not';
    return {
      text: `run ${id} on ${host} holds the remote lock: ${command}; ${then}`,
      stops: false,
    };
  } catch (thrown) {
    if (!hasCode(thrown, 'unsupported', 'locked')) throw thrown;
    return { text: toSyncerError(thrown).message, stops: true };
  }
}

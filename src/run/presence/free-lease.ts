import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { type LeaseRemote, readLease, refuseLease, writeLease } from './lease-file.ts';

/** Frees a remote from the lock of a run. Rejects with `file-not-found` if that run does not hold it. */
export async function freeLease(remote: LeaseRemote, id: string, op: Op): Promise<void> {
  refuseLease(remote);
  const found = await readLease(remote, op);
  if (found === undefined || found === 'moving' || found.record.isReleased) {
    throw new SyncerError('file-not-found', `${remote.title} is not locked`);
  }
  const { record, file } = found;
  if (record.id !== id) {
    const text = `run ${id} does not hold the lock of ${remote.title}: run ${record.id} on ${record.host} does`;
    throw new SyncerError('file-not-found', text);
  }
  const released = { ...record, beat: record.beat + 1, isReleased: true };
  await writeLease(remote, released, file, op);
}

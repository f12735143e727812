import { constants } from 'node:os';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { AttributeError, ExtendedAttributes } from './extended-attributes.ts';
import type { LocalDisk } from './local-disk.ts';

/** The way to a disk's extended attributes; `undefined`, told once, where there is none. */
export async function attributesOf(disk: LocalDisk): Promise<ExtendedAttributes | undefined> {
  try {
    return await disk.attributes();
  } catch (thrown) {
    refuseAttributes(disk, toSyncerError(thrown).message);
    return undefined;
  }
}

/** Does without extended attributes on this disk from now on, and says so the first time. */
export function refuseAttributes(disk: LocalDisk, why: string): void {
  if (!disk.refuseAttributes()) return;
  const event = { code: 'attributes-disabled', fields: { why } } as const;
  disk.context.emit({ type: 'log', level: 'error', path: disk.title, ...event });
}

/** An extended attribute that could not be read, as a `SyncerError`. */
export function attributeFailure(
  message: string,
  path: string,
  cause: AttributeError,
): SyncerError {
  const { EACCES, EPERM } = constants.errno;
  const denied = cause.errno === EACCES || cause.errno === EPERM;
  return new SyncerError(denied ? 'access-denied' : 'other', message, { path, cause });
}

import type { FileEntry, Op } from '../../../core/remote.ts';
import { keptAt } from '../listing/shown-versions.ts';
import type { S3Store } from '../store.ts';
import { lockHeaders } from '../upload/object-lock.ts';
import { copyObject } from './copy-object.ts';
import { classOf } from './copy-within.ts';

/** `Capabilities.restoreKept`: copies a version onto its object server-side, with its metadata and storage class. */
export async function restoreVersion(store: S3Store, file: FileEntry, op: Op): Promise<void> {
  const { id, ...to } = keptAt(store, file);
  const from = { ...to, version: id };
  const placement = {
    ...classOf(file),
    ...store.headers.placement,
    ...lockHeaders(store, file.metadata),
  };
  await copyObject(store, { from, to, file, placement }, file.path, op);
}

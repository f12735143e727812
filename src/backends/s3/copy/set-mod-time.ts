import type { ModTime } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { customerKeyHeaders, encryptionHeaders } from '../encryption.ts';
import { headersToKeep, isoTime, modTimeHeader } from '../objects/metadata.ts';
import { etagOf, fileFromHeaders } from '../objects/object-entry.ts';
import type { S3Store } from '../store.ts';
import { copyObject } from './copy-object.ts';

/** Sets the time by letting the store copy the object onto itself; all other metadata and the storage class stay. */
export async function setObjectModTime(
  store: S3Store,
  file: FileEntry,
  modTime: ModTime,
  op: Op,
): Promise<FileEntry> {
  const at = store.locate(file.path);
  const { encryption, acl } = store.settings;
  const request = {
    method: 'HEAD',
    ...at,
    headers: customerKeyHeaders(encryption),
    doing: 'look at',
  } as const;
  const { headers } = await store.client.call(request, op);
  const now = fileFromHeaders(file.path, headers, encryption.etagIsNotMd5);
  const replaceHeaders = { ...headersToKeep(headers), ...modTimeHeader(modTime) };
  const placement = {
    ...(acl === '' ? {} : { 'x-amz-acl': acl }),
    ...encryptionHeaders(encryption),
  };
  const etag = await copyObject(
    store,
    { from: at, to: at, file: { ...now, etag: etagOf(headers) ?? '' }, replaceHeaders, placement },
    op,
  );
  const { storedTime: _stored, ...kept } = now;
  const metadata = { ...now.metadata, mtime: isoTime(modTime) };
  return { ...kept, modTime, metadata, ...(etag === undefined ? {} : { etag }) };
}

import type { ModTime } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { formatRfc3339Nano } from '../../../core/rfc3339.ts';
import { customerKeyHeaders } from '../encryption.ts';
import { askHead } from '../objects/ask-head.ts';
import { headersToKeep, modTimeHeader } from '../objects/metadata.ts';
import { etagOf, fileFromHeaders } from '../objects/object-entry.ts';
import type { S3Store } from '../store.ts';
import { placementHeaders } from '../upload/object-headers.ts';
import { copyObject } from './copy-object.ts';

/**
 * Sets the time by letting the store copy the object onto itself; all other metadata stay, and so does the
 * storage class unless the settings want one.
 */
export async function setObjectModTime(
  store: S3Store,
  file: FileEntry,
  modTime: ModTime,
  op: Op,
): Promise<FileEntry> {
  const at = store.locateFile(file);
  const { encryption } = store.settings;
  const keys = customerKeyHeaders(encryption);
  const { headers } = await askHead(store.client, { ...at, headers: keys }, op);
  const now = fileFromHeaders(file.path, headers, encryption.etagIsNotMd5);
  const replaceHeaders = { ...headersToKeep(headers), ...modTimeHeader(modTime) };
  const placement = placementHeaders(store.settings);
  const copied = await copyObject(
    store,
    { from: at, to: at, file: { ...now, etag: etagOf(headers) ?? '' }, replaceHeaders, placement },
    file.path,
    op,
  );
  const { etag } = copied;
  const { storedTime: _stored, ...kept } = now;
  const metadata = { ...now.metadata, mtime: formatRfc3339Nano(modTime) };
  return { ...kept, modTime, metadata, ...(etag === undefined ? {} : { etag }) };
}

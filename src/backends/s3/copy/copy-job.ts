import type { FileEntry } from '../../../core/remote.ts';
import { encodeUriPath } from '../../../s3-protocol/uri-encoding.ts';
import { copySourceKeyHeaders } from '../encryption.ts';
import type { Location, S3Store } from '../store.ts';

/** What to copy within the store, and where to. */
export interface ObjectCopy {
  readonly from: Location;
  readonly to: Location;
  /** The source, as it must still be. */
  readonly file: FileEntry;
  /** Everything the copy is to be like; `undefined`: it keeps the source's metadata. */
  readonly replaceHeaders?: Readonly<Record<string, string>>;
  /** ACL, storage class and encryption of the copy. */
  readonly placement: Readonly<Record<string, string>>;
}

/** The headers that name the source, and want it to be as it was listed. */
export function copySourceHeaders(
  store: S3Store,
  { from, file }: ObjectCopy,
): Record<string, string> {
  return {
    'x-amz-copy-source': `/${encodeUriPath(`${from.bucket}/${from.key}`)}`,
    ...(file.etag === undefined ? {} : { 'x-amz-copy-source-if-match': `"${file.etag}"` }),
    ...copySourceKeyHeaders(store.settings.encryption),
  };
}

import { once } from '../../core/body.ts';
import { modTimeToMs } from '../../core/mod-time.ts';
import type { FileEntry } from '../../core/remote.ts';
import { systemMimeTypes } from '../../names/mime-types.ts';
import type { TreeOptions } from './served-tree.ts';

/**
 * The ETag of a file with its quotes: the hash of `--etag-hash`, the server's own, or time and size as in rclone.
 * `undefined` if none is known.
 */
export function etagOf(
  file: FileEntry,
  { etagHash, noModTime }: Pick<TreeOptions, 'etagHash' | 'noModTime'>,
): string | undefined {
  const hash = etagHash === undefined ? undefined : file.hashes?.[etagHash];
  if (hash !== undefined) return `"${hash}"`;
  const own = file.etag?.replace(/^W\//, '').replaceAll('"', '');
  if (own !== undefined && /^[!-~]+$/.test(own)) return `"${own}"`;
  if (noModTime || file.modTime === undefined || file.size < 0) return undefined;
  return `"${BigInt.asUintN(64, file.modTime).toString(16)}${file.size.toString(16)}"`;
}

/** Milliseconds since the epoch, in whole seconds as HTTP has them; `undefined` if unknown. */
export function lastModified(
  { modTime }: { readonly modTime?: bigint },
  { noModTime }: Pick<TreeOptions, 'noModTime'>,
): number | undefined {
  if (modTime === undefined || noModTime) return undefined;
  const ms = modTimeToMs(modTime);
  // What a date of HTTP can express.
  const isDate = ms >= -62_135_596_800_000 && ms < 253_402_300_800_000;
  return isDate ? Math.floor(ms / 1000) * 1000 : undefined;
}

const types = once(() => systemMimeTypes());

/** The MIME type of a file, by the remote or by its name. */
export function contentTypeOf({ path, mimeType }: FileEntry): string {
  if (mimeType !== undefined && /^[\w.+-]+\/[ -~]+$/.test(mimeType)) return mimeType;
  return types()(path);
}

import type { FileFacts } from '../store/object-record.ts';
import { S3Error } from '../wire/s3-error.ts';
import { parseQuery, uriDecode } from '../wire/uri-encoding.ts';
import { type Call, checkVersionId, header } from './call.ts';

/** The source in `x-amz-copy-source`. */
export type CopySource = Readonly<Awaited<ReturnType<typeof copySource>>>;

/**
 * Reads `x-amz-copy-source`: `bucket/key` or `/bucket/key`, with an optional `?versionId=…`. It is encoded as a form is:
 * Amazon takes a plus for a space, and s5cmd sends one.
 */
export async function copySource(call: Call) {
  const text = (header(call.headers, 'x-amz-copy-source') ?? '').replace(/^(\/|%2F)/i, '');
  const question = text.indexOf('?');
  const encoded = question < 0 ? text : text.slice(0, question);
  const path = uriDecode(encoded.replaceAll('+', ' '));
  const slash = path.indexOf('/');
  const key = path.slice(slash + 1);
  if (slash <= 0 || key === '') {
    throw new S3Error('InvalidArgument', { message: 'The copy source must name bucket and key.' });
  }
  const query = parseQuery(question < 0 ? '' : text.slice(question + 1));
  const versionId = query.find(([name]) => name === 'versionId')?.[1];
  checkVersionId(versionId);
  return { bucket: await call.store.get(path.slice(0, slash)), key, versionId };
}

/**
 * Whether a file is still the one that was opened. Not the one of its record, which is also valid for another inode: of
 * a restored directory.
 */
export function isUnchanged(source: CopySource, file: string, opened: FileFacts): boolean {
  const now = source.bucket.folder.fileAt(file);
  return now?.ino === opened.ino && now.size === opened.size && now.mtimeMs === opened.mtimeMs;
}

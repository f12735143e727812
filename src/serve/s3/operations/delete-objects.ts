import { receiveBytes } from '../body/receive.ts';
import type { Bucket } from '../store/bucket.ts';
import { withObject } from '../store/find-object.ts';
import { type Removed, removeObject, removeVersion } from '../store/remove-object.ts';
import type { Answer } from '../wire/answer.ts';
import { S3Error, toS3Error } from '../wire/s3-error.ts';
import { childrenNamed, childText, readXml, type XmlElement } from '../wire/xml-request.ts';
import { element, xmlDocument } from '../wire/xml-text.ts';
import { MAX_DOCUMENT } from './buckets.ts';
import { bucketOf, type Call } from './call.ts';
import { checkWriteConditions, hasWriteConditions } from './conditions.ts';

/** Deletes an object, or one version of it; one that is not there is fine. */
export async function deleteObject(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const conditional = hasWriteConditions(call.headers);
  const versionId = call.query.get('versionId');
  const removed = await remove(bucket, call.key, versionId, (current) => {
    if (conditional) checkWriteConditions(call.headers, current);
  });
  const headers: Record<string, string> = {};
  if (removed.versionId !== undefined) headers['x-amz-version-id'] = removed.versionId;
  if (removed.marker) headers['x-amz-delete-marker'] = 'true';
  return { status: 204, headers };
}

/** Most keys that one request may name. */
const MAX_KEYS = 1000;

/** Deletes up to 1,000 objects, each with an outcome of its own. */
export async function deleteObjects(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const { data, checksums } = await receiveBytes(call.payload(), MAX_DOCUMENT);
  if (call.headers['content-md5'] === undefined && Object.keys(checksums).length === 0) {
    throw new S3Error('InvalidRequest', {
      message: 'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
    });
  }
  const root = readXml(data.toString('utf8'));
  const objects = childrenNamed(root, 'Object');
  if (root.name !== 'Delete' || objects.length === 0 || objects.length > MAX_KEYS) {
    throw new S3Error('MalformedXML');
  }
  const quiet = childText(root, 'Quiet')?.trim() === 'true';
  let inner = '';
  for (const object of objects) inner += await deleteOne(bucket, object, quiet);
  return { body: xmlDocument('DeleteResult', inner) };
}

async function deleteOne(bucket: Bucket, object: XmlElement, quiet: boolean): Promise<string> {
  const key = childText(object, 'Key');
  if (key === undefined || key === '') throw new S3Error('MalformedXML');
  const versionId = childText(object, 'VersionId');
  const etag = childText(object, 'ETag');
  const about = element('Key', key) + (versionId ? element('VersionId', versionId) : '');
  try {
    const removed = await remove(bucket, key, versionId, (current) => {
      if (etag !== undefined) checkWriteConditions({ 'if-match': etag }, current);
    });
    if (quiet) return '';
    const isNewMarker = removed.marker && versionId === undefined;
    const marker = removed.marker
      ? element('DeleteMarker', true) +
        (isNewMarker ? element('DeleteMarkerVersionId', removed.versionId ?? '') : '')
      : '';
    return `<Deleted>${about}${marker}</Deleted>`;
  } catch (thrown) {
    const error = toS3Error(thrown);
    return `<Error>${about}${element('Code', error.code)}${element('Message', error.message)}</Error>`;
  }
}

/** Deletes in the same turn of the event loop in which `check` saw what is there. */
function remove(
  bucket: Bucket,
  key: string,
  versionId: string | undefined,
  check: (current: Parameters<typeof checkWriteConditions>[1]) => void,
): Promise<Removed> {
  return withObject(bucket, key, (current) => {
    check(current);
    return versionId === undefined
      ? removeObject(bucket, key)
      : removeVersion(bucket, key, versionId);
  });
}

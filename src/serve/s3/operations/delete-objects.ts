import type { IncomingHttpHeaders } from 'node:http';
import {
  childrenNamed,
  childText,
  type XmlElement,
} from '../../../backends/s3-protocol/read-xml.ts';
import { documentText, MAX_DOCUMENT, readRequestXml, receiveBytes } from '../body/payload.ts';
import type { Bucket } from '../store/bucket.ts';
import { type Removed, removeObject, removeVersion } from '../store/commit-object.ts';
import { withObject } from '../store/find-object.ts';
import { versionIdOf } from '../store/object-record.ts';
import type { Answer } from '../wire/answer.ts';
import { element, S3Error, toS3Error, xmlDocument } from '../wire/s3-error.ts';
import {
  bucketOf,
  type Call,
  checkDeleteConditions,
  checkVersionId,
  hasDeleteConditions,
} from './call.ts';
import { isRetained, lockedError } from './object-attributes.ts';
import { checkKey } from './put-object.ts';

/** Deletes an object, or one version of it; a missing one is no error. */
export async function deleteObject(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const versionId = call.query.get('versionId');
  const removed = await remove(bucket, call, call.key, versionId, call.headers);
  const headers: Record<string, string> = {};
  if (removed.versionId !== undefined) headers['x-amz-version-id'] = removed.versionId;
  if (removed.marker) headers['x-amz-delete-marker'] = 'true';
  return { status: 204, headers };
}

/** Most keys that one request may name. */
const MAX_KEYS = 1000;

/** Deletes up to 1,000 objects, each with its own result. */
export async function deleteObjects(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const { data, checksums } = await receiveBytes(call.payload(), MAX_DOCUMENT);
  if (call.headers['content-md5'] === undefined && Object.keys(checksums).length === 0) {
    const text = 'Missing required header for this request: Content-MD5 OR x-amz-checksum-*';
    throw new S3Error('InvalidRequest', text);
  }
  const root = await readRequestXml(documentText(data));
  const objects = childrenNamed(root, 'Object');
  if (root.name !== 'Delete' || objects.length === 0 || objects.length > MAX_KEYS) {
    throw new S3Error('MalformedXML');
  }
  const quiet = childText(root, 'Quiet')?.trim() === 'true';
  let inner = '';
  for (const object of objects) inner += await deleteOne(bucket, call, object, quiet);
  return { body: xmlDocument('DeleteResult', inner) };
}

async function deleteOne(bucket: Bucket, call: Call, object: XmlElement, quiet: boolean) {
  const key = childText(object, 'Key');
  if (key === undefined || key === '') throw new S3Error('MalformedXML');
  const versionId = childText(object, 'VersionId');
  const conditions = {
    'if-match': childText(object, 'ETag'),
    'x-amz-if-match-size': childText(object, 'Size'),
    'x-amz-if-match-last-modified-time': childText(object, 'LastModifiedTime'),
  };
  const about = element('Key', key) + (versionId ? element('VersionId', versionId) : '');
  try {
    checkVersionId(versionId);
    const removed = await remove(bucket, call, key, versionId, conditions);
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

/** Deletes in the same turn of the event loop as the check of conditions and locks. */
function remove(
  bucket: Bucket,
  call: Call,
  key: string,
  versionId: string | undefined,
  conditions: IncomingHttpHeaders,
): Promise<Removed> {
  checkKey(key);
  return withObject(bucket, key, (current) => {
    if (versionId === undefined) {
      const [latest] = bucket.history.get(key) ?? [];
      const marker = latest?.marker && { etag: '', size: 0, modified: latest.modified };
      const there = current ?? marker;
      // A condition about a missing object is met by doing nothing.
      if (there === undefined && hasDeleteConditions(conditions)) return {};
      checkDeleteConditions(conditions, there);
      return removeObject(bucket, key);
    }
    const record =
      current && versionIdOf(current) === versionId
        ? current
        : bucket.history.get(key)?.find((each) => each.versionId === versionId)?.record;
    checkDeleteConditions(conditions, record);
    const isLocked = record?.legalHold === 'ON' || isRetained(record?.retention, call);
    if (isLocked) throw lockedError();
    return removeVersion(bucket, key, versionId);
  });
}

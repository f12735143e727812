import { checksumElements, checksumNames } from '../body/checksums.ts';
import type { ObjectRecord } from '../store/object-record.ts';
import type { Answer } from '../wire/answer.ts';
import { element, xmlDocument } from '../wire/s3-error.ts';
import { partCount, partRange } from './byte-range.ts';
import { bucketOf, type Call, countHeader, header } from './call.ts';
import { checkReadConditions } from './conditions.ts';
import { findVersion } from './get-object.ts';
import { checksumType, versionHeaders } from './object-headers.ts';

/** The requested attributes of an object, as XML. */
export async function getObjectAttributes(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const record = await findVersion(bucket, call.key, call.query.get('versionId'));
  checkReadConditions(call.headers, record);
  const wanted = (header(call.headers, 'x-amz-object-attributes') ?? '')
    .split(',')
    .map((each) => each.trim());
  let inner = '';
  if (wanted.includes('ETag')) inner += element('ETag', record.etag);
  if (wanted.includes('Checksum') && record.checksums) {
    const type = element('ChecksumType', checksumType(record.checksums) ?? '');
    inner += `<Checksum>${checksumElements(record.checksums)}${type}</Checksum>`;
  }
  if (wanted.includes('ObjectParts') && record.parts) inner += partElements(record, call);
  if (wanted.includes('StorageClass')) {
    inner += element('StorageClass', record.headers['x-amz-storage-class'] ?? 'STANDARD');
  }
  if (wanted.includes('ObjectSize')) inner += element('ObjectSize', record.size);
  const modified = new Date(record.modified).toUTCString();
  return {
    headers: { 'last-modified': modified, ...versionHeaders(record) },
    body: xmlDocument('GetObjectAttributesResponse', inner),
  };
}

/** A page of the parts of an object. `PartsCount` is what the models of the SDKs call `TotalPartsCount`. */
function partElements({ parts = [], size, checksums, partChecksums }: ObjectRecord, call: Call) {
  const count = partCount(parts);
  const marker = countHeader(call, 'x-amz-part-number-marker', 0);
  const max = countHeader(call, 'x-amz-max-parts', 1000);
  const last = Math.min(count, marker + max);
  const [name] = checksumNames(checksums ?? {});
  let rows = '';
  for (let number = marker + 1; number <= last; number++) {
    const value = partChecksums?.[number - 1];
    rows +=
      `<Part>${element('PartNumber', number)}${element('Size', partRange(parts, number, size).length)}` +
      `${name && value ? checksumElements({ [name]: value }) : ''}</Part>`;
  }
  const inner =
    element('PartsCount', count) +
    element('PartNumberMarker', marker) +
    element('NextPartNumberMarker', last) +
    element('MaxParts', max) +
    element('IsTruncated', last < count) +
    rows;
  return `<ObjectParts>${inner}</ObjectParts>`;
}

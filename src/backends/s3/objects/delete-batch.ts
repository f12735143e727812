import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import {
  childrenNamed,
  childText,
  decodeEntities,
  scanRoot,
  type XmlElement,
} from '../../s3-protocol/read-xml.ts';
import { CRC32_HEADER, encodeCrc32 } from '../checksums.ts';
import { readRoot } from '../client/ask.ts';
import { type S3Request, wholeAnswer } from '../client/request.ts';
import type { S3Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { decodeKey } from '../xml/read-answer.ts';
import { escapeXml, xmlDocument } from '../xml/write-document.ts';

/** A current object, or one version of it. */
export interface DoomedObject {
  readonly key: string;
  readonly id?: string | undefined;
}

/** The name of an object or a version in what `deleteBatch` returns. Keys with line ends fit no batch. */
export function nameOf({ key, id }: DoomedObject): string {
  return id === undefined ? key : `${id}\n${key}`;
}

/** White space that any server may trim, and line ends as XML reads them. */
const TRIMMED = /^[\s\x85]|[\s\x85]$|[\t\n\r\x85]/;

/** Whether a key survives an XML document, also where white space is trimmed: a neighbour would be deleted. */
export function fitsBatch(key: string): boolean {
  const fitsXml = key.isWellFormed() && !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(key);
  return fitsXml && !TRIMMED.test(key);
}

/**
 * Deletes objects or versions in one request, with Content-MD5, which older servers require, or the CRC-32 that
 * directory buckets require. Returns the results by `nameOf`; objects that are in neither list are unknown. `markers` are
 * the IDs of new delete markers, if the bucket keeps versions. Rejects with `bad-answer` if the response is no result,
 * with `StrayAnswer` if it names others.
 */
export async function deleteBatch(
  store: S3Store,
  bucket: string,
  doomed: readonly DoomedObject[],
  op: Op,
): Promise<{
  readonly deleted: ReadonlySet<string>;
  readonly markers: ReadonlyMap<string, string>;
  readonly failures: ReadonlyMap<string, Error>;
}> {
  const objects = doomed.map(({ key, id }) => {
    const version = id === undefined ? '' : `<VersionId>${escapeXml(id)}</VersionId>`;
    return `<Object><Key>${escapeXml(key)}</Key>${version}</Object>`;
  });
  const body = xmlDocument('Delete', `<Quiet>false</Quiet>${objects.join('')}`);
  const request: S3Request = {
    method: 'POST',
    bucket,
    query: [['delete', '']],
    headers: {
      'content-type': 'application/xml',
      ...(store.settings.directoryBucket
        ? { [CRC32_HEADER]: encodeCrc32(crc32(body)) }
        : { 'content-md5': hash('md5', body, 'base64') }),
      ...store.headers.bypass,
    },
    body,
    doing: 'delete from',
  };
  const asked = new Set(doomed.map(nameOf));
  const ofKeys = doomed.some(({ id }) => id === undefined);
  const told = await store.client.open(request, op, async (answer) => {
    const text = (await wholeAnswer(answer, request)).body.toString('utf8');
    const scanned = scanDeleted(text);
    if (scanned !== undefined) return { deleted: scanned, errors: [] };
    const root = await readRoot(text, 'DeleteResult', request);
    const elements = childrenNamed(root, 'Deleted').map((element) => ({
      key: childText(element, 'Key') ?? '',
      version: versionOf(element),
      marker: childText(element, 'DeleteMarkerVersionId') || undefined,
    }));
    return { deleted: elements, errors: childrenNamed(root, 'Error') };
  });
  const deleted = new Set<string>();
  const markers = new Map<string, string>();
  for (const { key, version, marker } of told.deleted) {
    const id = ofKeys ? undefined : version;
    // Without a version it is unknown which one is gone. But nothing asked for a new marker.
    if (!ofKeys && id === undefined && marker === undefined) continue;
    const plain = nameOf({ key, id });
    const name = asked.has(plain) ? plain : nameOf({ key: decodeKey(key), id });
    if (!asked.has(name)) throw new StrayAnswer(bucket, `${bucket}/${key} is deleted`);
    deleted.add(name);
    if (ofKeys && marker !== undefined && marker !== 'null') markers.set(name, marker);
  }
  const failures = new Map<string, Error>();
  for (const element of told.errors) {
    const key = childText(element, 'Key') ?? '';
    const [s3Code = '', message = ''] = ['Code', 'Message'].map((name) => childText(element, name));
    const failure = new StoreError({ status: 200, s3Code, message }, 'delete', `${bucket}/${key}`);
    const id = ofKeys ? undefined : versionOf(element);
    if (!ofKeys && id === undefined) continue;
    const name = nameOf({ key, id });
    if (!asked.has(name)) throw new StrayAnswer(bucket, failure.message, failure);
    // Deleting what is missing is no error in S3: whether it is gone only another request shows.
    if (!['NoSuchKey', 'NoSuchVersion'].includes(failure.s3Code)) failures.set(name, failure);
  }
  return { deleted, markers, failures };
}

const ONE = /\s*<Deleted><Key>([^<]*)<\/Key>((?:<(\w+)>[^<]*<\/\3>)*)<\/Deleted>/y;
const VERSION = /<VersionId>([^<]+)</;
const MARKER = /<DeleteMarkerVersionId>([^<]+)</;

/** The deleted keys of a complete success, as nearly all servers write it; a general parser takes many times as long. */
function scanDeleted(text: string) {
  const root = scanRoot(text, ONE);
  if (root?.name !== 'DeleteResult') return undefined;
  return root.found.map(({ 1: key = '', 2: more = '' }) => {
    const [version, marker] = more === '' ? [] : [VERSION.exec(more)?.[1], MARKER.exec(more)?.[1]];
    return {
      key: decodeEntities(key),
      version: version && decodeEntities(version),
      marker: marker && decodeEntities(marker),
    };
  });
}

function versionOf(element: XmlElement): string | undefined {
  return childText(element, 'VersionId') || undefined;
}

/** A response about other keys than requested: the state of the keys is then unknown. */
export class StrayAnswer extends SyncerError {
  constructor(bucket: string, what: string, cause?: StoreError) {
    const text = `cannot delete from bucket ${bucket}: the response is for other objects: ${what}`;
    super('bad-answer', text, { cause });
  }
}

import { hash } from 'node:crypto';
import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { decodeEntities } from '../../../s3-protocol/entities.ts';
import { childText, type XmlElement } from '../../../s3-protocol/read-xml.ts';
import { askText, readRoot } from '../client/ask-document.ts';
import type { S3Request } from '../client/request.ts';
import type { S3Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { bypassHeaders } from '../upload/object-lock.ts';
import { decodeKey } from '../xml/list-page.ts';

/** The result for the keys of a batch; keys that are in neither list are unknown. */
export interface BatchOutcome {
  readonly deleted: ReadonlySet<string>;
  /** The IDs of the delete markers, by key, if the bucket keeps versions. */
  readonly markers: ReadonlyMap<string, string>;
  readonly failures: ReadonlyMap<string, Error>;
}

/** White space that any server may trim, and line ends as XML reads them. */
const TRIMMED = /^[\s\x85]|[\s\x85]$|[\t\n\r\x85]/;

/**
 * Whether a key survives an XML document: XML 1.0 has no control characters or bytes that are not UTF-8, and some
 * servers trim white space and then delete a neighbour.
 */
export function fitsBatch(key: string): boolean {
  const fitsXml = key.isWellFormed() && !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(key);
  return fitsXml && !TRIMMED.test(key);
}

/**
 * Deletes keys in one request, with Content-MD5, which older servers require. Rejects with `bad-answer` if the
 * response is no result, with `StrayAnswer` if it names other keys.
 */
export async function deleteBatch(
  store: S3Store,
  bucket: string,
  keys: readonly string[],
  op: Op,
): Promise<BatchOutcome> {
  const objects = keys.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`).join('');
  const body = Buffer.from(
    `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>false</Quiet>${objects}</Delete>`,
  );
  const request: S3Request = {
    method: 'POST',
    bucket,
    query: [['delete', '']],
    headers: {
      'content-type': 'application/xml',
      'content-md5': hash('md5', body, 'base64'),
      ...bypassHeaders(store),
    },
    body,
    doing: 'delete from',
  };
  const asked = new Set(keys);
  const told = await askText(store.client, request, op, async (text) => {
    const scanned = scanDeleted(text);
    if (scanned !== undefined) return { deleted: scanned, errors: [] };
    return readResult(await readRoot(text, 'DeleteResult', request));
  });
  const deleted = new Set<string>();
  const markers = new Map<string, string>();
  for (const { key, marker } of told.deleted) {
    const meant = asked.has(key) ? key : decodeKey(key);
    if (!asked.has(meant)) throw new StrayAnswer(bucket, `${bucket}/${key} is deleted`);
    deleted.add(meant);
    if (marker !== undefined && marker !== 'null') markers.set(meant, marker);
  }
  const failures = new Map<string, Error>();
  for (const element of told.errors) {
    const key = childText(element, 'Key') ?? '';
    const failure = failureOf(element, `${bucket}/${key}`);
    if (!asked.has(key)) throw new StrayAnswer(bucket, failure.message, failure);
    // Deleting a missing key is no error in S3: whether it is gone only another request shows.
    if (failure.s3Code !== 'NoSuchKey') failures.set(key, failure);
  }
  return { deleted, markers, failures };
}

function readResult(root: XmlElement) {
  const named = (name: string) => root.children.filter((child) => child.name === name);
  return {
    deleted: named('Deleted').map((element) => ({
      key: childText(element, 'Key') ?? '',
      marker: childText(element, 'DeleteMarkerVersionId') || undefined,
    })),
    errors: named('Error'),
  };
}

const HEAD = /^\ufeff?\s*(?:<\?xml[^?]*\?>\s*)?<DeleteResult(?:\s[^<>]*)?>/;
const ONE = /\s*<Deleted><Key>([^<]*)<\/Key>((?:<(\w+)>[^<]*<\/\3>)*)<\/Deleted>/y;
const MARKER = /<DeleteMarkerVersionId>([^<]+)</;
const END = /\s*<\/DeleteResult>\s*$/y;

/** A deleted key, and its delete marker. */
interface Deleted {
  readonly key: string;
  readonly marker: string | undefined;
}

/** The keys of a complete success, as nearly all servers write it; a general parser takes many times as long. */
function scanDeleted(text: string): Deleted[] | undefined {
  const head = HEAD.exec(text);
  if (head === null) return undefined;
  const keys: Deleted[] = [];
  let at = head[0].length;
  for (;;) {
    ONE.lastIndex = at;
    const found = ONE.exec(text);
    if (found === null) break;
    const [, key = '', more = ''] = found;
    const marker = more === '' ? undefined : MARKER.exec(more)?.[1];
    keys.push({ key: decodeEntities(key), marker: marker && decodeEntities(marker) });
    at = ONE.lastIndex;
  }
  END.lastIndex = at;
  return END.test(text) ? keys : undefined;
}

function failureOf(element: XmlElement, where: string): StoreError {
  const [s3Code = '', message = ''] = ['Code', 'Message'].map((name) => childText(element, name));
  return new StoreError({ status: 200, s3Code, message }, 'delete', where);
}

/** A response about other keys than requested: the state of the keys is then unknown. */
export class StrayAnswer extends SyncerError {
  constructor(bucket: string, what: string, cause?: StoreError) {
    const text = `cannot delete from bucket ${bucket}: the response is for other objects: ${what}`;
    super('bad-answer', text, { cause });
  }
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

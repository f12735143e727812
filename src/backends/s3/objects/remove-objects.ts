import { hash } from 'node:crypto';
import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import type { S3Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { childText, readXml, type XmlElement } from '../xml/read-xml.ts';

/** Deletes at once in singles where the batch request cannot be used. */
const SINGLES_AT_ONCE = 16;

/** Deletes one object; a missing one is none of S3's errors. */
export async function removeObject(store: S3Store, bucket: string, key: string, op: Op) {
  await store.client.call({ method: 'DELETE', bucket, key, doing: 'delete' }, op);
}

/** Deletes files; gives the failure of each that could not be deleted. */
export async function removeFiles(
  store: S3Store,
  files: readonly FileEntry[],
  op: Op,
): Promise<ReadonlyMap<FileEntry, Error>> {
  const failures = new Map<FileEntry, Error>();
  const byBucket = new Map<string, Map<string, FileEntry>>();
  for (const file of files) {
    const { bucket, key } = store.locate(file.path);
    const keys = byBucket.get(bucket) ?? new Map<string, FileEntry>();
    byBucket.set(bucket, keys.set(key, file));
  }
  for (const [bucket, keys] of byBucket) {
    for (const [key, error] of await removeKeys(store, bucket, [...keys.keys()], op)) {
      const file = keys.get(key);
      if (file !== undefined) failures.set(file, error);
    }
  }
  return failures;
}

/** Deletes keys of a bucket, at most 1,000; gives the failure of each that could not be deleted. */
export async function removeKeys(
  store: S3Store,
  bucket: string,
  keys: readonly string[],
  op: Op,
): Promise<ReadonlyMap<string, Error>> {
  const writable = keys.filter(fitsXml);
  const failures = new Map<string, Error>();
  let singles = keys.filter((key) => !fitsXml(key));
  if (writable.length > 0) {
    try {
      for (const [key, error] of await removeBatch(store, bucket, writable, op)) {
        failures.set(key, error);
      }
    } catch (error) {
      const isUnknown = error instanceof StoreError && [405, 501].includes(error.status);
      if (!isUnknown) throw error;
      singles = [...keys];
    }
  }
  for (let from = 0; from < singles.length; from += SINGLES_AT_ONCE) {
    const batch = singles.slice(from, from + SINGLES_AT_ONCE);
    await Promise.all(
      batch.map((key) =>
        removeObject(store, bucket, key, op).catch((error) => {
          op.signal.throwIfAborted();
          failures.set(key, toSyncerError(error));
        }),
      ),
    );
  }
  return failures;
}

/**
 * The batch request always carries Content-MD5: older stores insist on it, whatever other checksum there is. Rejects
 * where the answer tells of a failure of a key that was not asked for.
 */
async function removeBatch(store: S3Store, bucket: string, keys: readonly string[], op: Op) {
  const objects = keys.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`).join('');
  const body = Buffer.from(
    `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${objects}</Delete>`,
  );
  const request = {
    method: 'POST',
    bucket,
    query: [['delete', '']],
    headers: { 'content-type': 'application/xml', 'content-md5': hash('md5', body, 'base64') },
    body,
    doing: 'delete from',
  } as const;
  const answer = await store.client.call(request, op);
  const failures = new Map<string, Error>();
  const asked = new Set(keys);
  if (answer.body.length === 0) return failures;
  const root = await readXml(answer.body.toString('utf8'));
  const failureOf = (element: XmlElement, where: string) => {
    const [s3Code = '', message = ''] = ['Code', 'Message'].map((name) => childText(element, name));
    return new StoreError({ status: 200, s3Code, message }, 'delete', where);
  };
  if (root.name === 'Error') throw failureOf(root, `from bucket ${bucket}`);
  for (const element of root.children) {
    if (element.name !== 'Error') continue;
    const key = childText(element, 'Key') ?? '';
    const failure = failureOf(element, `${bucket}/${key}`);
    if (!asked.has(key)) throw strayFailure(bucket, failure);
    if (failure.s3Code !== 'NoSuchKey') failures.set(key, failure);
  }
  return failures;
}

/** A failure of something else than was asked for: what became of the keys is then unknown. */
function strayFailure(bucket: string, cause: StoreError): SyncerError {
  const text = `cannot delete from bucket ${bucket}: the answer is about other objects: ${cause.message}`;
  return new SyncerError('bad-answer', text, { cause });
}

/** XML 1.0 cannot hold control characters, not even as entities, nor bytes that are not UTF-8. */
function fitsXml(key: string): boolean {
  return key.isWellFormed() && !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(key);
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

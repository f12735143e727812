import { hash } from 'node:crypto';
import type { Metadata } from '../../../core/entry-details.ts';
import { SyncerError } from '../../../core/errors.ts';
import { modTimeToMs, parseRfc3339 } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { parseDuration } from '../../../go/duration.ts';
import { askHead } from '../objects/ask-head.ts';
import { LOCK_KEYS } from '../objects/metadata.ts';
import type { ObjectLock } from '../settings.ts';
import type { S3Store } from '../store.ts';

/** What a new object's lock is: each part of it may be absent. */
function wantedLock(lock: ObjectLock, metadata: Metadata, nowMs: number) {
  const { mode, retainUntil, legalHold } = lock;
  const copied = (value: string, key: string) => (value === 'COPY' ? metadata[key] : value);
  const until =
    retainUntil === 'COPY' ? metadata[LOCK_KEYS.until] : retainUntilDate(retainUntil, nowMs);
  const kept = copied(mode, LOCK_KEYS.mode);
  return {
    ...(kept && until ? { mode: kept, until } : {}),
    hold: copied(legalHold, LOCK_KEYS.hold),
  };
}

function retainUntilDate(text: string, nowMs: number): string {
  if (text === '') return '';
  const time = parseRfc3339(text);
  const ms = time === undefined ? nowMs + parseDuration(text, nowMs) : modTimeToMs(time);
  return new Date(ms).toISOString();
}

/** The headers that lock a new object or a copy. */
export function lockHeaders(
  { settings, client }: S3Store,
  metadata: Metadata = {},
): Record<string, string> {
  const { objectLock } = settings;
  if (objectLock === undefined || objectLock.afterUpload) return {};
  const { mode, until, hold } = wantedLock(objectLock, metadata, client.context.clock.now());
  return {
    ...(mode && until
      ? { 'x-amz-object-lock-mode': mode, 'x-amz-object-lock-retain-until-date': until }
      : {}),
    ...(hold ? { 'x-amz-object-lock-legal-hold': hold } : {}),
  };
}

/**
 * With `object_lock_set_after_upload`, locks what was written or copied. Otherwise looks once whether the server has
 * done so: some ignore the headers. Rejects with `config` if it has not.
 */
export async function lockWritten(
  store: S3Store,
  file: FileEntry,
  metadata: Metadata | undefined,
  how: 'write' | 'copy',
  op: Op,
): Promise<void> {
  const { objectLock } = store.settings;
  if (objectLock === undefined) return;
  if (!objectLock.afterUpload) return proveLocked(store, file, metadata, how, op);
  const nowMs = store.client.context.clock.now();
  const { mode, until, hold } = wantedLock(objectLock, metadata ?? {}, nowMs);
  if (mode && until) {
    const inner = `<Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate>`;
    await put(store, file, 'retention', `<Retention>${inner}</Retention>`, op);
  }
  if (hold)
    await put(store, file, 'legal-hold', `<LegalHold><Status>${hold}</Status></LegalHold>`, op);
}

async function proveLocked(
  store: S3Store,
  file: FileEntry,
  metadata: Metadata | undefined,
  how: 'write' | 'copy',
  op: Op,
): Promise<void> {
  const sent = lockHeaders(store, metadata);
  if (store.locks.has(how) || Object.keys(sent).length === 0) return;
  const at = store.locate(file.path);
  const asked = { ...at, headers: store.settings.encryption.keyHeaders };
  const { headers } = await askHead(store.client, asked, op);
  const names = ['x-amz-object-lock-mode', 'x-amz-object-lock-legal-hold'];
  if (names.every((name) => sent[name] === undefined || headers[name] === sent[name])) {
    store.locks.add(how);
    return;
  }
  const text = `the server does not show the lock of ${at.bucket}/${at.key}: set object_lock_set_after_upload, or let the key read retentions and legal holds`;
  throw new SyncerError('config', text, { path: file.path });
}

async function put(store: S3Store, file: FileEntry, what: string, xml: string, op: Op) {
  const body = Buffer.from(xml.replace('>', ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'));
  const { bucket, key } = store.locate(file.path);
  const headers = {
    'content-type': 'application/xml',
    'content-md5': hash('md5', body, 'base64'),
    ...(what === 'retention' ? store.headers.bypass : {}),
  };
  const query = [[what, '']] as const;
  const { version } = file;
  const request = { method: 'PUT', bucket, key, version, query, headers, body } as const;
  await store.client.call({ ...request, doing: `set the ${what} of` }, op);
}

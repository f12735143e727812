import { hash } from 'node:crypto';
import type { Metadata } from '../../../core/entry-details.ts';
import { SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { askHead } from '../client/ask.ts';
import type { S3Store } from '../store.ts';

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
  const { mode, until, hold } = store.headers.wantedLock(metadata);
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
  const sent = store.headers.lock(metadata);
  if (store.locks.has(how) || Object.keys(sent).length === 0) return;
  const at = store.locate(file.path);
  const headers = await askHead(store.client, at, op);
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

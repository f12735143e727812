import type { Metadata } from '../../../core/entry-details.ts';
import { SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { askHead } from '../client/ask.ts';
import type { S3Store } from '../store.ts';
import { xmlBody } from '../xml/write-document.ts';

/** Locks what was written, after it (`object_lock_set_after_upload`), or looks once whether it is locked (`config`). */
export async function lockWritten(
  store: S3Store,
  file: FileEntry,
  metadata: Metadata | undefined,
  how: 'write' | 'copy',
  op: Op,
): Promise<void> {
  const { objectLock } = store.settings;
  if (objectLock === undefined) return;
  const at = store.locate(file.path);
  const { bucket, key } = at;
  if (!objectLock.afterUpload) {
    const sent = store.headers.lock(metadata);
    if (store.locks.has(how) || Object.keys(sent).length === 0) return;
    const headers = await askHead(store.client, at, op);
    const names = ['x-amz-object-lock-mode', 'x-amz-object-lock-legal-hold'];
    if (names.every((name) => sent[name] === undefined || headers[name] === sent[name])) {
      store.locks.add(how);
      return;
    }
    const text = `the server does not show the lock of ${bucket}/${key}: set object_lock_set_after_upload, or let the key read retentions and legal holds`;
    throw new SyncerError('config', text, { path: file.path });
  }
  const { mode, until, hold } = store.headers.wantedLock(metadata);
  const { version } = file;
  const put = async (what: string, root: string, inner: string, more = {}) => {
    const { body, headers: own } = xmlBody(root, inner);
    const headers = { ...own, ...more };
    const query = [[what, '']] as const;
    const request = { method: 'PUT', bucket, key, version, query, headers, body } as const;
    await store.client.call({ ...request, doing: `set the ${what} of` }, op);
  };
  if (mode && until) {
    const inner = `<Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate>`;
    await put('retention', 'Retention', inner, store.headers.bypass);
  }
  if (hold) await put('legal-hold', 'LegalHold', `<Status>${hold}</Status>`);
}

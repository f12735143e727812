import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import { contentCheck } from '../../../hashes/content-check.ts';
import { setTime } from '../change/set-mod-time.ts';
import { type Address, requestPath } from '../items/address.ts';
import { tellFile } from '../items/tell-entry.ts';
import type { DriveStore } from '../store.ts';
import { proveWritten } from './prove-written.ts';
import { SourceReader } from './source-reader.ts';

/** Writes an empty file, which no upload session takes; its time needs a request of its own. */
export async function putEmpty(
  store: DriveStore,
  source: WriteSource,
  address: Address,
  op: Op,
): Promise<FileEntry> {
  const check = contentCheck(source);
  const reader = await SourceReader.open(source, check, op);
  try {
    await reader.isAtEnd();
    check.finish();
  } finally {
    await reader.close();
  }
  const request = {
    method: 'PUT',
    to: `${requestPath(address, '/content')}?@microsoft.graph.conflictBehavior=replace`,
    headers: {
      'content-type': 'application/octet-stream',
      ...store.client.transport.uploadHeaders,
    },
    body: Buffer.alloc(0),
    isNaming: true,
    doing: 'write',
    about: source.path,
  } as const;
  const { json, headers } = await store.client.call(request, op);
  const untimedMs = Date.parse(headers['date'] ?? '');
  const sent = { source, size: 0, hashes: {}, address, untimedMs };
  const written = await proveWritten(store, json, sent, op);
  if (source.modTime === undefined) return written;
  return tellFile(store, await setTime(store, address, source, op), source.path, op);
}

import { contentCheck } from '../../../core/content-check.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import { setTime } from '../change/set-mod-time.ts';
import { type Address, requestPath } from '../items/address.ts';
import { asItem } from '../items/graph-item.ts';
import { tellFile } from '../items/tell-entry.ts';
import type { DriveStore } from '../store.ts';
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
  const item = asItem((await store.client.call(request, op)).json, source.path);
  const timed =
    source.modTime === undefined
      ? item
      : await setTime(store, { driveId: address.driveId, id: item.id ?? '', rest: '' }, source, op);
  return tellFile(store, timed, source.path, op);
}

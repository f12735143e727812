import { bodyChunks } from '../../core/body.ts';
import { COMPUTABLE_HASHES, contentHasher } from '../../core/content-hash.ts';
import type { HashName } from '../../core/hash-names.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { hashLarge } from './hash-large.ts';
import { hashesInThread, THREAD_SIZE } from './hash-threads.ts';
import type { LocalDisk } from './local-disk.ts';
import { readFile } from './read-file.ts';

/** See `Capabilities.hash`: by reading the file, a large one in a thread of its own. */
export async function hashFile(
  disk: LocalDisk,
  file: FileEntry,
  name: HashName,
  op: Op,
): Promise<string | undefined> {
  if (!COMPUTABLE_HASHES.some((computable) => computable === name)) return undefined;
  if (file.size >= THREAD_SIZE && hashesInThread(name) && !disk.isLink(file.path)) {
    return hashLarge(disk, file, name, op);
  }
  const hasher = contentHasher([name]);
  const body = await readFile(disk, file, undefined, op);
  for await (const chunk of bodyChunks(body, op.signal)) hasher.update(chunk);
  return hasher.digest()[name];
}

import { bodyChunks } from '../../core/body.ts';
import type { HashName } from '../../core/hash-names.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { COMPUTABLE_HASHES, contentHasher } from '../../hashes/content-hash.ts';
import { hashInThread } from './hash-in-thread.ts';
import { hashesInThread } from './hash-threads.ts';
import type { LocalDisk } from './local-disk.ts';
import { readFile } from './read-file.ts';

/** A file up to this size is hashed sooner than a thread is told of it, in bytes. */
const SMALL = 64 * 1024;

/** See `Capabilities.hash`: by reading the file, beside everything else where there is much to hash. */
export async function hashFile(
  disk: LocalDisk,
  file: FileEntry,
  name: HashName,
  op: Op,
): Promise<string | undefined> {
  if (!COMPUTABLE_HASHES.some((computable) => computable === name)) return undefined;
  const mayBeInThread = file.size > SMALL && hashesInThread(name) && !disk.isLink(file.path);
  if (mayBeInThread && disk.fileHashThreads.pay(file.size))
    return hashInThread(disk, file, name, op);
  const hasher = contentHasher([name]);
  const body = await readFile(disk, file, undefined, op);
  for await (const chunk of bodyChunks(body, op.signal)) hasher.update(chunk);
  return hasher.digest()[name];
}

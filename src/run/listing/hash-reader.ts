import type { Readable } from 'node:stream';
import { bodyChunks } from '../../core/body.ts';
import { SyncerError } from '../../core/errors.ts';
import type { HashName } from '../../core/hash-names.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import { readingWith } from '../../core/with-memory.ts';
import { HASHED_TOGETHER, manyHashes } from '../../engine/compare-pair.ts';
import { readSource } from '../../engine/copy/read-source.ts';
import type { Run } from '../../engine/run.ts';
import { loadedHasher } from '../../hashes/content-hasher.ts';

/** The hash of a file, immediately if the listing returned it; `undefined` if it has none. */
export type HashReader = (file: FileEntry) => string | undefined | Promise<string | undefined>;

/** Whether to download files to hash them, and how often to try. */
type HowToHash = { readonly download: boolean; readonly tries: number };

/** How to hash files: by the remote, or by downloading. Throws `unsupported` if that is not possible. */
export function hashReader(
  run: Run,
  remote: Remote,
  name: HashName,
  { download, tries }: HowToHash,
): HashReader {
  const { hash, hashesInDoubt } = remote.can;
  if (download) {
    return (file) =>
      readingWith(run.context, 1, () => downloadedHash(run, remote, file, name, tries));
  }
  if (!remote.traits.hashes.includes(name))
    throw new SyncerError('unsupported', 'hash unsupported: hash type not supported');
  return (file) => {
    const known = file.hashes?.[name];
    const counts = known !== undefined && hashesInDoubt?.(file) !== true;
    return counts ? known : hash?.(file, name, run.op);
  };
}

/**
 * As `hashReader`, for the files of one page, each once and in their order: asks for the hashes of many at once where
 * the remote has such.
 */
export function pageHashReader(
  run: Run,
  remote: Remote,
  name: HashName,
  how: HowToHash,
  files: readonly FileEntry[],
): HashReader {
  const read = hashReader(run, remote, name, how);
  if (how.download || remote.can.hashMany === undefined) return read;
  let group: HashGroup | undefined;
  let next = 0;
  return (file) => {
    const index = next % HASHED_TOGETHER;
    if (index === 0) {
      const together = files.slice(next, next + HASHED_TOGETHER);
      const asked: HashGroup = {
        asking: manyHashes(remote, together, name, run.op).then(
          (hashes) => (asked.hashes = hashes),
        ),
      };
      group = asked;
    }
    next++;
    const { asking, hashes } = group as HashGroup;
    if (hashes !== undefined) return hashes[index] ?? read(file);
    return asking.then((found) => found[index] ?? read(file));
  };
}

/** Hashes of some files in a row: on their way, or there. */
interface HashGroup {
  readonly asking: Promise<readonly (string | undefined)[]>;
  hashes?: readonly (string | undefined)[];
}

async function downloadedHash(
  run: Run,
  remote: Remote,
  file: FileEntry,
  name: HashName,
  tries: number,
): Promise<string | undefined> {
  const { emit, clock } = run.context;
  const id = ++run.ids.last;
  const size = Math.max(0, file.size);
  emit({ type: 'transfer-start', id, kind: 'check', path: file.path, size });
  try {
    const sinceMs = clock.now();
    const hasher = await loadedHasher([name]);
    const route = { up: false, down: !remote.traits.onDisk };
    const plan = { run, remote, file, route, tries, id };
    const body = await readSource(plan, undefined, run.op);
    for await (const chunk of bodyChunks(body, run.op.signal)) hasher.update(chunk);
    const hashes = hasher.digest();
    remote.can.noteHashes?.(file, hashes, sinceMs);
    return hashes[name];
  } finally {
    emit({ type: 'transfer-end', id });
  }
}

/** The hash of a stream. */
export async function hashOfInput(stdin: Readable, name: HashName): Promise<string | undefined> {
  const hasher = await loadedHasher([name]);
  for await (const chunk of stdin) hasher.update(chunk);
  return hasher.digest()[name];
}

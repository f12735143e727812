import type { HashName } from '../core/hash-names.ts';
import type { FileEntry, Op, Remote } from '../core/remote.ts';
import type { HashAnswer } from './decide.ts';

/** Whether the files have the same hash `name`, or another that both remotes have if one of them lacks this one. */
export async function compareHashes(
  { source, dest }: { readonly source: Remote; readonly dest: Remote },
  pair: { readonly source: FileEntry; readonly dest: FileEntry },
  name: HashName | undefined,
  op: Op,
): Promise<HashAnswer> {
  const destFirst = source.traits.slowHash;
  for (const each of name === undefined ? [] : commonNames(source, dest, name)) {
    const first = await (destFirst
      ? knownHash(dest, pair.dest, each, op)
      : knownHash(source, pair.source, each, op));
    if (first === undefined) continue;
    const second = await (destFirst
      ? knownHash(source, pair.source, each, op)
      : knownHash(dest, pair.dest, each, op));
    if (second !== undefined) return first === second ? 'same' : 'differs';
  }
  return 'unknown';
}

/** The hashes that two remotes have, `first` before the others. */
function* commonNames(source: Remote, dest: Remote, first: HashName): Generator<HashName> {
  yield first;
  for (const name of source.traits.hashes) {
    if (name !== first && dest.traits.hashes.includes(name)) yield name;
  }
}

/** A hash of a file: from its entry, or requested. */
export async function hashOf(
  remote: Remote,
  file: FileEntry,
  name: HashName,
  op: Op,
): Promise<string | undefined> {
  return knownHash(remote, file, name, op);
}

/** As `hashOf`, without a promise for what the entry has. */
function knownHash(remote: Remote, file: FileEntry, name: HashName, op: Op) {
  return file.hashes?.[name] ?? remote.can.hash?.(file, name, op);
}

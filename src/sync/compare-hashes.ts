import type { HashName } from '../core/hash-names.ts';
import type { FileEntry, Op, Remote } from '../core/remote.ts';
import type { HashAnswer } from './decide.ts';

/** Whether the files have the same hash `name`, or another that both remotes have if one of them lacks this one. */
export async function compareHashes(
  sides: { readonly source: Remote; readonly dest: Remote },
  pair: { readonly source: FileEntry; readonly dest: FileEntry },
  name: HashName | undefined,
  op: Op,
): Promise<HashAnswer> {
  const answer = await compareHash(sides, pair, name, op);
  if (answer !== 'unknown' || name === undefined) return answer;
  const { source, dest } = sides;
  for (const other of source.traits.hashes) {
    if (other === name || !dest.traits.hashes.includes(other)) continue;
    const second = await compareHash(sides, pair, other, op);
    if (second !== 'unknown') return second;
  }
  return 'unknown';
}

async function compareHash(
  sides: { readonly source: Remote; readonly dest: Remote },
  pair: { readonly source: FileEntry; readonly dest: FileEntry },
  name: HashName | undefined,
  op: Op,
): Promise<HashAnswer> {
  if (name === undefined) return 'unknown';
  const cheapFirst = sides.source.traits.slowHash ? sides.dest : sides.source;
  const first = await hashOf(
    cheapFirst,
    cheapFirst === sides.dest ? pair.dest : pair.source,
    name,
    op,
  );
  if (first === undefined) return 'unknown';
  const other = cheapFirst === sides.dest ? sides.source : sides.dest;
  const second = await hashOf(other, other === sides.dest ? pair.dest : pair.source, name, op);
  if (second === undefined) return 'unknown';
  return first === second ? 'same' : 'differs';
}

/** A hash of a file: from its entry, or requested. */
export async function hashOf(
  remote: Remote,
  file: FileEntry,
  name: HashName,
  op: Op,
): Promise<string | undefined> {
  return file.hashes?.[name] ?? (await remote.can.hash?.(file, name, op));
}

import type { HashName } from '../core/hash-names.ts';
import type { FileEntry, Op, Remote } from '../core/remote.ts';
import type { HashAnswer } from './decide.ts';
import type { BothSides, FileWork } from './file-work.ts';

type Sides = Pick<FileWork, 'source' | 'dest'>;

/** What has to be read is read last, and only if the other side has a hash. */
function inTurn({ source }: Sides) {
  return source.traits.slowHash ? (['dest', 'source'] as const) : (['source', 'dest'] as const);
}

/** Whether the files have the same hash `name`, or another that both remotes have if one of them lacks this one. */
export async function compareHashes(
  sides: Sides,
  pair: BothSides,
  name: HashName | undefined,
  op: Op,
): Promise<HashAnswer> {
  const [one, other] = inTurn(sides);
  for (const each of name === undefined ? [] : commonNames(sides, name)) {
    const first = await knownHash(sides[one], pair[one], each, op);
    if (first === undefined) continue;
    const second = await knownHash(sides[other], pair[other], each, op);
    if (second === undefined) continue;
    if (first === second) return 'same';
    const sure = await confirmed(sides, pair, op);
    return sure === undefined ? 'differs' : compareHashes(sides, sure, name, op);
  }
  return 'unknown';
}

/** A pair without the hashes that do not count; `undefined` if all count, as they nearly always do. */
async function confirmed(
  { source, dest }: Sides,
  pair: BothSides,
  op: Op,
): Promise<BothSides | undefined> {
  const sure = {
    source: (await source.can.confirmHashes?.(pair.source, op)) ?? pair.source,
    dest: (await dest.can.confirmHashes?.(pair.dest, op)) ?? pair.dest,
  };
  return sure.source === pair.source && sure.dest === pair.dest ? undefined : sure;
}

/** How many files are hashed in one call: enough for all lanes, and soon done. */
export const HASHED_TOGETHER = 64;

/** The hashes that entries have, and of the others those that the remote computes together (`Capabilities.hashMany`). */
export async function manyHashes(
  remote: Remote,
  files: readonly FileEntry[],
  name: HashName,
  op: Op,
): Promise<readonly (string | undefined)[]> {
  const known = files.map(({ hashes }) => hashes?.[name]);
  if (remote.can.hashMany === undefined || !known.includes(undefined)) return known;
  const asked = files.filter((_, at) => known[at] === undefined);
  const found = await remote.can.hashMany(asked, name, op);
  let next = 0;
  return known.map((hash) => hash ?? found[next++]);
}

/** Compares pairs by `manyHashes`; `undefined` where that does not have both hashes: `compareHashes` then compares. */
export async function compareManyHashes(
  sides: Sides,
  pairs: readonly BothSides[],
  name: HashName,
  op: Op,
): Promise<readonly (HashAnswer | undefined)[]> {
  const [one, other] = inTurn(sides);
  const hashesOf = (side: 'source' | 'dest', of: readonly BothSides[]) => {
    const files = of.map((pair) => pair[side]);
    return manyHashes(sides[side], files, name, op);
  };
  const first = await hashesOf(one, pairs);
  const second = await hashesOf(
    other,
    pairs.filter((_, at) => first[at] !== undefined),
  );
  let next = 0;
  const answers: (HashAnswer | undefined)[] = [];
  for (let at = 0; at < first.length; at++) {
    const hash = first[at];
    const value = hash === undefined ? undefined : second[next++];
    const pair = pairs[at] as BothSides;
    const isSame = value === undefined ? undefined : hash === value;
    // A hash that does not count is left out: `compareHashes` asks for another.
    const isUnsure = isSame === false && (await confirmed(sides, pair, op)) !== undefined;
    answers.push(isSame === undefined || isUnsure ? undefined : isSame ? 'same' : 'differs');
  }
  return answers;
}

/** The hashes that two remotes have, `first` before the others. */
function* commonNames({ source, dest }: Sides, first: HashName): Generator<HashName> {
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
  const sure = (await remote.can.confirmHashes?.(file, op)) ?? file;
  return knownHash(remote, sure, name, op);
}

/** As `hashOf`, without a promise for what the entry has, and without doubts. */
function knownHash(remote: Remote, file: FileEntry, name: HashName, op: Op) {
  return file.hashes?.[name] ?? remote.can.hash?.(file, name, op);
}

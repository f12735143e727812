import { releaseBuffer } from '../core/buffers.ts';
import { commonHash, type HashName } from '../core/hash-names.ts';
import type { Body, FileEntry, Op, Remote } from '../core/remote.ts';
import type { BothSides, Sides } from './action.ts';
import { readSource } from './copy/read-source.ts';
import type { CommonGround, HashComparison } from './rules/rule.ts';
import type { Run } from './run.ts';

/** The common abilities of two remotes, with `--modify-window` applied. */
export function commonGround(source: Remote, dest: Remote, modifyWindowNs: bigint): CommonGround {
  const precisions = [source.traits.modTimePrecision, dest.traits.modTimePrecision];
  const keepTimes = precisions.filter((precision) => precision !== undefined);
  const coarsest = [...keepTimes, modifyWindowNs].reduce((a, b) => (b > a ? b : a), 1n);
  return {
    windowNs: keepTimes.length < 2 ? undefined : coarsest,
    hash: commonHash(source.traits.hashes, dest.traits.hashes),
  };
}

/** Reads both files to the first difference; returns whether there is none (`check --download`). */
export async function sameContents(
  run: Run,
  sides: Sides,
  pair: { readonly source: FileEntry; readonly dest: FileEntry },
  tries: number,
): Promise<boolean> {
  const id = ++run.ids.last;
  const { emit } = run.context;
  const plan = { run, tries, id };
  const from = (remote: Remote) => ({ remote, route: { up: false, down: !remote.traits.onDisk } });
  const { path, size } = pair.source;
  emit({ type: 'transfer-start', id, kind: 'check', path, size: 2 * Math.max(0, size) });
  try {
    const [a, b] = await Promise.all([
      readSource({ ...plan, ...from(sides.source), file: pair.source }, undefined, run.op),
      readSource({ ...plan, ...from(sides.dest), file: pair.dest }, undefined, run.op),
    ]);
    return await sameBytes(chunksOf(a), chunksOf(b));
  } finally {
    emit({ type: 'transfer-end', id });
  }
}

async function* chunksOf(body: Body): AsyncGenerator<Buffer> {
  if (Buffer.isBuffer(body)) yield body;
  else yield* body as AsyncIterable<Buffer>;
}

/** Compares two streams of chunks that may be cut differently; ends both. */
export async function sameBytes(
  a: AsyncGenerator<Buffer>,
  b: AsyncGenerator<Buffer>,
): Promise<boolean> {
  let left: Buffer = Buffer.alloc(0);
  let right: Buffer = Buffer.alloc(0);
  try {
    for (;;) {
      if (left.length === 0) left = await nextChunk(a, left);
      if (right.length === 0) right = await nextChunk(b, right);
      const length = Math.min(left.length, right.length);
      if (length === 0) return left.length === right.length;
      if (!left.subarray(0, length).equals(right.subarray(0, length))) return false;
      left = left.subarray(length);
      right = right.subarray(length);
    }
  } finally {
    await Promise.allSettled([a.return(undefined), b.return(undefined)]);
  }
}

/** The next chunk that is not empty, once the last one is no longer needed; an empty one at the end. */
async function nextChunk(chunks: AsyncGenerator<Buffer>, last: Buffer): Promise<Buffer> {
  releaseBuffer(last);
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) return Buffer.alloc(0);
    if (next.value.length > 0) return next.value;
  }
}

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
): Promise<HashComparison> {
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
): Promise<readonly (HashComparison | undefined)[]> {
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
  const answers: (HashComparison | undefined)[] = [];
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

/** Smaller files are hashed before anyone could read that they are, in bytes. */
const WORTH_SHOWING = 8 * 1024 * 1024;

/** Compares a file with an operation whose hashes of large files show as a check that is going on. */
export function withHashShown<T>(
  run: Run,
  file: FileEntry,
  compare: (op: Op) => Promise<T>,
): Promise<T> {
  return file.size < WORTH_SHOWING ? compare(run.op) : showHashing(run, file, compare);
}

async function showHashing<T>(
  run: Run,
  { path, size }: FileEntry,
  compare: (op: Op) => Promise<T>,
): Promise<T> {
  const { emit } = run.context;
  const id = ++run.ids.last;
  let isShown = false;
  const onHashed = (bytes: number) => {
    if (!isShown) emit({ type: 'transfer-start', id, kind: 'check', path, size });
    isShown = true;
    emit({ type: 'transfer-hashed', id, bytes });
  };
  try {
    return await compare({ ...run.op, onHashed });
  } finally {
    if (isShown) emit({ type: 'transfer-end', id });
  }
}

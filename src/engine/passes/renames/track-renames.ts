import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { LogFields } from '../../../core/log-fields.ts';
import { compareNames } from '../../../core/name-order.ts';
import type { FileEntry } from '../../../core/remote.ts';
import { leafName } from '../../../core/remote-path.ts';
import { hashOf } from '../../compare-pair.ts';
import { withModTime } from '../../mod-time-of.ts';
import type { OpenedPass, PassGround, Rename } from '../../pass.ts';
import { createTaskPool } from '../../task-pool.ts';

/** `--track-renames`: files that got another name at the source get it at the destination. */
export function renamePass(strategy: RenameStrategy): OpenedPass {
  return {
    seesAll: true,
    make: (work) => ({
      renamer: () =>
        mayTrack(work, strategy)
          ? (newFiles, extra) => findRenames(work, strategy, newFiles, extra)
          : undefined,
    }),
  };
}

/** Reads `--track-renames-strategy`: names with commas between them. `size` always counts. Throws `usage`. */
export function readRenameStrategy(text: string): RenameStrategy {
  const names = (text === '' ? 'hash' : text).split(',');
  const unknown = names.find((name) => !['hash', 'modtime', 'leaf', 'size'].includes(name));
  if (unknown !== undefined) {
    throw new SyncerError('usage', `unknown track renames strategy "${unknown}"`, {
      advice: 'use a comma-separated list of hash, modtime, leaf',
    });
  }
  return {
    hash: names.includes('hash'),
    modTime: names.includes('modtime'),
    leaf: names.includes('leaf'),
  };
}

/** Whether both sides have what the strategy needs; logs what they lack. */
function mayTrack({ run, ground, dest }: PassGround, strategy: RenameStrategy): boolean {
  const lacks: LogFields['renames-ignored']['lack'][] = [];
  const { moveFrom, copyFrom } = dest.can;
  if (moveFrom === undefined && copyFrom === undefined) lacks.push('server-side');
  if (strategy.hash && ground.hash === undefined) lacks.push('hash');
  if (strategy.modTime && ground.windowNs === undefined) lacks.push('mod-time');
  for (const lack of lacks) run.log('error', dest.title, 'renames-ignored', { lack });
  return lacks.length === 0;
}

/** The new files of the source that match an extra file of the destination. */
async function findRenames(
  work: PassGround,
  strategy: RenameStrategy,
  newFiles: readonly FileEntry[],
  extra: readonly FileEntry[],
): Promise<readonly Rename[]> {
  const { run } = work;
  const { title } = work.dest;
  run.log('info', title, 'renames-begin');
  // Files that may have been renamed by their sizes count as checks, as in rclone.
  const sizes = new Set(newFiles.map(({ size }) => size));
  const files = extra.reduce((sum, { size }) => (sizes.has(size) ? sum + 1 : sum), 0);
  run.context.emit({ type: 'check-queued', files });
  run.context.emit({ type: 'checked', files });
  const { source, dest } = await renameCandidates(work, strategy, newFiles, extra);
  const { renames, ambiguous } = matchRenames(source, dest, {
    windowNs: work.ground.windowNs ?? 1n,
    sameContent: strategy.hash,
  });
  run.log('info', title, 'renames-end');
  if (ambiguous > 0) run.log('info', title, 'renames-ambiguous', { files: ambiguous });
  return renames;
}

/** The files of both sides that may have been renamed. */
interface RenameCandidates {
  readonly source: readonly RenameCandidate[];
  readonly dest: readonly RenameCandidate[];
}

type Side = keyof RenameCandidates;

/**
 * Determines what identifies the files: requests times and hashes only of files whose size, and everything else known
 * without a request, is on both lists. Skips a file for which a request fails.
 */
async function renameCandidates(
  work: PassGround,
  strategy: RenameStrategy,
  newFiles: readonly FileEntry[],
  onlyThere: readonly FileEntry[],
): Promise<RenameCandidates> {
  const extra = onlyThere.filter(({ isWrong }) => isWrong !== true);
  const begin = (file: FileEntry): RenameCandidate => ({
    file,
    key: strategy.leaf ? `${file.size},${leafName(file.path)}` : `${file.size}`,
    modTime: 0n,
  });
  const [newSizes, extraSizes] = [valuesOf(newFiles, 'size'), valuesOf(extra, 'size')];
  let sides = common({
    source: newFiles.filter(({ size }) => extraSizes.has(size)).map(begin),
    dest: extra.filter(({ size }) => newSizes.has(size)).map(begin),
  });
  if (strategy.modTime) {
    const dest = await timed(work, 'dest', sides.dest);
    sides = common({ source: await timed(work, 'source', sides.source), dest });
  }
  if (!strategy.hash) return sides;
  // First where hashes cost less: files without a counterpart there need not be read on the other side.
  const [first, second]: readonly [Side, Side] = work.source.traits.slowHash
    ? ['dest', 'source']
    : ['source', 'dest'];
  const ofFirst = await hashed(work, first, sides[first]);
  const counterparts = valuesOf(ofFirst, 'before');
  const others = sides[second].filter(({ key }) => counterparts.has(key));
  const ofSecond = await hashed(work, second, others);
  return first === 'source'
    ? { source: ofFirst, dest: ofSecond }
    : { source: ofSecond, dest: ofFirst };
}

function valuesOf<T, Name extends keyof T>(all: readonly T[], name: Name): ReadonlySet<T[Name]> {
  return new Set(all.map((one) => one[name]));
}

/** Only those whose key both sides have. */
function common({ source, dest }: RenameCandidates): RenameCandidates {
  const [sourceKeys, destKeys] = [valuesOf(source, 'key'), valuesOf(dest, 'key')];
  return {
    source: source.filter(({ key }) => destKeys.has(key)),
    dest: dest.filter(({ key }) => sourceKeys.has(key)),
  };
}

/** Those with a time, with it. */
function timed(work: PassGround, side: Side, candidates: readonly RenameCandidate[]) {
  return findOut(
    work,
    candidates,
    'mod-time',
    async (each): Promise<RenameCandidate | undefined> => {
      const { modTime } = await withModTime(work[side], each.file, work.run.op);
      return modTime === undefined ? undefined : { ...each, modTime };
    },
  );
}

/** Those with a hash, with it in their keys, and the keys before. */
function hashed(work: PassGround, side: Side, candidates: readonly RenameCandidate[]) {
  const name = work.ground.hash ?? 'md5';
  return findOut(work, candidates, 'hash', async (each) => {
    const hash = await hashOf(work[side], each.file, name, work.run.op);
    return hash === undefined
      ? undefined
      : { ...each, key: `${each.key},${hash}`, before: each.key };
  });
}

/** What is found out about many files, in their order; failures are logged with `-vv`. */
async function findOut<T>(
  { run, options }: PassGround,
  candidates: readonly RenameCandidate[],
  lack: 'hash' | 'mod-time',
  ask: (candidate: RenameCandidate) => Promise<T | undefined>,
): Promise<T[]> {
  const found: (T | undefined)[] = [];
  const pool = createTaskPool(options.checkers, 0);
  for (const [at, candidate] of candidates.entries()) {
    if (run.op.signal.aborted) break;
    await pool.add(async () => {
      try {
        found[at] = await ask(candidate);
      } catch (thrown) {
        const fields = { lack, why: toSyncerError(thrown) };
        run.log('debug', candidate.file.path, 'rename-unknown', fields);
      }
    });
  }
  await pool.idle();
  return found.filter((one) => one !== undefined);
}

/** What identifies a renamed file, besides its size (`--track-renames-strategy`). */
export interface RenameStrategy {
  readonly hash: boolean;
  readonly modTime: boolean;
  /** The last part of the path. */
  readonly leaf: boolean;
}

/** A file that may have been renamed. */
export interface RenameCandidate {
  readonly file: FileEntry;
  /** Everything that identifies it except its time: only files of one key can be one file. */
  readonly key: string;
  /** In nanoseconds; 0 if times are ignored. */
  readonly modTime: bigint;
}

/**
 * Pairs files of the source with files of the destination that have the same key and the same time; each file is in
 * one pair at most. Of several candidates, one with the same last name comes first. If the key does not identify the
 * content, nothing is guessed, unlike in rclone: of several candidates none is used, and `ambiguous` counts how many more
 * renames there may be. Pure.
 *
 * @param rules times that differ by less than `windowNs` are equal; `sameContent`: any files of one key may be paired
 */
export function matchRenames(
  sources: readonly RenameCandidate[],
  dests: readonly RenameCandidate[],
  rules: { readonly windowNs: bigint; readonly sameContent: boolean },
) {
  const destsByKey = Map.groupBy(dests, ({ key }) => key);
  const renames: Rename[] = [];
  let ambiguous = 0;
  const take = (from: readonly RenameCandidate[], to: readonly RenameCandidate[]) => {
    const mayPair = rules.sameContent || (from.length === 1 && to.length === 1);
    const found = mayPair ? matchTimes(inOrder(from), inOrder(to), rules.windowNs) : [];
    for (const rename of found) renames.push(rename);
    return found;
  };
  for (const [key, ofKey] of Map.groupBy(sources, (each) => each.key)) {
    for (const [from, to] of clusters(ofKey, destsByKey.get(key) ?? [], rules.windowNs)) {
      const toByLeaf = Map.groupBy(to, leafOf);
      const paired = new Set<FileEntry>();
      for (const [leaf, ofLeaf] of Map.groupBy(from, leafOf)) {
        const found = take(ofLeaf, toByLeaf.get(leaf) ?? []);
        for (const { source, dest } of found) paired.add(source).add(dest);
      }
      const isLeft = ({ file }: RenameCandidate) => !paired.has(file);
      const [fromLeft, toLeft] = [from.filter(isLeft), to.filter(isLeft)];
      const found = take(fromLeft, toLeft);
      if (!rules.sameContent && found.length === 0) {
        ambiguous += Math.min(fromLeft.length, toLeft.length);
      }
    }
  }
  return { renames, ambiguous };
}

const leafOf = ({ file }: RenameCandidate): string => leafName(file.path);

/** Cuts both lists wherever no time of one is within the window of a time of the other. */
function clusters(
  sources: readonly RenameCandidate[],
  dests: readonly RenameCandidate[],
  windowNs: bigint,
): [RenameCandidate[], RenameCandidate[]][] {
  const isSource = new Set(sources);
  const found: [RenameCandidate[], RenameCandidate[]][] = [];
  let last: bigint | undefined;
  for (const candidate of inOrder([...sources, ...dests])) {
    if (last === undefined || candidate.modTime - last >= windowNs) found.push([[], []]);
    last = candidate.modTime;
    found.at(-1)?.[isSource.has(candidate) ? 0 : 1].push(candidate);
  }
  return found;
}

/** Both sorted by time: a file too old for the oldest of the other side is too old for all. */
function matchTimes(
  from: readonly RenameCandidate[],
  to: readonly RenameCandidate[],
  windowNs: bigint,
): Rename[] {
  const renames: Rename[] = [];
  for (let s = 0, d = 0; ; ) {
    const [source, dest] = [from[s], to[d]];
    if (source === undefined || dest === undefined) return renames;
    const lead = dest.modTime - source.modTime;
    if (lead >= windowNs) s++;
    else if (lead <= -windowNs) d++;
    else {
      renames.push({ source: source.file, dest: dest.file });
      s++;
      d++;
    }
  }
}

function inOrder(candidates: readonly RenameCandidate[]): RenameCandidate[] {
  return [...candidates].sort((a, b) => {
    if (a.modTime !== b.modTime) return a.modTime < b.modTime ? -1 : 1;
    return compareNames(a.file.path, b.file.path);
  });
}

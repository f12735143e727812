import { expect } from 'vitest';
import { joinModTime } from '../../src/core/mod-time.ts';
import type { Op, Remote } from '../../src/core/remote.ts';
import { deleteOne } from '../../src/core/remote-calls.ts';
import { contentsOf } from './memory-world.ts';
import { randomFrom } from './random-from.ts';

const op: Op = { signal: new AbortController().signal };
const NAMES = ['f', 'g', 'd', 'e'];
/** Two object stores have a file beside a directory of the same name, which other remotes cannot. */
const apart = (path: string) => path.replace(/[^/]+$/, (leaf) => `${leaf}.txt`);

/** Random numbers below a limit. */
export type Random = (below: number) => number;

/** One of several. */
export const pick = <T>(random: Random, from: readonly T[]) => from[random(from.length)] as T;

/** Where a history of edits and runs takes place. */
export interface HistoryBed {
  readonly sides: readonly [Remote, Remote];
  /** Files and directories get different names: both sides could have both. */
  readonly isApart: boolean;
  /** Whether files may get the same time and size: only identifiers and hashes tell them apart. */
  readonly mayCollide: () => boolean;
  /** Added to each content, so that it takes room; in bytes. */
  readonly padding?: number;
  /** What happened so far, for a history that fails. */
  readonly log: string[];
  /** A run that nothing disturbs. Resolves to its error. */
  quiet(): Promise<unknown>;
  /** A run that is killed, or in which calls fail. */
  disturbed(random: Random): Promise<void>;
}

interface World extends HistoryBed {
  /** Contents that users have written and not deleted or overwritten since. */
  readonly live: Set<string>;
  tick: number;
  collides: boolean;
}

async function filesOf(remote: Remote): Promise<Map<string, string>> {
  const contents = await contentsOf(remote);
  const files = Object.entries(contents).filter(([path]) => !path.endsWith('/'));
  return new Map(files.map(([path, text]) => [path, text.slice(0, text.lastIndexOf('@'))]));
}

async function put(world: World, remote: Remote, path: string, content: string, second: number) {
  const body = Buffer.from(content);
  const modTime = joinModTime(second, 0);
  const rest = { size: body.length, seekable: true, open: async () => body };
  await remote.write({ path, modTime, ...rest }, op);
  world.live.add(content);
}

async function drop(world: World, remote: Remote, path: string, content: string): Promise<void> {
  await deleteOne(remote, { kind: 'file', path, size: content.length }, op);
  world.live.delete(content);
}

/** Empty directories in the way of a file at `path`. */
async function removeEmptyDirs(remote: Remote, path: string): Promise<void> {
  for (;;) {
    const entries = Object.keys(await contentsOf(remote));
    const dir = entries.find((entry) => entry.endsWith('/') && `${entry}`.startsWith(`${path}/`));
    if (dir === undefined) return;
    await remote.deleteDir(dir.slice(0, -1), op);
  }
}

/** A directory gets another name, with all that is in it. */
async function renameDir(remote: Remote, random: Random): Promise<void> {
  const dirs = Object.keys(await contentsOf(remote)).flatMap((path) => {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    return parent === '' ? [] : [parent];
  });
  const dir = pick(random, [...dirs, '']);
  const name = `${pick(random, NAMES)}${random(3)}`;
  if (dir === '' || dir === name || dir.startsWith(`${name}/`)) return;
  if ((await remote.stat(name, op)) !== undefined) return;
  await remote.can.moveDirFrom?.(remote, dir, name, op);
}

/** What a user does on one side between two runs. */
async function edit(world: World, random: Random): Promise<void> {
  const remote = world.sides[random(2)] as Remote;
  const files = await filesOf(remote);
  const some = pick(random, [...files.keys(), '']);
  const name = Array.from({ length: 1 + random(2) }, () => pick(random, NAMES)).join('/');
  const path = world.isApart ? apart(name) : name;
  world.tick++;
  const second = world.collides ? 1000 : 1000 + world.tick;
  const inTheWay = (p: string) =>
    [...files.keys()].filter((other) => other.startsWith(`${p}/`) || p.startsWith(`${other}/`));
  const length = 4 + (world.collides ? 0 : random(3)) + (world.padding ?? 0);
  const content = `c${world.tick}`.padEnd(length, 'x');
  switch (random(7)) {
    case 5:
      return renameDir(remote, random);
    case 0:
      if (some === '') return;
      return drop(world, remote, some, files.get(some) ?? '');
    case 1: {
      // A new name for a file, with its time.
      if (some === '' || files.has(path) || inTheWay(path).length > 0) return;
      const moved = files.get(some) ?? '';
      await removeEmptyDirs(remote, path);
      const entry = { kind: 'file', path: some, size: moved.length } as const;
      await remote.can.moveFrom?.(remote, entry, path, op);
      return;
    }
    default: {
      // Also a file instead of a directory, and the reverse.
      for (const other of inTheWay(path)) await drop(world, remote, other, files.get(other) ?? '');
      const old = files.get(path);
      if (old !== undefined) world.live.delete(old);
      await removeEmptyDirs(remote, path);
      return put(world, remote, path, content, second);
    }
  }
}

/**
 * Plays a random history on both sides: edits, and runs in between, some of them disturbed. After each run no content
 * may be lost that somebody wrote and nobody deleted or replaced; after quiet runs both sides are equal.
 */
export async function playHistory(
  seed: number,
  rounds: number,
  makeBed: (random: Random) => Promise<HistoryBed>,
): Promise<void> {
  const random = randomFrom(seed);
  const bed = await makeBed(random);
  const { sides, log } = bed;
  const world: World = { ...bed, live: new Set(), tick: 0, collides: false };
  const shown = () => `seed ${seed}\n${log.join('\n')}`;
  const check = async (when: string) => {
    const [a, b] = [await filesOf(sides[0]), await filesOf(sides[1])];
    const there = new Set([...a.values(), ...b.values()]);
    const lost = [...world.live].filter((content) => !there.has(content));
    expect(lost, `${when}: lost, ${shown()}`).toEqual([]);
    return [a, b] as const;
  };
  for (let round = 0; round < rounds; round++) {
    log.push(`--- round ${round}`);
    world.collides = seed % 2 === 0 && bed.mayCollide();
    for (let n = random(6); n > 0; n--) await edit(world, random);
    for (const side of [0, 1] as const) {
      const files = await filesOf(sides[side]);
      const texts = [...files].map(([path, text]) => `${path}=${text.slice(0, 12)}`);
      log.push(`${'ab'[side]}: ${texts.join(' ')}`);
    }
    if (random(2) === 0) {
      await bed.disturbed(random);
      await check('after a disturbed run');
    }
  }
  log.push('--- quiet');
  for (let n = 0; n < 3; n++) {
    const error = await bed.quiet();
    if (n > 0) expect(error, shown()).toBeUndefined();
    await check('after a quiet run');
  }
  const [a, b] = await check('at the end');
  expect(Object.fromEntries(b), shown()).toEqual(Object.fromEntries(a));
  const before = log.length;
  await bed.quiet();
  expect(log.slice(before), shown()).toEqual([]);
}

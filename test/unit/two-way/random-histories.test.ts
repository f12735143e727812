import { expect, test } from 'vitest';
import type { MemoryOptions } from '../../../src/backends/memory/memory-options.ts';
import { around } from '../../../src/core/around.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import { joinModTime } from '../../../src/core/mod-time.ts';
import type { Op, Remote } from '../../../src/core/remote.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import type { Archive } from '../../../src/two-way/archive.ts';
import { archiveLines, parseArchive } from '../../../src/two-way/archive.ts';
import { attemptTwoWay, type TwoWayPlan } from '../../../src/two-way/sync-two-way.ts';
import { contentsOf, plainOptions, quietContext, remoteWith } from '../../support/memory-world.ts';
import { randomFrom } from '../../support/random-from.ts';

const op: Op = { signal: new AbortController().signal };
const roots = ['a', 'b'] as const;
const NOTHING: Archive = { roots, endedMs: 0, files: new Map(), dirs: new Set() };
const RULES = ['none', 'newer', 'older', 'larger', 'smaller', 'path1', 'path2'] as const;
const NAMES = ['f', 'g', 'd', 'e'];
/** Two object stores have a file beside a directory of the same name, which the remotes of this test cannot. */
const apart = (path: string) => path.replace(/[^/]+$/, (leaf) => `${leaf}.txt`);

/** Contents that users have written and not deleted or overwritten since. */
type Live = Set<string>;

type Random = (below: number) => number;
const pick = <T>(random: Random, from: readonly T[]) => from[random(from.length)] as T;

interface World {
  readonly sides: readonly [Remote, Remote];
  readonly live: Live;
  tick: number;
  /** Files and directories have different names. */
  readonly isApart: boolean;
  /** All files that are written have the same time and size: only identifiers and hashes tell them apart. */
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
  await remote.delete({ kind: 'file', path, size: content.length }, op);
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
  const length = 4 + (world.collides ? 0 : random(3));
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

/** Every call fails now and then, or all of them from one on, as if the process had been killed. */
function faulty(remote: Remote, fails: () => boolean): Remote {
  const guarded =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (fails()) throw new SyncerError('server', 'planted');
      const result = await call(...args);
      if (fails()) throw new SyncerError('server', 'the response was lost');
      return result;
    };
  return around(remote, {
    listPage: guarded(async (dir, cursor, op) => {
      const page = await remote.listPage(dir, cursor, op);
      if (!fails()) return page;
      // An entry that cannot be examined.
      const [bad, ...entries] = page.entries;
      if (bad === undefined) return page;
      const error = new SyncerError('access-denied', 'planted');
      const kind = bad.kind === 'dir' ? { kind: bad.kind } : {};
      return { ...page, entries, failed: [{ path: bad.path, ...kind, error }] };
    }),
    stat: guarded((path, op) => remote.stat(path, op)),
    read: guarded((file, range, op) => remote.read(file, range, op)),
    write: guarded((source, op) => remote.write(source, op)),
    delete: guarded((file, op) => remote.delete(file, op)),
    makeDir: guarded((dir, op) => remote.makeDir(dir, op)),
    deleteDir: guarded((dir, op) => remote.deleteDir(dir, op)),
    can: Object.fromEntries(
      Object.entries(remote.can).map(([name, call]) => [
        name,
        typeof call === 'function'
          ? guarded(call.bind(remote.can) as (...args: unknown[]) => Promise<unknown>)
          : call,
      ]),
    ),
  });
}

async function history(seed: number, kinds: readonly [MemoryOptions, MemoryOptions]) {
  const random = randomFrom(seed);
  const sides = [await remoteWith({}, kinds[0]), await remoteWith({}, kinds[1])] as const;
  const isApart = kinds.every(({ emptyDirs }) => emptyDirs === false);
  const world: World = { sides, live: new Set(), tick: 0, isApart, collides: false };
  const hasIds = kinds.every(({ ids }) => ids === true);
  const rule = pick(random, RULES);
  const loser = pick(random, ['date', 'num', 'pathname'] as const);
  let archive = NOTHING;
  const log: string[] = [];
  const run = async (a: Remote, b: Remote, isSaved: boolean) => {
    const plan: TwoWayPlan = {
      ...{ a, b, archive },
      options: { a: plainOptions, b: plainOptions },
      rules: { a: { size: true, modTime: true }, b: { size: true, modTime: true } },
      conflict: {
        ...{ rule, loser },
        naming: { suffix: { a: 'conflict', b: 'conflict' }, keepExtension: false },
      },
      surprises: { force: true, maxDeletePercent: 50 },
      removesEmptyDirs: false,
    };
    const { context, logLines } = quietContext();
    const attempt = await attemptTwoWay({ context, filter: passAllFilter }, plan);
    log.push(...logLines().filter((line) => !line.startsWith('debug')));
    if (attempt.archive !== undefined && isSaved) {
      archive = parseArchive([...archiveLines(attempt.archive)].join(''), roots);
    }
    return attempt;
  };
  const check = async (when: string) => {
    const [a, b] = [await filesOf(sides[0]), await filesOf(sides[1])];
    const there = new Set([...a.values(), ...b.values()]);
    const lost = [...world.live].filter((content) => !there.has(content));
    expect(lost, `seed ${seed}, ${when}: lost\n${log.join('\n')}`).toEqual([]);
    return [a, b] as const;
  };
  for (let round = 0; round < 6; round++) {
    log.push(`--- round ${round}`);
    // A first run believes size and time, as `sync` does.
    world.collides = seed % 2 === 0 && hasIds && archive.endedMs > 0;
    for (let n = random(6); n > 0; n--) await edit(world, random);
    for (const side of [0, 1] as const) {
      const files = await filesOf(sides[side]);
      log.push(`${'ab'[side]}: ${[...files].map(([p, c]) => `${p}=${c}`).join(' ')}`);
    }
    const isFaulty = random(2) === 0;
    if (isFaulty) {
      let calls = random(40);
      const isKill = random(2) === 0;
      const fails = () => (isKill ? calls-- <= 0 : random(12) === 0);
      log.push(isKill ? 'killed' : 'faults');
      await run(faulty(sides[0], fails), faulty(sides[1], fails), !isKill);
      await check('after a run with faults');
    }
  }
  log.push('--- quiet');
  for (let n = 0; n < 3; n++) {
    const attempt = await run(...sides, true);
    if (n > 0) expect(attempt.error, `seed ${seed}\n${log.join('\n')}`).toBeUndefined();
    await check('after a quiet run');
  }
  const [a, b] = await check('at the end');
  expect(Object.fromEntries(b), `seed ${seed}\n${log.join('\n')}`).toEqual(Object.fromEntries(a));
  const before = log.length;
  await run(...sides, true);
  expect(log.slice(before), `seed ${seed}\n${log.join('\n')}`).toEqual([]);
}

const DISK: MemoryOptions = { slowHash: true, pageSize: 2, ids: true };
const BUCKET: MemoryOptions = { emptyDirs: false, slowModTime: true, hashes: ['md5'] };
const DRIVE: MemoryOptions = { ids: true, modTimePrecision: 1_000_000_000n, hashes: ['quickxor'] };

test.each([
  ['two disks', [DISK, DISK]],
  ['a disk and a bucket', [DISK, BUCKET]],
  ['a bucket and a drive', [BUCKET, DRIVE]],
  ['a drive and a disk', [DRIVE, DISK]],
  ['two buckets', [BUCKET, BUCKET]],
  ['disks that ignore case', [{ ...DISK, caseInsensitive: true }, DISK]],
] as const)('no content is lost: %s', async (_, kinds) => {
  for (let seed = 1; seed <= Number(process.env['SEEDS'] ?? 25); seed++) await history(seed, kinds);
});

import { chmod, lutimes, mkdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Tree, writeTree } from '../../../support/file-tree.ts';
import { ALL, someOf } from '../../../support/in-part.ts';
import { randomFrom } from '../../../support/random-from.ts';
import {
  makeUndoWorld,
  UNDO_STORAGES,
  type UndoPlace,
  type UndoStorage,
} from '../../../support/undo-world.ts';

type Random = (below: number) => number;
const pick = <T>(random: Random, from: readonly T[]) => from[random(from.length)] as T;

/** Most are in both trees; `x` and `ö` are files in one and directories in another. */
const PATHS = [
  ...['a', 'b', 'c.txt', 'x', 'x/y', 'x/z/w', 'd/a', 'd/b c', 'd/e/f', 'd/e/g/h', 'ö', 'ö/ä'],
  ...[
    'Näme',
    ' lead',
    'k, l;m/"q"',
    'p%41/q+r',
    '~t',
    'g/h',
    'g/i/j',
    '日本/語',
    '.hidden',
    'full．',
  ],
];
const DIRS = ['empty/', 'd/none/', 'x/z/v/', 'm/n/o/', 'g/'];

interface TreeKinds {
  readonly links: boolean;
  readonly modes: boolean;
}

/** Writes a random tree, with times for all of it. */
async function plant(root: string, random: Random, second: number, kinds: TreeKinds) {
  const tree: Record<string, Tree[string]> = {};
  const taken = (path: string) =>
    Object.keys(tree).some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
  const all = [...PATHS, ...DIRS];
  for (let left = all.length; left > 0; left--) {
    const [path = ''] = all.splice(random(all.length), 1);
    if (random(10) < 5 || taken(path.replace(/\/$/, ''))) continue;
    if (path.endsWith('/')) tree[path] = '';
    else if (kinds.links && random(8) === 0) tree[path] = `-> ${pick(random, ['a', 'd', 'none'])}`;
    // Some have the content that they, or others, have in the other tree.
    else tree[path] = ['x'.repeat(random(12)) + String(random(3)), second + random(3)];
  }
  await writeTree(root, tree);
  const dirs = new Set(['']);
  for (const [path, file] of Object.entries(tree)) {
    const parts = path.split('/').slice(0, -1);
    for (const at of parts.keys()) dirs.add(parts.slice(0, at + 1).join('/'));
    const full = join(root, path);
    if (typeof file === 'string' && file.startsWith('-> ')) await lutimes(full, second, second);
    // The same in both trees: a move of an identical file keeps the mode of the other one.
    else if (kinds.modes && path.length % 2 === 0)
      await chmod(full, path.endsWith('/') ? 0o750 : ([0o600, 0o755, 0o444][path.length % 3] ?? 0));
  }
  for (const dir of [...dirs].sort().reverse()) {
    const time = second + random(1000) / 8;
    await utimes(join(root, dir), time, time);
  }
}

/** A run that changes something, and keeps what it deletes and replaces. */
function randomRun(random: Random, storage: UndoStorage, { dir, at, beside }: UndoPlace) {
  const some = (...flags: readonly string[]) => (random(3) === 0 ? [pick(random, flags)] : []);
  const needsTrash = storage !== 'S3 with versions';
  const trash = needsTrash || random(2) === 0 ? ['--trash'] : [];
  const backup = [`--backup-dir=${beside}`, ...trash, ...some('--suffix=.old')];
  const keeping = random(4) === 0 ? backup : trash;
  const local = storage === 'local' ? some('--links', '-M') : some('-M');
  const comparing = some('--checksum', '--size-only', '--ignore-times', '--update', '-I');
  const dirs = some('--create-empty-src-dirs', '--no-update-dir-modtime');
  const filter = some('--exclude=d/**', '--include=*a*', '--max-size=6b', '--exclude=x');
  const path = pick(random, [...PATHS, 'd', 'x', 'g', 'new/name', 'd/e']);
  // A copy of a directory would be a root that the run creates.
  const file = pick(random, ['a', 'b', 'c.txt', 'd/a', 'd/e/f', 'g/h', '~t', 'Näme']);
  const leaf = pick(random, ['a', 'x', 'ö', 'd', 'k', 'Näme', '.new']);
  const source = join(dir, 'new');
  const transfer = [...keeping, ...local, ...comparing, ...dirs, ...filter];
  switch (random(16)) {
    case 0:
      return ['copy', source, at, ...transfer];
    case 1:
      return ['move', source, at, ...transfer, ...some('--delete-empty-src-dirs')];
    case 2:
      return ['delete', at, ...trash, ...filter, ...some('--rmdirs')];
    case 3:
      return ['purge', at, ...trash];
    case 4:
      return ['moveto', `${at}/${file}`, `${at}/${leaf}`, ...trash];
    case 5:
      return ['copyto', `${at}/${file}`, `${at}/${leaf}`, ...trash];
    case 6:
      return ['touch', at, '-R', '-t', '2026-01-31T12:00:00', ...filter];
    case 7:
      return ['touch', `${at}/${leaf}`, '-t', '2026-01-31T12:00:00'];
    case 8:
      return ['rmdirs', at, ...some('--leave-root')];
    case 9:
      return [
        'convmv',
        at,
        '--name-transform',
        pick(random, ['uppercase', 'all,prefix=p-']),
        ...trash,
      ];
    case 10:
      return [pick(random, ['sync', 'move', 'copy']), at, beside, ...trash, ...local, ...filter];
    case 11:
      return ['deletefile', `${at}/${path}`, ...trash];
    default: {
      const when = some('--delete-before', '--delete-during', '--delete-excluded');
      const renames = ['--track-renames', ...some('--track-renames-strategy=modtime,leaf')];
      const more = [...when, ...(random(2) === 0 ? renames : [])];
      return ['sync', source, at, ...transfer, ...more];
    }
  }
}

/** The lines that only one of two states has. */
function difference(now: readonly string[], then: readonly string[]): readonly string[] {
  const [is, was] = [new Set(now), new Set(then)];
  const [more, less] = [now.filter((one) => !was.has(one)), then.filter((one) => !is.has(one))];
  return [...more.map((line) => `now:  ${line}`), ...less.map((line) => `then: ${line}`)];
}

async function trial(storage: UndoStorage, seed: number, place: UndoPlace): Promise<void> {
  const random = randomFrom(seed);
  const runs = Array.from({ length: 1 + random(2) }, () => randomRun(random, storage, place));
  // A file that was moved gets back the metadata that the other place has.
  const isMoved = runs.some(([verb]) => verb === 'move');
  const kinds = { links: storage === 'local', modes: !isMoved && random(2) === 0 };
  const isLocal = storage === 'local';
  for (const [name, spec, second] of [
    ['old', place.at, 1_500_000_000],
    ['other', place.beside, 1_400_000_000],
  ] as const) {
    // The trash of an undo stays in a root that the run created.
    if (name === 'other' && random(2) === 0) {
      await place.run('mkdir', spec, '--no-history');
      continue;
    }
    if (isLocal) await plant(spec, random, second, kinds);
    else {
      await plant(join(place.dir, name), random, second, kinds);
      const flags = ['--create-empty-src-dirs', '--no-history', '-M'];
      const { code, stderr } = await place.run('copy', join(place.dir, name), spec, ...flags);
      expect(code, stderr).toBe(0);
    }
  }
  await mkdir(join(place.dir, 'new'));
  await plant(join(place.dir, 'new'), random, 1_600_000_000, kinds);
  const states = [await place.held()];
  const log: string[] = [];
  const undo: string[] = [];
  const fail = (why: string) => `${storage}, seed ${seed}: ${why}\n${log.join('\n')}`;
  for (const words of runs) {
    const { id, code, stderr } = await place.change(...words);
    log.push(`${words.join(' ')}: ${code}, ${id}\n${stderr}`);
    if (id === undefined) continue;
    undo.push(id);
    states.push(await place.held());
    if (SHOW !== undefined)
      log.push(difference(states.at(-1) ?? [], states.at(-2) ?? []).join('\n'));
  }
  const redo: string[] = [];
  const step = async (id: string, what: string, state: readonly string[] | undefined) => {
    const ended = await place.change('undo', id);
    log.push(`${what} ${id}: ${ended.code}\n${ended.stderr}`);
    if (SHOW !== undefined) log.push((await place.run('history', id)).stdout);
    const lines = difference(await place.held(), state ?? []);
    if (lines.length > 0) log.push(...lines);
    expect(lines.length, fail(`${what} restored`)).toBe(0);
    expect(ended.code, fail(`${what} ended so`)).toBe(0);
    return ended.id;
  };
  for (const [index, id] of [...undo.entries()].reverse()) {
    const own = await step(id, 'undo', states[index]);
    if (own !== undefined) redo.unshift(own);
  }
  if (redo.length < undo.length) return;
  const again: string[] = [];
  for (const [index, id] of redo.entries()) {
    const own = await step(id, 'redo', states[index + 1]);
    if (own !== undefined) again.unshift(own);
  }
  for (const [index, id] of again.entries())
    await step(id, 'undo of redo', states[states.length - 2 - index]);
}

/** Trials that once failed, beside the first ones. */
const FOUND: Readonly<Partial<Record<UndoStorage, readonly number[]>>> = {
  local: [939],
  'S3 without versions': [29, 32],
  'S3 with versions': [160, 197],
  'personal drive': [114],
  'business drive': [114],
};

/**
 * Environment: SEEDS trials on each storage, from SEED; STORAGE, a part of its name; SHOW, to include the changes of
 * the runs in the report of a failure.
 */
const { SEEDS = '1', SEED, STORAGE = '', SHOW } = process.env;

function seedsOf(storage: UndoStorage): readonly number[] {
  const asked = Array.from({ length: Number(SEEDS) }, (_, index) => Number(SEED ?? '1') + index);
  const found = ALL ? (FOUND[storage] ?? []) : [];
  return SEED === undefined ? [...asked, ...found] : asked;
}

const STORAGES = UNDO_STORAGES.filter((name) => name.includes(STORAGE));

test.each(someOf(STORAGES, 3))(
  '%s: random runs are undone, redone and undone',
  async (storage) => {
    const world = await makeUndoWorld(storage);
    const failures: unknown[] = [];
    try {
      for (const seed of seedsOf(storage)) {
        const place = await world.place();
        await trial(storage, seed, place).catch((thrown) => failures.push(thrown));
        await place.remove();
      }
    } finally {
      await world.stop();
    }
    expect(failures.map(String).join('\n\n')).toBe('');
  },
  3_600_000,
);

import { execFileSync } from 'node:child_process';
import { cp, link, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { someOf } from '../support/in-part.ts';
import { canMount } from '../support/mount-disk.ts';
import { runInProcess } from '../support/run-in-process.ts';

const TREE: Tree = { a: 'one', 'p/b': 'two', 'p/deep/c': 'three', 'p/a': 'four' };

let base: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'syncer-test-place-'));
});
afterAll(async () => {
  await rm(base, { recursive: true, force: true });
});

const mounted: string[] = [];
afterEach(() => {
  for (const point of mounted.splice(0).reverse()) execFileSync('umount', ['-l', point]);
});

async function bind(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  execFileSync('mount', ['--bind', from, to]);
  mounted.push(to);
}

let made = 0;

/** A folder of its own with a tree in `d`. */
async function newFolder(tree = TREE): Promise<string> {
  const dir = join(base, String(++made));
  await writeTree(join(dir, 'd'), tree);
  return dir;
}

async function run(line: readonly string[], more: NodeJS.ProcessEnv = {}) {
  return runInProcess([...line, '--retries', '1'], {
    PATH: process.env['PATH'],
    HOME: base,
    SYNCER_CONFIG: join(base, 'syncer.conf'),
    ...more,
  });
}

/** The same without flags that need a rename, and with those that make it look closer or not at all. */
const FLAGS: readonly (readonly string[])[] = [
  [],
  ['--checksum'],
  ['--no-traverse'],
  ['--no-check-dest'],
  ['--delete-empty-src-dirs'],
  ['--ignore-times'],
  ['--disable', 'Move,Copy,DirMove'],
  ['--disable', 'Move,Copy,DirMove', '--ignore-times'],
  ['--fast-list'],
];

type Way = (dir: string) => Promise<readonly [source: string, dest: string]>;

const LOCAL: Readonly<Record<string, Way>> = {
  'a link as source': async (dir) => {
    await symlink(join(dir, 'd'), join(dir, 'l'));
    return [join(dir, 'l'), join(dir, 'd')];
  },
  'a link as destination': async (dir) => {
    await symlink(join(dir, 'd'), join(dir, 'l'));
    return [join(dir, 'd'), join(dir, 'l')];
  },
  'two links': async (dir) => {
    await symlink(join(dir, 'd'), join(dir, 'l'));
    await symlink('l', join(dir, 'm'));
    return [join(dir, 'm'), join(dir, 'l')];
  },
  'a parent that is a link': async (dir) => {
    await symlink(dir, join(dir, 'up'));
    return [join(dir, 'up/d'), join(dir, 'd')];
  },
  'a folder in it, by a link': async (dir) => {
    await symlink(join(dir, 'd'), join(dir, 'l'));
    return [join(dir, 'l/p'), join(dir, 'd/p')];
  },
  'a directory of this process': async (dir) => {
    return [`/proc/self/root${dir}/d`, join(dir, 'd')];
  },
};

const BOUND: Readonly<Record<string, Way>> = {
  'a bind mount': async (dir) => {
    await bind(join(dir, 'd'), join(dir, 'm'));
    return [join(dir, 'm'), join(dir, 'd')];
  },
  'a bind mount of the parent': async (dir) => {
    await mkdir(join(base, 'up'), { recursive: true });
    await bind(dir, join(base, 'up'));
    return [join(base, 'up/d'), join(dir, 'd')];
  },
  'a bind mount of a bind mount': async (dir) => {
    await bind(join(dir, 'd'), join(dir, 'm'));
    await bind(join(dir, 'm'), join(dir, 'n'));
    return [join(dir, 'd'), join(dir, 'n')];
  },
};

describe.each([
  ...Object.entries(LOCAL).map(([name, way]) => [name, way, true] as const),
  ...Object.entries(BOUND).map(([name, way]) => [name, way, canMount] as const),
])('a move onto itself by %s', (_, way, isPossible) => {
  it.skipIf(!isPossible).each(someOf(FLAGS, 2).map((flags) => [flags.join(' '), flags] as const))(
    'leaves everything there: %s',
    async (_name, flags) => {
      const dir = await newFolder();
      const before = await readTree(join(dir, 'd'));
      const [source, dest] = await way(dir);
      for (const command of flags.includes('--delete-empty-src-dirs')
        ? ['move']
        : ['move', 'moveto']) {
        const { code } = await run([command, source, dest, ...flags]);
        expect([command, code]).toEqual([command, 0]);
        expect(await readTree(join(dir, 'd'))).toEqual(before);
      }
      const synced = await run(['sync', source, dest, ...flags]);
      expect(synced.code).not.toBe(0);
      expect(await readTree(join(dir, 'd'))).toEqual(before);
    },
  );
});

describe('a move where only a part is one place', () => {
  it.each(['', '--ignore-times', '--no-check-dest', '--no-traverse'])(
    'leaves a folder below that is a link to the source: %s',
    async (flag) => {
      const dir = await newFolder();
      await mkdir(join(dir, 'e'));
      await symlink(join(dir, 'd/p'), join(dir, 'e/p'));
      const flags = flag === '' ? [] : [flag];
      const { code, stderr } = await run([
        ...['move', join(dir, 'd'), join(dir, 'e'), '--copy-links', '--disable', 'Move,Copy'],
        ...flags,
      ]);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(await readTree(join(dir, 'd/p'))).toEqual(
        expect.objectContaining({ b: 'two@1000000000', 'deep/c': 'three@1000000000' }),
      );
      expect(stderr).toContain('same file as the destination');
    },
  );

  it.each(['move', 'moveto'])('leaves one file that is a link: %s', async (command) => {
    const dir = await newFolder();
    await mkdir(join(dir, 'e'));
    await symlink(join(dir, 'd/a'), join(dir, 'e/a'));
    const to = command === 'move' ? join(dir, 'e') : join(dir, 'e/a');
    for (const flags of [[], ['--disable', 'Move'], ['--disable', 'Move', '--ignore-times']]) {
      await run([command, join(dir, 'd/a'), to, '--copy-links', ...flags]);
      await run([command, join(dir, 'e/a'), join(dir, 'd'), '--copy-links', ...flags]);
      expect(await readTree(join(dir, 'd'))).toMatchObject({ a: 'one@1000000000' });
    }
  });

  it.skipIf(!canMount).each(['', '--ignore-times'])(
    'leaves a folder below that is a bind mount: %s',
    async (flag) => {
      const dir = await newFolder();
      await bind(join(dir, 'd/p'), join(dir, 'e/p'));
      const flags = flag === '' ? [] : [flag];
      expect(await run(['move', join(dir, 'd'), join(dir, 'e'), ...flags])).toMatchObject({
        code: 0,
      });
      expect(await readTree(join(dir, 'd/p'))).toMatchObject({ b: 'two@1000000000' });
      expect(await readTree(join(dir, 'e'))).toMatchObject({ a: 'one@1000000000' });
    },
  );

  it.each([[], ['--delete-before'], ['--copy-links']])(
    'never deletes the source by a way that leads into it: sync %s',
    async (...flags) => {
      const dir = await newFolder();
      await mkdir(join(dir, 'e'));
      await symlink(join(dir, 'd'), join(dir, 'e/other'));
      const before = await readTree(join(dir, 'd'));
      await run(['sync', join(dir, 'd'), join(dir, 'e'), ...flags]);
      expect(await readTree(join(dir, 'd'))).toEqual(before);
    },
  );

  it.skipIf(!canMount).each([[], ['--delete-before'], ['--backup-dir']])(
    'never deletes the source by a mount that leads into it: sync %s',
    async (...flags) => {
      const dir = await newFolder();
      await bind(join(dir, 'd/p'), join(dir, 'e/other'));
      const before = await readTree(join(dir, 'd'));
      const more = flags[0] === '--backup-dir' ? [join(dir, 'old')] : [];
      await run(['sync', join(dir, 'd'), join(dir, 'e'), ...flags, ...more]);
      expect(await readTree(join(dir, 'd'))).toEqual(before);
    },
  );
});

describe('roots that lie one in the other', () => {
  it.each(['sync', 'move'])('are refused by any name: %s', async (command) => {
    const dir = await newFolder();
    await symlink(dir, join(dir, 'up'));
    const before = await readTree(join(dir, 'd'));
    for (const [source, dest] of [
      ['d', 'up/d/sub/new'],
      ['d', 'up/d/p'],
      ['up/d/p', 'd'],
      ['d/p', 'up/d'],
    ] as const) {
      const ended = await run([command, join(dir, source), join(dir, dest)]);
      expect([source, dest, ended.code]).toEqual([source, dest, 7]);
      expect(ended.stderr).toContain('overlapping');
    }
    expect(await readTree(join(dir, 'd'))).toEqual(before);
  });

  it.skipIf(!canMount)('are seen through bind mounts, both ways', async () => {
    const dir = await newFolder();
    await bind(join(dir, 'd/p'), join(dir, 'm'));
    const before = await readTree(join(dir, 'd'));
    for (const [source, dest] of [
      ['d', 'm'],
      ['d', 'm/x'],
      ['m', 'd'],
      ['m/deep', 'd'],
    ] as const) {
      const ended = await run(['sync', join(dir, source), join(dir, dest)]);
      expect([source, dest, ended.code]).toEqual([source, dest, 7]);
    }
    expect(await readTree(join(dir, 'd'))).toEqual(before);
  });

  it('may be where a filter keeps the run out of the inner one', async () => {
    const dir = await newFolder();
    await symlink(dir, join(dir, 'up'));
    const line = ['move', join(dir, 'd'), join(dir, 'up/d/sub'), '--exclude', '/sub/**'];
    expect(await run(line)).toMatchObject({ code: 0 });
    expect(await readTree(join(dir, 'd'))).toMatchObject({ 'sub/a': 'one@1000000000' });
  });
});

describe('--backup-dir', () => {
  it.each(['dst', 'src', 'dst/in', 'new'])(
    'that is %s by another name is refused',
    async (where) => {
      const dir = await newFolder({});
      await writeTree(join(dir, 'src'), { a: 'new', b: 'b' });
      await writeTree(join(dir, 'dst'), { a: ['old', 5], surplus: 'x', 'in/f': 'f' });
      await symlink(dir, join(dir, 'l'));
      const dest = where === 'new' ? 'new' : 'dst';
      const ended = await run([
        ...['sync', join(dir, 'src'), join(dir, dest), '--backup-dir', join(dir, 'l', where)],
      ]);
      expect(ended.code).toBe(7);
      expect(ended.stderr).toContain("mustn't overlap");
      expect(await readTree(join(dir, 'dst'))).toMatchObject({ a: 'old@5' });
    },
  );

  it.each(['copyto', 'moveto'])('takes no place of the one file of a %s', async (verb) => {
    const dir = await newFolder({});
    const files = { 'src/a.old': 'new', 'dst/a': ['old', 5] } as const;
    await writeTree(dir, files);
    await symlink(join(dir, 'src'), join(dir, 'l'));
    if (canMount) await bind(join(dir, 'src'), join(dir, 'm'));
    for (const to of ['src', 'l', ...(canMount ? ['m'] : [])]) {
      const line = [verb, join(dir, 'src/a.old'), join(dir, 'dst/a'), '--suffix', '.old'];
      const ended = await run([...line, '--backup-dir', join(dir, to)]);
      expect(ended.code).toBe(7);
      expect(ended.stderr).toContain('"a.old" would replace a file of the source');
      expect(await readTree(join(dir, 'src'))).toEqual({ 'a.old': 'new@1000000000' });
      expect(await readTree(join(dir, 'dst'))).toEqual({ a: 'old@5' });
    }
  });

  it.each([
    ['a link', 'copy', ['--copy-links']],
    ['a link', 'sync', ['--copy-links', '--ignore-existing']],
    ['a mount', 'copy', []],
    ['a mount', 'sync', ['--ignore-existing']],
  ])('with %s into the source is refused: %s', async (what, verb, flags) => {
    if (what === 'a mount' && !canMount) return;
    for (const suffix of [[], ['--suffix', '.old']]) {
      const dir = await newFolder({});
      const files = { 'd/a': 'new', 'd/a.old': 'other', 'd/b.old': 'third' };
      await writeTree(join(dir, 'src'), files);
      await writeTree(join(dir, 'dst'), { ...files, 'd/a': ['old', 5], 'd/b': 'extra' });
      await mkdir(join(dir, 'bak'));
      await (what === 'a link' ? symlink : bind)(join(dir, 'src/d'), join(dir, 'bak/d'));
      const before = await readTree(join(dir, 'src'));
      const line = [verb, join(dir, 'src'), join(dir, 'dst'), '--backup-dir', join(dir, 'bak')];
      const ended = await run([...line, ...flags, ...suffix]);
      expect(ended.code).toBe(7);
      expect(ended.stderr).toContain('would replace a file of the source');
      expect(await readTree(join(dir, 'src'))).toEqual(before);
    }
  });

  it('beside the destination is fine, and so is a suffix within it by another name', async () => {
    const dir = await newFolder({});
    await writeTree(join(dir, 'src'), { a: 'new' });
    await writeTree(join(dir, 'dst'), { a: ['old', 5], surplus: 'x' });
    await symlink(dir, join(dir, 'l'));
    const to = join(dir, 'l/dst-old');
    const line = ['sync', join(dir, 'src'), join(dir, 'dst'), '--backup-dir', to];
    expect(await run(line)).toMatchObject({ code: 0 });
    expect(await readTree(to)).toMatchObject({ a: 'old@5', surplus: 'x@1000000000' });
  });
});

it('hard links are two files: the source goes, the destination stays', async () => {
  for (const flags of [[], ['--ignore-times'], ['--disable', 'Move'], ['--copy-links']]) {
    const dir = await newFolder();
    await cp(join(dir, 'd'), join(dir, 'e'), { recursive: true });
    await rm(join(dir, 'e/a'));
    await link(join(dir, 'd/a'), join(dir, 'e/a'));
    const line = ['moveto', join(dir, 'd/a'), join(dir, 'e/a'), ...flags];
    expect(await run(line)).toMatchObject({ code: 0 });
    expect(await readTree(join(dir, 'e'))).toMatchObject({ a: 'one@1000000000' });
    expect(await readTree(join(dir, 'd'))).not.toHaveProperty('a');
  }
});

describe('a file that has its new name already, as a hard link, loses the old one', () => {
  /** `f` is also `bak/f`, `bak/kept`, `f.old` and `e/f`; @ stands for the directory. */
  it.each([
    'sync @/new @/d --backup-dir @/bak',
    'sync @/new @/d --backup-dir @/bak --delete-before',
    'sync @/new @/d --backup-dir @/bak --delete-during',
    'sync @/new @/d --suffix .old --include f',
    'move @/d @/e -I',
    'move @/d @/e --no-check-dest',
    'move @/d @/e -I --backup-dir @/other',
    'moveto @/d/f @/d/f.old -I',
    'moveto @/d/f @/bak/kept --no-check-dest',
    'move @/d @/e -I --trash',
    'move @/d @/e -I --copy-links',
    'move @/d @/e --inplace -I',
  ])('%s', async (line) => {
    const dir = await newFolder({ f: 'one' });
    await writeTree(dir, { 'new/k': 'k', 'bak/': '', 'e/': '' });
    for (const name of ['bak/f', 'bak/kept', 'd/f.old', 'e/f'])
      await link(join(dir, 'd/f'), join(dir, name));
    const words = line.replaceAll('@', dir).split(' ');
    expect(await run(words)).toMatchObject({ code: 0 });
    const left = await readTree(dir);
    expect(left).not.toHaveProperty(['d/f']);
    expect(left).toMatchObject({ 'bak/f': 'one@1000000000', 'bak/kept': 'one@1000000000' });
  });

  it('the trash restores a file onto a hard link of it', async () => {
    const dir = await newFolder({ f: 'one' });
    expect(await run(['delete', join(dir, 'd'), '--trash'])).toMatchObject({ code: 0 });
    const kept = Object.keys((await readTree(join(dir, 'd'))) ?? {}).find((p) => p.endsWith('/f'));
    await link(join(dir, 'd', kept ?? ''), join(dir, 'd/f'));
    const ended = await run(['trash', 'restore', join(dir, 'd')]);
    expect(await readTree(join(dir, 'd'))).toMatchObject({ f: 'one@1000000000' });
    expect(ended.code).toBe(0);
  });
});

it('a path by .. of a link is what it says, as in rclone', async () => {
  const dir = await newFolder();
  await symlink(join(dir, 'd/p'), join(dir, 'l'));
  const line = ['sync', join(dir, 'd'), `${dir}/l/../e`];
  expect(await run(line)).toMatchObject({ code: 0 });
  expect(await readTree(join(dir, 'e'))).toEqual(await readTree(join(dir, 'd')));
});

describe.skipIf(!canMount)('dedupe of a directory with an overlay in it', () => {
  const dedupe = (dir: string) => run(['dedupe', '--by-hash', '--dedupe-mode', 'first', dir]);

  /** Mounts an overlay that shows `d`; `false` if the disk cannot be a layer. */
  async function showAgain(dir: string, at: string): Promise<boolean> {
    const [low, work, shown] = [join(dir, 'low'), join(dir, 'work'), join(dir, at)] as const;
    for (const each of [low, work, shown]) await mkdir(each, { recursive: true });
    const layers = `lowerdir=${low},upperdir=${join(dir, 'd')},workdir=${work}`;
    try {
      execFileSync('mount', ['-t', 'overlay', 'none', '-o', layers, shown], { stdio: 'pipe' });
    } catch {
      return false;
    }
    mounted.push(shown);
    return true;
  }

  it('deletes nothing that is shown twice', async (context) => {
    const dir = await newFolder();
    if (!(await showAgain(dir, 'o'))) return context.skip();
    const before = await readTree(join(dir, 'd'));
    const ended = await dedupe(dir);
    expect([ended.code, ended.stderr]).toEqual([7, expect.stringContaining('under two names')]);
    expect(await readTree(join(dir, 'd'))).toEqual(before);
  });

  it('deletes copies in other directories', async (context) => {
    const dir = await newFolder({ a: 'one', b: 'two' });
    await writeTree(join(dir, 'in/copies'), { a: 'one', c: 'three' });
    if (!(await showAgain(dir, 'in/o'))) return context.skip();
    expect(await dedupe(join(dir, 'in'))).toMatchObject({ code: 0 });
    const left = [await readTree(join(dir, 'd')), await readTree(join(dir, 'in/copies'))];
    const contents = left.flatMap((tree) => Object.values(tree ?? {})).map((text) => `${text}`);
    expect(contents.map((text) => text.replace(/@.*/, '')).sort()).toEqual(['one', 'three', 'two']);
  });
});

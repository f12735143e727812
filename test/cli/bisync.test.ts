import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { bisyncWorld } from '../support/bisync-world.ts';
import { type Tree, writeTree } from '../support/file-tree.ts';

const { world, at, bisync, filesIn, trees, edit, expectBoth } = bisyncWorld();
const { syncer } = world;
const program = resolve(import.meta.dirname, '../../dist/syncer.js');

const many = (count: number): Tree =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, `${n}`]));

test('the first run is a union; later runs carry changes and deletions both ways', async () => {
  await edit('a/only-a', '1');
  await edit('b/d/only-b', '2');
  await edit('a/same', '3');
  await edit('b/same', '3');
  expect((await bisync()).code).toBe(0);
  await expectBoth({ 'only-a': '1', 'd/only-b': '2', same: '3' });

  await unlink(at('a/only-a'));
  await edit('b/same', 'new');
  await edit('a/d/more', '4');
  const run = await bisync();
  expect(run.stderr).toContain('only-a: deleted on path1: delete on path2');
  expect(run.stderr).toContain('same: changed on path2: copy to path1');
  await expectBoth({ 'd/only-b': '2', same: 'new', 'd/more': '4' });

  await rm(at('b/d'), { recursive: true });
  await bisync();
  await expectBoth({ same: 'new' });
  expect(await readdir(at('a'))).toEqual(['same']);
  expect((await bisync()).stderr).not.toContain('path');
});

test('an edit is stronger than a deletion', async () => {
  await edit('a/f', '1');
  await edit('a/g', '1');
  await bisync();
  await unlink(at('a/f'));
  await edit('b/f', 'edited');
  await edit('a/g', 'edited');
  await unlink(at('b/g'));
  expect((await bisync()).code).toBe(0);
  await expectBoth({ f: 'edited', g: 'edited' });
});

describe('a file that both sides changed', () => {
  beforeEach(async () => {
    await edit('a/f.txt', 'base');
    await bisync();
    await edit('a/f.txt', 'from a');
    await edit('b/f.txt', 'from bb');
  });

  const names = async () => {
    const [a, b] = await trees();
    expect(a).toEqual(b);
    return a;
  };

  test('keeps the newer one under its name, and the other one beside it', async () => {
    const run = await bisync();
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('Changed on both sides: the file of path2 keeps the name');
    const { 'f.txt': winner, ...others } = await names();
    expect(winner).toBe('from bb');
    const [[name, text] = []] = Object.entries(others);
    expect(name).toMatch(/^f\.txt\.conflict-\d{8}-\d{6}-path1$/);
    expect(text).toBe('from a');
    expect((await bisync()).stderr).not.toContain('Changed on both');
  });

  test.each([
    ['older', 'from a'],
    ['larger', 'from bb'],
    ['smaller', 'from a'],
    ['path1', 'from a'],
    ['path2', 'from bb'],
  ])('--conflict-resolve %s', async (rule, text) => {
    await bisync(` --conflict-resolve ${rule} --conflict-loser num`);
    const all = await names();
    expect(all['f.txt']).toBe(text);
    expect(all['f.txt.conflict1']).toBe(text === 'from a' ? 'from bb' : 'from a');
  });

  test('--conflict-resolve none renames both, as in rclone', async () => {
    await bisync(' --conflict-resolve none --conflict-loser num --suffix-keep-extension');
    expect(await names()).toEqual({ 'f.conflict1.txt': 'from a', 'f.conflict2.txt': 'from bb' });
  });

  test('--conflict-loser pathname overwrites no file of that name', async () => {
    await edit('a/f.txt.conflict1', 'mine');
    await bisync(' --conflict-loser pathname');
    expect(await names()).toEqual({
      'f.txt': 'from bb',
      'f.txt.conflict1': 'mine',
      'f.txt.conflict1-2': 'from a',
    });
  });

  test('what a run that was killed has copied aside is not copied again', async () => {
    for (const side of ['a', 'b']) await edit(`${side}/f.txt.conflict1`, 'from a');
    await bisync(' --conflict-loser pathname');
    expect(await names()).toEqual({ 'f.txt': 'from bb', 'f.txt.conflict1': 'from a' });
  });

  test('--conflict-loser delete keeps the other one in --backup-dir1 only', async () => {
    await bisync(` --conflict-loser delete --backup-dir1 ${at('old')}`);
    expect(await names()).toEqual({ 'f.txt': 'from bb' });
    expect(await filesIn('old')).toEqual({ 'f.txt': 'from a' });
  });

  test('with the same content is no conflict', async () => {
    await edit('b/f.txt', 'from a');
    expect((await bisync()).stderr).not.toContain('Changed on both');
    expect(await names()).toEqual({ 'f.txt': 'from a' });
  });

  test('--dry-run changes nothing, and the next run still sees it', async () => {
    const before = await trees();
    expect((await bisync(' --dry-run')).code).toBe(0);
    expect(await trees()).toEqual(before);
    expect((await bisync()).stderr).toContain('Changed on both sides');
  });
});

describe('a rule about one file holds in bisync, and what it keeps waits for a run without it', () => {
  beforeEach(async () => {
    await writeTree(at('a'), { changed: 'old', touched: 'same' });
    await bisync();
    await edit('a/changed', 'newer');
    await edit('a/new', 'new');
  });

  test.each([
    ['--immutable', 6, { changed: 'old', touched: 'same', new: 'new' }],
    ['--ignore-existing', 0, { changed: 'old', touched: 'same', new: 'new' }],
    ['--existing', 0, { changed: 'newer', touched: 'same' }],
  ] as const)('%s', async (flag, code, kept) => {
    for (const _ of [1, 2]) {
      expect((await bisync(` ${flag}`)).code).toBe(code);
      const [, b] = await trees();
      expect(b).toEqual(kept);
    }
    expect((await bisync()).code).toBe(0);
    await expectBoth({ changed: 'newer', touched: 'same', new: 'new' });
  });

  test('--immutable sets no time of the other side', async () => {
    const before = (await stat(at('b/touched'))).mtimeMs;
    await utimes(at('a/touched'), 1_500_000_000, 1_500_000_000);
    expect((await bisync(' --immutable')).code).toBe(6);
    expect((await stat(at('b/touched'))).mtimeMs).toBe(before);
    await bisync();
    expect((await stat(at('b/touched'))).mtimeMs).toBe(1_500_000_000_000);
  });

  test('a later run of bisync deletes nothing that --compare-dest left on one side', async () => {
    await edit('b/there', 'there');
    for (const name of ['a/new', 'b/there']) {
      await edit(name.replace(/./, 'ref'), await readFile(at(name), 'utf8'));
      const { atime, mtime } = await stat(at(name));
      await utimes(at(name.replace(/./, 'ref')), atime, mtime);
    }
    for (const _ of [1, 2]) {
      expect((await bisync(` --compare-dest ${at('ref')}`)).code).toBe(0);
      const same = { changed: 'newer', touched: 'same' };
      expect(await trees()).toEqual([
        { ...same, new: 'new' },
        { ...same, there: 'there' },
      ]);
    }
    await bisync();
    await expectBoth({ changed: 'newer', touched: 'same', new: 'new', there: 'there' });
  });

  test('--copy-dest copies from the store of both sides, and is refused if a side is elsewhere', async () => {
    const bucket = `s:refs${world.count}`;
    const [one, two, ref] = [`${bucket}/one`, `${bucket}/two`, `${bucket}/ref`];
    await syncer(`copy @a ${one}`);
    await syncer(`copy @a ${ref}`);
    for (const [a, b] of [
      ['@a', one],
      [one, '@a'],
    ]) {
      const { code, stderr } = await syncer(`bisync ${a} ${b} --copy-dest ${ref}`);
      expect([code, stderr]).toEqual([7, expect.stringContaining('has to be on the same remote')]);
    }
    const { code, stderr } = await syncer(`bisync ${one} ${two} --copy-dest ${ref} -vv`);
    expect(code).toBe(0);
    expect(stderr).toContain('new: Destination found in --copy-dest, using server-side copy');
    expect((await syncer(`lsf ${two}`)).stdout).toBe('changed\nnew\ntouched\n');
  });

  test('--immutable settles no conflict', async () => {
    await edit('b/changed', 'another');
    expect((await bisync(' --immutable')).code).toBe(6);
    const [a, b] = await trees();
    expect([a?.['changed'], b?.['changed']]).toEqual(['newer', 'another']);
    expect(Object.keys({ ...a, ...b }).sort()).toEqual(['changed', 'new', 'touched']);
  });
});

describe('nothing is changed', () => {
  beforeEach(async () => {
    await writeTree(at('a'), many(12));
    await bisync();
  });

  const refused = async (code: number, text: string, more = '') => {
    const before = await trees();
    const run = await bisync(more);
    expect(run.stderr).toContain(text);
    expect(run.code).toBe(code);
    expect(await trees()).toEqual(before);
  };

  test('if the files of a side are gone', async () => {
    for (const name of await readdir(at('b'))) await unlink(join(at('b'), name));
    await refused(7, 'path2 has no files, but had 12 files');
    expect((await bisync(' --force')).code).toBe(0);
    await expectBoth({});
  });

  test('if more than half would be deleted', async () => {
    for (let n = 0; n < 7; n++) await unlink(at(`b/f${n}`));
    await refused(1, 'too many deletes on path2: 7 of 12 files (58%)');
    await refused(1, 'more than --max-delete 20', ' --max-delete 20');
    expect((await bisync(' --max-delete 60')).code).toBe(0);
    expect(Object.keys((await trees())[0])).toHaveLength(5);
  });

  test('if all files were changed', async () => {
    for (let n = 0; n < 12; n++) await edit(`a/f${n}`, 'x');
    await refused(1, 'all 12 files were changed on path1');
  });

  test('if an access file is missing', async () => {
    await refused(7, 'no RCLONE_TEST on either side', ' --check-access');
    await edit('a/d/ACCESS', '');
    await refused(7, 'path2 lacks d/ACCESS', ' --check-access --check-filename ACCESS');
  });

  test('with --check-sync only, which names what differs', async () => {
    expect((await bisync(' --check-sync only')).code).toBe(0);
    await edit('a/f1', 'changed');
    await refused(1, 'f1: Out of sync: copy is needed', ' --check-sync only');
  });

  test('if one path is in the other', async () => {
    const run = await syncer('bisync @a @a/d');
    expect(run.code).toBe(7);
    expect(run.stderr).toContain("can't sync overlapping remotes");
  });

  test('by a wrong flag', async () => {
    expect((await bisync(' --compare foo')).code).toBe(2);
    expect((await bisync(' --conflict-resolve foo')).code).toBe(2);
  });
});

test('what was agreed is found by the real paths, whatever directory a run starts in', async () => {
  await edit('a/f', '1');
  await bisync();
  await rename(at('a'), at('elsewhere'));
  await mkdir(at('a'));
  // An empty directory of the same name deletes nothing.
  await bisync();
  await expectBoth({ f: '1' });
});

test('--workdir holds the archive, and --resync forgets it', async () => {
  await edit('a/f', '1');
  await bisync(` --workdir ${at('work')}`);
  expect(await readdir(at('work'))).toEqual(['state.db', 'state.db.copy']);
  await unlink(at('a/f'));
  await edit('b/g', '2');
  await bisync(` --workdir ${at('work')} --resync`);
  await expectBoth({ f: '1', g: '2' });
});

test('a filter hides files on both sides, and deletes none of them', async () => {
  await edit('a/f', '1');
  await edit('a/big', 'x');
  await bisync();
  await edit('a/big', 'x'.repeat(100));
  expect((await bisync(' --max-size 10b')).code).toBe(0);
  expect((await trees())[1]).toEqual({ f: '1', big: 'x' });
  await writeFile(at('rules'), '- big\n');
  expect((await bisync(` --filters-file ${at('rules')}`)).code).toBe(0);
  expect((await trees())[1]).toEqual({ f: '1', big: 'x' });
  await bisync();
  await expectBoth({ f: '1', big: 'x'.repeat(100) });
});

test('a run with --trash can be undone', async () => {
  await edit('a/f', 'old');
  await edit('b/g', 'gone');
  await bisync();
  await edit('b/f', 'new');
  await unlink(at('a/g'));
  expect((await bisync(' --trash')).code).toBe(0);
  await expectBoth({ f: 'new' });
  const { stdout } = await syncer('history');
  expect(stdout.split('\n')[0]).toContain(`bisync ${at('a')}`);
  expect((await syncer(`undo ${stdout.split(' ')[0]}`)).code).toBe(0);
  // Each side is what it was before the run.
  expect(await trees()).toEqual([{ f: 'old' }, { f: 'new', g: 'gone' }]);
});

test('--backup-dir1 keeps files and directories of one name beside each other', async () => {
  const kept = () => filesIn('kept');
  const run = () => bisync(` --backup-dir1 ${at('kept')} --conflict-resolve path2 --force`);
  await edit('a/d', 'a file');
  await edit('a/other/f', 'a directory');
  await run();
  await unlink(at('b/d'));
  await rm(at('b/other'), { recursive: true });
  expect((await run()).code).toBe(0);
  expect(await kept()).toEqual({ d: 'a file', 'other/f': 'a directory' });
  await edit('b/d/f', 'below 1');
  await edit('b/other', 'a file now');
  await run();
  for (const text of ['below 2', 'below 3']) {
    await edit('b/d/f', text);
    await edit('b/other', text);
    expect((await run()).code).toBe(0);
  }
  expect(await kept()).toEqual({
    d: 'a file',
    'd~2/f': 'below 1',
    'd~2/f~2': 'below 2',
    'other/f': 'a directory',
    'other~2': 'a file now',
    'other~3': 'below 2',
  });
});

test('undo without a trash gives files of conflicts their names back', async () => {
  await edit('a/both', '1');
  await edit('b/both', '2');
  await edit('a/room', 'file');
  await edit('b/room/x', 'below');
  const before = await trees();
  expect((await bisync(' --conflict-resolve none')).code).toBe(0);
  const [names] = await trees();
  const ends = Object.keys(names).map((name) => name.replace(/\d{8}-\d{6}/, 'DATE'));
  expect(ends.sort()).toEqual([
    'both.conflict-DATE-path1',
    'both.conflict-DATE-path2',
    'room.conflict-DATE-path1',
    'room/x',
  ]);
  const id = (await syncer('history')).stdout.split(' ')[0];
  expect((await syncer(`undo ${id} --trash=false`)).code).toBe(0);
  expect(await trees()).toEqual(before);
});

test.each(['', ' --trash'])(
  'after an undo of bisync%s, the next one loses nothing',
  async (kept) => {
    await edit('a/f', 'old');
    await edit('a/g', 'gone');
    await bisync();
    await edit('a/f', 'new');
    await edit('a/n', 'created');
    await unlink(at('a/g'));
    expect((await bisync(' --trash')).code).toBe(0);
    const id = (await syncer('history')).stdout.split(' ')[0];
    expect((await syncer(`undo ${id}`)).code).toBe(0);
    const next = await bisync(kept);
    expect([next.code, next.stderr]).toEqual([0, expect.stringContaining('was undone since')]);
    const contents = async () => (await trees()).map((tree) => Object.values(tree).sort());
    const all = ['created', 'gone', 'new', 'old'];
    expect(await contents()).toEqual([all, all]);
    await unlink(at('a/n'));
    const last = await bisync(kept);
    expect([last.code, last.stderr]).toEqual([0, expect.not.stringContaining('undone')]);
    expect(await contents()).toEqual([all.slice(1), all.slice(1)]);
  },
);

test.each([
  ['a file', 'became a directory', 'a/p/x', 'b/p'],
  ['a directory', 'became a file', 'a/p', 'b/p/x'],
])('%s %s on one side', async (_, _2, now, before) => {
  await edit(before, 'old');
  await bisync();
  await rm(at('a/p'), { recursive: true });
  await edit(now, 'new');
  expect((await bisync()).code).toBe(0);
  await expectBoth({ [now.slice(2)]: 'new' });
});

test('a file and a directory of one name: the directory keeps it', async () => {
  await edit('a/p', 'file');
  await edit('b/p/x', 'below');
  expect((await bisync(' --conflict-loser num')).code).toBe(0);
  await expectBoth({ 'p.conflict1': 'file', 'p/x': 'below' });
});

test('with a bucket, also after an edit of the same size', async () => {
  const bucket = `s:bisync${world.count}/dir`;
  await edit('a/f', 'one');
  await edit('a/d/g', 'two');
  expect((await bisync('', bucket)).code).toBe(0);
  await edit('c/f', 'ONE');
  await syncer(`copy @c ${bucket}`);
  await unlink(at('a/d/g'));
  expect((await bisync('', bucket)).code).toBe(0);
  expect(await filesIn('a')).toEqual({ f: 'ONE' });
  expect((await syncer(`lsf -R ${bucket}`)).stdout).toBe('f\n');
  const before = world.s3.log.count();
  await bisync('', bucket);
  expect(world.s3.log.count() - before).toBeLessThanOrEqual(3);
});

test('undo without a trash gives objects of a conflict, and tracked renames, their names back', async () => {
  const bucket = `s:bisync${world.count}/dir`;
  const left = async () => (await syncer(`lsf -R ${bucket}`)).stdout;
  const undo = async () => {
    const id = (await syncer('history')).stdout.split(' ')[0];
    return (await syncer(`undo ${id} --trash=false`)).code;
  };
  await edit('a/f', 'one');
  await edit('c/f', 'two');
  await syncer(`copy @c ${bucket}`);
  expect((await bisync(' --conflict-resolve none', bucket)).code).toBe(0);
  expect([await undo(), await left(), await filesIn('a')]).toEqual([0, 'f\n', { f: 'one' }]);
  await rename(at('c/f'), at('c/g'));
  expect((await syncer(`sync @c ${bucket} --track-renames`)).code).toBe(0);
  expect(await left()).toBe('g\n');
  expect([await undo(), await left()]).toEqual([0, 'f\n']);
});

test('only one run at a time; one that was killed holds nothing', async () => {
  await writeTree(at('a'), many(50));
  const args = ['bisync', at('a'), at('b'), '--bwlimit', '1k'];
  await edit('a/large', 'x'.repeat(100_000));
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...world.env },
  });
  const file = join(world.env.HOME, '.local/state/syncer/state.db');
  const isLocked = () => {
    if (!existsSync(file)) return false;
    const state = new DatabaseSync(file, { readOnly: true });
    try {
      return state.prepare('SELECT 1 FROM pairs WHERE owner IS NOT NULL').get() !== undefined;
    } catch {
      return false;
    } finally {
      state.close();
    }
  };
  while (!isLocked()) await new Promise((done) => setTimeout(done, 20));
  const second = await bisync();
  expect(second.code).toBe(75);
  expect(second.stderr).toContain('another bisync of these two paths is running');
  child.kill('SIGKILL');
  await new Promise((done) => child.once('exit', done));
  expect((await bisync()).code).toBe(0);
  const [a, b] = await trees();
  expect(b).toEqual(a);
  expect(Object.keys(a)).toHaveLength(51);
  expect(await readFile(at('b/large'), 'utf8')).toHaveLength(100_000);
});

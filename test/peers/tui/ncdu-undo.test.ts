import { mkdir, readFile, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { readTree, writeTree } from '../../support/file-tree.ts';
import { section } from '../../support/s3-world.ts';
import { hasTmux, type TmuxTerminal } from '../../support/tmux-terminal.ts';
import { type TuiWorld, tuiWorld } from '../../support/tui-world.ts';

let world: TuiWorld;
let tree = '';
beforeEach(async () => {
  world = await tuiWorld('undo');
  tree = join(world.folder, 'tree');
  await writeTree(tree, { 'dir/a': 'a'.repeat(9000), 'dir/sub/b': 'b', file: 'text' });
  await symlink('a', join(tree, 'dir/link'));
  await mkdir(join(world.folder, 'other'));
});
afterEach(() => world.remove());

/** Presses keys, each after what it needs to see. */
async function walk(
  terminal: TmuxTerminal,
  ...steps: readonly (readonly [key: string, see: string | RegExp])[]
) {
  for (const [key, see] of steps) {
    await terminal.keys(key);
    await terminal.waitFor(see);
  }
}

const paths = async () =>
  Object.keys((await readTree(tree)) ?? {}).filter((path) => !/^\.syncer-trash|\/$/.test(path));

const ALL = ['dir/a', 'dir/link', 'dir/sub/b', 'file'];

describe.skipIf(!hasTmux)('the browser on a disk', () => {
  test('moves to the trash, renames and copies, and z undoes each, the last first', async () => {
    await writeTree(join(world.folder, 'other'), { 'file.txt': 'the other', file: 'another' });
    const terminal = await world.start('ncdu tree other', { columns: 80 });
    await terminal.waitFor([/❯ .* dir\//, 'other']);
    await walk(
      terminal,
      ['d', 't moves to the trash'],
      ['t', /3 files moved to the trash/],
      ['R', 'new name:'],
    );
    expect(await paths()).toEqual(['file']);
    await terminal.type('2');
    await walk(terminal, ['Enter', '1 file renamed'], ['Home', /❯ .* file2/]);
    await walk(terminal, ['p', 'y copy'], ['y', '1 file copied']);
    expect(await readFile(join(world.folder, 'other/file2'), 'utf8')).toBe('text');
    await walk(terminal, ['z', /Undo: copy file2.*\n.*1 entry goes to the trash/]);
    await walk(terminal, ['y', '1 entry undone'], ['z', /Undo: rename file to file2/]);
    await walk(terminal, ['y', /❯ .* file +│/], ['z', /Undo: move to trash dir/]);
    await terminal.waitFor(['3 entries come back', /restore +dir\/a/]);
    await walk(terminal, ['y', '3 entries undone'], ['z', 'nothing is left to undo']);
    expect((await paths()).sort()).toEqual(ALL);
    expect(await readlink(join(tree, 'dir/link'))).toBe('a');
    expect(await readTree(join(world.folder, 'other'))).toMatchObject({
      file: expect.stringMatching(/^another@/),
    });
    await terminal.keys('q');
    await terminal.waitFor(['move to trash dir: 3 files moved to the trash', 'exit=0']);
  });

  test('z undoes an upload, and brings back what it replaced where that was kept', async () => {
    await writeTree(join(world.folder, 'other'), { file: 'uploaded', 'new/n': 'n' });
    const upload = async (terminal: TmuxTerminal, from: string, see: string) => {
      await walk(terminal, ['W', 'upload:']);
      await terminal.type(from);
      await walk(terminal, ['Enter', see]);
    };
    const terminal = await world.start('ncdu tree --trash', { columns: 80 });
    await terminal.waitFor(/❯ .* dir\//);
    await upload(terminal, 'other/new', 'No file is replaced');
    await walk(terminal, ['y', '1 file uploaded']);
    await upload(terminal, 'other/file', '1 file there');
    await walk(
      terminal,
      ['Enter', '1 file there is replaced, and kept in the trash.'],
      ['y', '1 file uploaded, 8 B'],
    );
    expect(await readFile(join(tree, 'file'), 'utf8')).toBe('uploaded');
    await walk(terminal, ['z', 'Undo: upload other/file'], ['y', '1 entry undone']);
    expect(await readFile(join(tree, 'file'), 'utf8')).toBe('text');
    await walk(terminal, ['z', 'Undo: upload other/new'], ['y', '1 entry undone']);
    expect((await paths()).filter((path) => !path.includes('.syncer-trash')).sort()).toEqual(ALL);
    await terminal.keys('q');
    await terminal.waitFor('exit=0');
  });

  test('--trash-dir puts the trash first in the question, and takes files only', async () => {
    const terminal = await world.start('ncdu tree --trash-dir kept', { columns: 80 });
    await terminal.waitFor(/❯ .* dir\//);
    await walk(
      terminal,
      ['d', 'y moves to the trash'],
      ['y', /2 files moved to the trash.*1 failed/],
    );
    expect((await paths()).sort()).toEqual(['dir/link', 'file']);
    await walk(terminal, ['z', /restore +dir\/a/], ['y', '2 entries undone']);
    expect((await paths()).sort()).toEqual(ALL);
    await terminal.keys('q');
    await terminal.waitFor('exit=1');
  });

  test('z undoes what K has restored, and then what was before', async () => {
    const terminal = await world.start('ncdu tree', { columns: 80 });
    await terminal.waitFor(/❯ .* dir\//);
    await walk(terminal, ['d', 't moves to'], ['t', '3 files moved to the trash']);
    await walk(terminal, ['K', /dir\/ {2}3 files/], ['Enter', 'Put back 3 files']);
    await walk(terminal, ['y', 'The trash is empty'], ['Escape', /3 files restored.*\n.*q quit/]);
    await walk(terminal, ['z', 'Undo: restore dir'], ['y', '3 entries undone, 8.8 KiB ·']);
    expect(await paths()).toEqual(['file']);
    await walk(terminal, ['z', /restore +dir\/a/], ['y', '3 entries undone, 8.8 KiB ·']);
    expect((await paths()).sort()).toEqual(ALL);
    await terminal.keys('q');
    await terminal.waitFor('exit=0');
  });

  test('K restores from the trash, and empties it', async () => {
    const terminal = await world.start('ncdu tree', { columns: 80 });
    await terminal.waitFor(/❯ .* dir\//);
    await walk(terminal, ['d', 't moves to'], ['t', '3 files moved to the trash']);
    await walk(terminal, ['K', /dir\/ {2}3 files/], ['Enter', 'Put back 3 files']);
    await walk(terminal, ['y', 'The trash is empty'], ['Escape', /3 files restored.*\n.*q quit/]);
    expect((await paths()).sort()).toEqual(ALL);
    await walk(terminal, ['Home', /❯ .* dir\//], ['d', 't moves to']);
    await walk(terminal, ['t', 'in trash: '], ['K', /dir\/ {2}3 files/]);
    await walk(terminal, ['E', 'This cannot be undone'], ['y', 'The trash is empty']);
    await walk(
      terminal,
      ['Escape', /deleted for good.*\n.*q quit/],
      ['z', 'cannot be undone: move to trash dir'],
    );
    expect(await paths()).toEqual(['file']);
  });
});

describe.skipIf(!hasTmux)('the browser in a bucket', () => {
  let s3: TestS3;
  beforeEach(async () => {
    s3 = await startTestS3();
    await writeTree(s3.root, { 'plain/dir/a': 'a', 'plain/dir/b': 'bb', 'kept/': '' });
    await world.write({ 'syncer.conf': section(s3, 's') });
  });
  afterEach(() => s3.stop());

  test('without versions copies to the trash, and z undoes that', async () => {
    const terminal = await world.start('ncdu s:plain', { columns: 80 });
    await terminal.waitFor(/❯ .* dir\//);
    await walk(terminal, ['d', 't copies 3 B to the trash first'], ['t', '2 objects moved to the']);
    await walk(terminal, ['z', 'restore   dir/a'], ['y', '2 entries undone']);
    await terminal.waitFor(/❯ .* dir\//);
    await walk(terminal, ['d', 'y deletes for good'], ['y', '2 objects deleted']);
    await walk(terminal, ['z', 'cannot be undone: delete dir']);
  });

  test('with versions keeps what is deleted, and ! deletes it for good', async () => {
    const run = await world.start('backend versioning s:kept Enabled');
    await run.waitFor('exit=0');
    const fill = await world.start('copy tree/dir s:kept/dir');
    await fill.waitFor('exit=0');
    const terminal = await world.start('ncdu s:kept', { columns: 80 });
    await terminal.waitFor(/❯ .* dir\//);
    await walk(terminal, ['d', 'the bucket keeps the versions'], ['y', 'in trash: 8.8 KiB']);
    await walk(terminal, ['z', 'restore   dir/a'], ['y', '2 entries undone']);
    await terminal.waitFor(/❯ .* dir\//);
    await walk(terminal, ['d', '! deletes for good']);
    await setTimeout(1000);
    await walk(terminal, ['!', '2 objects deleted'], ['K', 'The trash is empty']);
    const history = await world.start('history');
    await history.waitFor('cannot be undone, none of its paths is kept');
  });
});

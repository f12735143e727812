import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { promiseWorld, STORAGES } from './promise-world.ts';

const world = promiseWorld();

/** The ID of the newest run in the history. */
async function lastRun(): Promise<string> {
  const { stdout } = await world.done('history --json');
  const runs = stdout.toString().trim().split('\n');
  return runs.map((line) => (JSON.parse(line) as { id: string }).id)[0] ?? '';
}

describe.each(STORAGES)('on %s', (storage) => {
  test('undo restores the content and the time of what a sync deleted and replaced', async () => {
    const [source, dest] = [world.place('a disk'), world.place(storage)];
    await source.put({ 'a.txt': ['newer', 1_600_000_000], 'new.txt': 'created' });
    await dest.put({ 'a.txt': 'old', 'dir/gone.txt': ['deleted', 1_500_000_000] });
    const before = await dest.files();
    await world.done(`sync ${source.at} ${dest.at} --trash`);
    expect(Object.keys(await dest.files()).sort()).toEqual(['a.txt', 'new.txt']);
    await world.done(`undo ${await lastRun()}`);
    expect(await dest.files()).toEqual(before);
  });

  test('undo of an undo does it again', async () => {
    const [source, dest] = [world.place('a disk'), world.place(storage)];
    await source.put({ 'a.txt': ['newer', 1_600_000_000] });
    await dest.put({ 'a.txt': 'old', 'gone.txt': 'deleted' });
    await world.done(`sync ${source.at} ${dest.at} --trash`);
    await world.done(`undo ${await lastRun()}`);
    await world.done(`undo ${await lastRun()}`);
    expect(await dest.files()).toEqual({ 'a.txt': 'newer@1600000000' });
  });

  test('undo leaves a file that has changed since, and ends with 22', async () => {
    const [source, dest] = [world.place('a disk'), world.place(storage)];
    await source.put({
      'a.txt': ['newer', 1_600_000_000],
      'b.txt': ['newer', 1_600_000_000],
      'created.txt': 'created',
    });
    await dest.put({ 'a.txt': 'old', 'b.txt': 'old' });
    await world.done(`sync ${source.at} ${dest.at} --trash`);
    const run = await lastRun();
    await dest.put({
      'a.txt': ['changed since', 1_650_000_000],
      'created.txt': ['changed too', 1_650_000_000],
    });
    const { code, stderr } = await world.syncer(`undo ${run}`);
    expect(code, stderr).toBe(22);
    expect(await dest.contents()).toEqual({
      'a.txt': 'changed since',
      'b.txt': 'old',
      'created.txt': 'changed too',
    });
  });

  test('undo of a move puts the files back', async () => {
    const [source, dest] = [world.place('a disk'), world.place(storage)];
    await source.put({ 'a.txt': 'a', 'dir/b.txt': 'b' });
    const before = await source.files();
    await world.done(`move ${source.at} ${dest.at}`);
    await world.done(`undo ${await lastRun()}`);
    expect(await source.files()).toEqual(before);
    expect(await dest.files()).toEqual({});
  });

  test('`undo --dry-run` changes nothing', async () => {
    const [source, dest] = [world.place('a disk'), world.place(storage)];
    await source.put({ 'a.txt': 'a' });
    await dest.put({ 'gone.txt': 'deleted' });
    await world.done(`sync ${source.at} ${dest.at} --trash`);
    await world.done(`undo ${await lastRun()} --dry-run`);
    expect(await dest.contents()).toEqual({ 'a.txt': 'a' });
  });

  test('a file in the trash is restored, and replaces no other', async () => {
    const [source, dest] = [world.place('a disk'), world.place(storage)];
    await source.put({ 'a.txt': 'a' });
    await dest.put({ 'gone.txt': 'deleted', 'other.txt': 'deleted, too' });
    await world.done(`sync ${source.at} ${dest.at} --trash`);
    expect((await world.done(`trash ls ${dest.at}`)).stdout.toString()).toMatch(/gone\.txt/);
    await dest.put({ 'other.txt': 'another file by now' });
    const { code } = await world.syncer(`trash restore ${dest.at}`);
    expect(code).toBe(22);
    expect(await dest.contents()).toEqual({
      'a.txt': 'a',
      'gone.txt': 'deleted',
      'other.txt': 'another file by now',
    });
  });

  test('of each path, the file that was deleted last is restored from the trash', async () => {
    const [source, dest] = [world.place('a disk'), world.place(storage)];
    await source.put({ 'a.txt': 'a' });
    await dest.put({ 'gone.txt': 'deleted first', 'earlier.txt': 'deleted by the first run' });
    await world.done(`sync ${source.at} ${dest.at} --trash`);
    // Runs are told apart by the second in which they begin.
    const second = Math.floor(Date.now() / 1000);
    await waitFor(() => Date.now() / 1000 >= second + 1);
    await dest.put({ 'gone.txt': 'deleted last' });
    await world.done(`sync ${source.at} ${dest.at} --trash`);
    await world.done(`trash restore ${dest.at}`);
    expect(await dest.contents()).toEqual({
      'a.txt': 'a',
      'gone.txt': 'deleted last',
      'earlier.txt': 'deleted by the first run',
    });
  });

  test('the trash is in no listing, and no sync copies or deletes it', async () => {
    const [source, dest, other] = [
      world.place('a disk'),
      world.place(storage),
      world.place('a disk'),
    ];
    await source.put({ 'a.txt': 'a' });
    await dest.put({ 'gone.txt': 'deleted' });
    await world.done(`sync ${source.at} ${dest.at} --trash`);
    expect((await world.done(`lsf -R ${dest.at}`)).stdout.toString()).toBe('a.txt\n');
    await world.done(`copy ${dest.at} ${other.at}`);
    expect(await other.contents()).toEqual({ 'a.txt': 'a' });
    await world.done(`sync ${source.at} ${dest.at}`);
    await world.done(`trash restore ${dest.at}`);
    expect(await dest.contents()).toEqual({ 'a.txt': 'a', 'gone.txt': 'deleted' });
  });
});

test('undo restores the mode of a file on a disk', async () => {
  const [source, dest] = [world.place('a disk'), world.place('a disk')];
  await source.put({ 'a.txt': ['newer', 1_600_000_000] });
  await dest.put({ 'a.txt': 'old' });
  await chmod(join(dest.at, 'a.txt'), 0o640);
  await world.done(`sync ${source.at} ${dest.at} --trash`);
  await world.done(`undo ${await lastRun()}`);
  expect((await stat(join(dest.at, 'a.txt'))).mode & 0o777).toBe(0o640);
});

test('a file that was changed in the trash is not taken for the old one', async () => {
  const [source, dest] = [world.place('a disk'), world.place('a disk')];
  await source.put({ 'a.txt': 'a' });
  await dest.put({ 'gone.txt': 'deleted', 'other.txt': 'deleted, too' });
  await world.done(`sync ${source.at} ${dest.at} --trash`);
  const run = await lastRun();
  await writeFile(join(dest.at, '.syncer-trash', run, 'gone.txt'), 'not what was kept');
  expect((await world.syncer(`undo ${run}`)).code).toBe(4);
  expect(await dest.contents()).toEqual({ 'other.txt': 'deleted, too' });
});

test('history lists each run that changed something, with its command and result', async () => {
  const [source, dest] = [world.place('a disk'), world.place('a disk')];
  await source.put({ 'a.txt': 'a' });
  await world.done(`copy ${source.at} ${dest.at}`);
  const { stdout } = await world.done('history --json');
  const [newest] = stdout.toString().trim().split('\n');
  expect(JSON.parse(newest ?? '')).toMatchObject({ result: { exit: 0, files: 1 } });
  expect(newest).toContain(source.at);
  expect((await world.done(`history ${await lastRun()}`)).stdout.toString()).toMatch(/a\.txt/);
});

test('a damaged journal is named with exit code 22, and what it still has is undone', async () => {
  const [source, dest] = [world.place('a disk'), world.place('a disk')];
  await source.put({ 'a.txt': 'a' });
  await dest.put({ 'gone1.txt': '1', 'gone2.txt': '2', 'gone3.txt': '3' });
  await world.done(`sync ${source.at} ${dest.at} --trash`);
  const run = await lastRun();
  const journal = join(world.dir, '../home/.local/state/syncer/runs', run, 'journal.jsonl');
  const lines = (await readFile(journal, 'utf8')).split('\n');
  const damaged = lines.map((line) => (line.includes('gone2') ? line.replace(/.$/, '!') : line));
  await writeFile(journal, damaged.join('\n'));
  const { code } = await world.syncer(`undo ${run}`);
  expect(code).toBe(22);
  const held = await dest.contents();
  expect([held['gone1.txt'], held['gone3.txt']]).toEqual(['1', '3']);
});

test('a destination that is gone is not undone into, with exit code 3', async () => {
  const [source, dest] = [world.place('a disk'), world.place('a disk')];
  await source.put({ 'a.txt': 'a' });
  await dest.put({ 'gone.txt': 'deleted' });
  await world.done(`sync ${source.at} ${dest.at} --trash`);
  const run = await lastRun();
  await rm(dest.at, { recursive: true });
  expect((await world.syncer(`undo ${run}`)).code).toBe(3);
  expect(await dest.files()).toEqual({});
});

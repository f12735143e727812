import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import type { TestDrive } from '../servers/graph/test-drive.ts';
import { writeTree } from '../support/file-tree.ts';
import { configureDrive } from '../support/graph-world.ts';
import { someOf } from '../support/in-part.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';

/** `d:r/Team` is a shortcut to `share`, which belongs to another drive. */
describe.each(someOf(['business', 'personal'] as const, 1))('a shortcut of a %s drive', (type) => {
  let world: SyncerWorld;
  let graph: TestGraph;
  let theirs: TestDrive;
  let env: Record<string, string>;

  beforeEach(async () => {
    const drives = [{ type }, { type }] as const;
    [world, graph] = await Promise.all([
      makeSyncerWorld(),
      startTestGraph({ drives: [...drives] }),
    ]);
    [, theirs] = graph.drives as [TestDrive, TestDrive];
    env = await configureDrive(world.config, graph);
    theirs.put('share/a.txt', 'a');
    theirs.put('share/in/b.txt', 'b');
    graph.drive.put('r/own', 'own');
    graph.drive.mkdir('r');
    graph.drive.addShortcut('r/Team', theirs, 'share');
    expect((await run('copy d:r d')).code).toBe(0);
  });
  afterEach(async () => {
    await Promise.all([world.remove(), graph.stop()]);
  });

  const run = (line: string) => world.run(line.split(' '), { env });
  const removed = () => rm(join(world.dir, 'd/Team'), { recursive: true });
  const shared = () => theirs.files().sort();
  const hasShortcut = () => graph.drive.find('r/Team') !== undefined;
  const SHARED = ['share/a.txt', 'share/in/b.txt'];

  test.each([
    'sync d d:r',
    'sync d d:r --delete-before',
    'sync d d:r --delete-during',
    'sync d d:r --fast-list',
    'sync d d:r --max-delete 0',
    'sync d d:r --trash',
    'sync d d:r --backup-dir d:old',
    'sync d d:r --track-renames',
  ])('goes by itself with "%s" when its directory is gone at the source', async (line) => {
    await removed();
    const trial = await run(`${line} --dry-run`);
    expect(trial.stderr).toContain('Team: Skipped delete shortcut as --dry-run is set');
    expect(hasShortcut()).toBe(true);
    const { code, stderr } = await run(line);
    expect([code, hasShortcut()], stderr).toEqual([0, false]);
    expect(stderr).toContain('Team: Deleted the shortcut, and nothing in the directory');
    expect(shared()).toEqual(SHARED);
  });

  test('is not renamed file by file with --track-renames', async () => {
    await rename(join(world.dir, 'd/Team'), join(world.dir, 'd/Kept'));
    expect((await run('sync d d:r --track-renames')).code).toBe(0);
    expect(shared()).toEqual(SHARED);
    expect(graph.drive.files()).toEqual(
      expect.arrayContaining(['r/Kept/a.txt', 'r/Kept/in/b.txt']),
    );
  });

  test.each(['--exclude *.bak', '--max-depth 1'])(
    'stays with %s, which may hide a part of it',
    async (flags) => {
      await removed();
      const { code, stderr } = await run(`sync d d:r ${flags}`);
      expect([code, hasShortcut()], stderr).toEqual([0, true]);
      expect(stderr).toContain('Team: Left as it is: a shortcut');
      expect(shared()).toEqual(SHARED);
    },
  );

  test('is worked in: a file that is gone at the source is deleted in its directory', async () => {
    await rm(join(world.dir, 'd/Team/a.txt'));
    await writeTree(join(world.dir, 'd/Team'), { new: 'n' });
    expect((await run('sync d d:r')).code).toBe(0);
    expect(shared()).toEqual(['share/in/b.txt', 'share/new']);
    expect((await run('delete d:r/Team')).code).toBe(0);
    expect(shared()).toEqual([]);
  });

  test('goes by itself when bisync finds it gone on the other side, and does not come back', async () => {
    expect((await run('bisync d:r d --resync')).code).toBe(0);
    await removed();
    const trial = await run('bisync d:r d --force --dry-run');
    expect(trial.stderr).toContain('Team: Skipped delete shortcut as --dry-run is set');
    const first = await run('bisync d:r d --force');
    expect([first.code, hasShortcut()], first.stderr).toEqual([0, false]);
    expect((await run('bisync d:r d')).code).toBe(0);
    expect(shared()).toEqual(SHARED);
    expect(graph.drive.files()).toEqual(['r/own']);
  });

  test('is worked in by bisync', async () => {
    expect((await run('bisync d:r d --resync')).code).toBe(0);
    await rm(join(world.dir, 'd/Team/a.txt'));
    theirs.put('share/theirs', 't');
    expect((await run('bisync d:r d')).code).toBe(0);
    expect(shared()).toEqual(['share/in/b.txt', 'share/theirs']);
    expect(hasShortcut()).toBe(true);
  });

  test.each([
    'move d:r to',
    'delete d:r',
    'delete d:r --rmdirs',
    'rmdirs d:r',
    'dedupe --by-hash first d:r',
  ])('"%s" leaves what it leads to', async (line) => {
    theirs.put('share/c.txt', 'a');
    const { stderr } = await run(line);
    expect(shared()).toEqual([...SHARED, 'share/c.txt'].sort());
    expect(hasShortcut()).toBe(true);
    if (line !== 'rmdirs d:r') expect(stderr).toContain('Team: Left as it is: a shortcut');
  });

  test.each(['d:r', 'd:r/Team'])('purge of %s leaves what it leads to', async (path) => {
    expect((await run(`purge ${path}`)).code).toBe(0);
    expect([hasShortcut(), shared()]).toEqual([false, SHARED]);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { failFirstGraph } from '../servers/graph/graph-fault.ts';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import { writeTree } from '../support/file-tree.ts';
import { configureDrive } from '../support/graph-world.ts';
import { runInProcess } from '../support/run-in-process.ts';

let graph: TestGraph;
let dir: string;

afterEach(async () => {
  await graph.stop();
  await rm(dir, { recursive: true });
});

/** A drive `d:` with `to/same`, `to/x` and `to/d/extra`, and beside it `new` without the last and with another `x`. */
async function driveWorld(type: 'personal' | 'business') {
  graph = await startTestGraph({ drives: [{ type }] });
  dir = await mkdtemp(join(tmpdir(), 'trash-drive-'));
  const env = { HOME: dir, ...(await configureDrive(join(dir, 'syncer.conf'), graph)) };
  const syncer = (line: string) =>
    runInProcess(
      line.split(' ').map((word) => word.replace('@', `${dir}/`)),
      env,
    );
  const lastRun = async () => {
    const runs = (await syncer('history --json')).stdout.split('\n');
    return (JSON.parse(runs.find((one) => one.includes('"sum"')) ?? '{}') as { id: string }).id;
  };
  const names = async () => {
    const { stdout, stderr } = await syncer('trash ls d:to --json');
    const found = JSON.parse(stdout || stderr) as { Path: string; Change: string; Kept: string }[];
    return found.map(({ Path, Change, Kept }) => `${Path} ${Change} ${Kept}`);
  };
  const held = async () => (await syncer('lsf -R --files-only d:to --format pst')).stdout;
  await writeTree(join(dir, 'old'), {
    ...{ same: ['1', 1_400_000_000], x: ['old', 1_500_000_000] },
    ...{ 'd/extra': ['gone', 1_500_000_000], 'd/second': ['gone too', 1_500_000_000] },
  });
  await writeTree(join(dir, 'new'), { same: ['1', 1_400_000_000], x: ['newer', 1_600_000_000] });
  expect((await syncer('sync @old d:to --no-history')).code).toBe(0);
  return { syncer, lastRun, names, held };
}

test('a personal drive without --trash: undo restores from the recycle bin and old versions', async () => {
  const { syncer, lastRun, names, held } = await driveWorld('personal');
  const before = await held();
  const { id } = graph.drive.item('to/d/extra');
  expect((await syncer('sync @new d:to')).code).toBe(0);
  const after = await held();
  expect((await syncer(`history ${await lastRun()}`)).stdout).toContain('in the recycle bin');
  expect(await names()).toEqual(['d/extra deleted bin', 'd/second deleted bin']);
  const undone = await syncer(`undo ${await lastRun()}`);
  expect([undone.code, await held()], undone.stderr).toEqual([0, before]);
  expect(graph.drive.item('to/d/extra').id).toBe(id);
  expect(await names()).toEqual([]);
  const redone = await syncer(`undo ${await lastRun()}`);
  expect([redone.code, await held()], redone.stderr).toEqual([0, after]);
});

test('a business drive without --trash: old versions are restored, deleted files are gone', async () => {
  const { syncer, lastRun, names } = await driveWorld('business');
  expect((await syncer('sync @new d:to')).code).toBe(0);
  expect(await names()).toEqual([]);
  const { code, stdout } = await syncer(`undo ${await lastRun()}`);
  expect([code, stdout]).toEqual([4, expect.stringContaining('1 file restored')]);
  expect(graph.drive.tree()).toMatchObject({ 'to/x': 'old' });
  expect((await syncer('lsf d:to/x --format t')).stdout).toContain('2017-07-14');
});

test('an old version is not another one of its size', async () => {
  const { syncer, lastRun } = await driveWorld('business');
  await syncer('sync @new d:to');
  const { versions } = graph.drive.item('to/x');
  graph.drive.put('to/x', 'foo');
  const [foo] = graph.drive.item('to/x').versions;
  graph.drive.put('to/x', 'newer');
  expect(foo).toBeDefined();
  // Only a version with other content is left.
  graph.drive.item('to/x').versions = graph.drive
    .item('to/x')
    .versions.filter(({ content }) => Buffer.concat(content.pieces).toString() !== 'old');
  expect(versions.length).toBeGreaterThan(0);
  const { code, stderr } = await syncer(`undo ${await lastRun()} x --force`);
  expect(code, stderr).toBe(4);
  expect(graph.drive.tree()).toMatchObject({ 'to/x': 'newer' });
});

test('trash restore of the recycle bin, over another file only with --force', async () => {
  const { syncer, lastRun, names, held } = await driveWorld('personal');
  await syncer('delete d:to/d');
  const gone = await held();
  graph.drive.put('to/d/extra', 'another');
  const left = await syncer('trash restore d:to');
  expect([left.code, left.stdout], left.stderr).toEqual([
    ...[22, 'Restored 1 file, 1 left in the trash\n'],
  ]);
  const forced = await syncer('trash restore d:to --force');
  expect(forced.code, forced.stderr).toBe(0);
  expect(graph.drive.tree()).toMatchObject({ 'to/d/extra': 'gone', 'to/d/second': 'gone too' });
  expect((await syncer(`undo ${await lastRun()}`)).code).toBe(0);
  expect(graph.drive.tree()).toMatchObject({ 'to/d/extra': 'another' });
  graph.drive.remove('to/d/extra');
  await syncer('delete d:to/d');
  expect(await held()).toBe(gone);
  const emptied = await syncer('trash empty d:to --older-than 0s');
  expect(emptied.stderr).toContain('in the recycle bin of');
  expect(await names()).not.toEqual([]);
  graph.drive.inside.bin.clear();
  const lost = await syncer('trash restore d:to');
  expect([lost.code, lost.stderr]).toEqual([4, expect.stringContaining('no longer kept')]);
});

test.each([
  ['restoreItem', { reset: 'after' }],
  ['restoreItem', { reset: 'before' }],
  ['restoreItem', { status: 503 }],
  ['restoreVersion', { reset: 'after' }],
  ['listVersions', { status: 503 }],
] as const)('undo, when %s fails once with %o', async (operation, fault) => {
  const { syncer, lastRun, held } = await driveWorld('personal');
  const before = await held();
  await syncer('sync @new d:to');
  graph.setFaults(failFirstGraph(operation, 1, fault));
  const { code, stderr } = await syncer(`undo ${await lastRun()} --retries 1`);
  expect([code, await held()], stderr).toEqual([0, before]);
});

test.each(['personal', 'business'] as const)('the trash of a %s drive', async (type) => {
  const { syncer, names, held } = await driveWorld(type);
  const before = await held();
  await syncer('sync @new d:to --trash');
  const all = ['d/extra deleted trash', 'd/second deleted trash', 'x replaced trash'];
  expect(await names()).toEqual(all);
  const restored = await syncer('trash restore d:to --force');
  expect([restored.code, await held()], restored.stderr).toEqual([0, before]);
  await syncer('sync @new d:to --trash');
  const emptied = await syncer('trash empty d:to --older-than 0s');
  expect([emptied.code, emptied.stdout], emptied.stderr).toEqual([
    ...[0, expect.stringMatching(/^Deleted 4 files/)],
  ]);
  expect(await names()).toEqual([]);
  expect(graph.drive.find('to/.syncer-trash')).toBeUndefined();
});

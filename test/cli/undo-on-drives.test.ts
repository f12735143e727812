import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
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

test.each(['personal', 'business'] as const)(
  'a sync to a %s drive is undone and redone',
  async (type) => {
    graph = await startTestGraph({ drives: [{ type }] });
    dir = await mkdtemp(join(tmpdir(), 'undo-drive-'));
    const env = { HOME: dir, ...(await configureDrive(join(dir, 'syncer.conf'), graph)) };
    const syncer = (...words: string[]) => runInProcess(words, env);
    const held = async () => (await syncer('lsf', '-R', 'd:to', '--format', 'pst')).stdout;
    const lastRun = async () => {
      const runs = (await syncer('history', '--json')).stdout.split('\n');
      return (JSON.parse(runs.find((line) => line.includes('"sum"')) ?? '{}') as { id: string }).id;
    };
    await writeTree(join(dir, 'old'), { same: '1', x: 'old', 'd/extra': ['gone', 1_500_000_000] });
    await writeTree(join(dir, 'new'), { same: '1', x: ['newer', 1_600_000_000], 'e/y': '2' });
    const first = await syncer('sync', join(dir, 'old'), 'd:to', '--no-history');
    expect(first.code, first.stderr).toBe(0);
    const before = await held();
    const synced = await syncer('sync', join(dir, 'new'), 'd:to', '--trash');
    expect(synced.code, synced.stderr).toBe(0);
    const after = await held();
    expect(after).not.toBe(before);
    const undone = await syncer('undo', await lastRun());
    expect([undone.code, files(await held())], undone.stderr).toEqual([0, files(before)]);
    const redone = await syncer('undo', await lastRun());
    expect([redone.code, files(await held())], redone.stderr).toEqual([0, files(after)]);
    await syncer('copyto', 'd:to/x', join(dir, 'x'));
    expect(await readFile(join(dir, 'x'), 'utf8')).toBe('newer');
    const renamed = await syncer('convmv', 'd:to', '--name-transform', 'uppercase', '--trash');
    expect([renamed.code, await held()], renamed.stderr).toEqual([
      0,
      expect.stringContaining('X;'),
    ]);
    const back = await syncer('undo', await lastRun());
    expect([back.code, files(await held())], back.stderr).toEqual([0, files(after)]);
  },
);

/** The lines of files: the times of directories follow their changes. */
function files(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !/^[^;]*\/;/.test(line));
}

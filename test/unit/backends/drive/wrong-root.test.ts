import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startTestGraph } from '../../../servers/graph/start-graph.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP } from '../../../support/open-s3.ts';
import { runInProcess } from '../../../support/run-in-process.ts';

async function opened(options: Readonly<Record<string, string>>) {
  const graph = await startTestGraph({ drives: [{ type: 'business' }] });
  onTestFinished(() => graph.stop());
  graph.drive.put('a.txt', 'hello');
  return { graph, ...(await openDrive(graph, '', { options })) };
}

test.each(['drive_id', 'root_folder_id'])('a wrong %s ends the run', async (option) => {
  const { remote, graph } = await opened({ [option]: 'nosuch' });
  const why = { code: 'config', message: expect.stringContaining(`check ${option} of "test"`) };
  const ways = [
    () => remote.listPage('', undefined, OP),
    () => remote.listPage('d', undefined, OP),
    () => remote.stat('a.txt', OP),
    () => remote.makeDir('d', OP),
  ];
  for (const way of ways) await expect(way()).rejects.toMatchObject(why);
  expect(graph.log.of('getItem').filter(({ path }) => path.endsWith('/root'))).toHaveLength(
    option === 'drive_id' ? 2 : 0,
  );
  expect(graph.log.count('createFolder')).toBe(0);
});

test.each(['copy DIR d:', 'copyto DIR/f d:x', 'check DIR d:', 'copy d: DIR/new'])(
  '%s: a wrong drive_id is one line',
  async (line) => {
    const dir = await mkdtemp(join(tmpdir(), 'syncer-test-root-'));
    const graph = await startTestGraph();
    onTestFinished(async () => {
      await graph.stop();
      await rm(dir, { recursive: true, force: true });
    });
    await writeFile(join(dir, 'f'), 'x');
    const keys = { ...graph.section(graph.drive), graph_url: graph.graphUrl, drive_id: 'nosuch' };
    const lines = Object.entries(keys).map(([key, value]) => `${key} = ${value}\n`);
    await writeFile(join(dir, 'syncer.conf'), `[d]\n${lines.join('')}`);
    const env = { HOME: dir, SYNCER_CONFIG: join(dir, 'syncer.conf') };
    const words = line.replace('DIR', dir).split(' ');
    const { code, stderr } = await runInProcess([...words, '--retries', '1'], env);
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('check drive_id of "d"')]);
  },
);

test('what is missing in a drive costs one look at its root', async () => {
  const { remote, graph } = await opened({});
  for (const path of ['x', 'y']) expect(await remote.stat(path, OP)).toBeUndefined();
  expect(graph.log.count('getItem')).toBe(3);
});

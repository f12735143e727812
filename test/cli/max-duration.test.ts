import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { GraphOperation } from '../servers/graph/graph-fault.ts';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import { runInProcess } from '../support/run-in-process.ts';

let base: string;
let graph: TestGraph;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'syncer-test-duration-'));
  graph = await startTestGraph();
  graph.drive.put('x/a', 'a');
  await mkdir(join(base, 'src'));
  await writeFile(join(base, 'src/f'), 'f');
  const section = Object.entries({ ...graph.section(), graph_url: graph.graphUrl });
  const lines = section.map(([key, value]) => `${key} = ${value}\n`);
  await writeFile(join(base, 'syncer.conf'), `[d]\n${lines.join('')}`);
});
afterEach(async () => {
  await graph.stop();
  await rm(base, { recursive: true, force: true });
});

const run = (args: readonly string[]) =>
  runInProcess([...args, '--max-duration=400ms'], {
    HOME: base,
    SYNCER_CONFIG: join(base, 'syncer.conf'),
  });
const waitFor = (wanted: GraphOperation) =>
  graph.setFaults(({ operation }) =>
    operation === wanted ? { status: 429, retryAfter: 3600 } : undefined,
  );
const LATE = { code: 10, stderr: expect.stringContaining('as set by --max-duration') };

// Without its end each of these runs waits for an hour.
it.each([
  ['listChildren', 'sync', 'd:x', 'dst', ['hard', 'soft', 'cautious']],
  ['listChildren', 'copy', 'src', 'd:x', ['hard', 'soft', 'cautious']],
  ['getItem', 'move', 'd:x', 'dst', ['hard', 'soft', 'cautious']],
  ['getItem', 'copyto', 'src/f', 'd:x/f', ['hard', 'soft', 'cautious']],
  ['download', 'copy', 'd:x', 'dst', ['hard']],
  ['createUploadSession', 'copy', 'src', 'd:y', ['hard']],
  ['listChildren', 'check', 'd:x', 'dst', ['hard', 'soft']],
  ['getItem', 'check', 'src/f', 'd:x', ['hard', 'soft']],
  ['listChildren', 'bisync', 'd:x', 'dst', ['hard']],
  ['getItem', 'bisync', 'd:x', 'dst', ['hard', 'soft']],
] as const)('a wait for %s ends with the time of %s %s %s', async (...of) => {
  const [wanted, command, from, to, modes] = of;
  const at = (path: string) => (path.startsWith('d:') ? path : join(base, path));
  waitFor(wanted);
  for (const mode of modes) {
    const more = command === 'bisync' ? ['--resync'] : [];
    const ended = await run([command, at(from), at(to), `--cutoff-mode=${mode}`, ...more]);
    expect(ended).toMatchObject(LATE);
  }
});

it.each(['hard', 'soft'])('a pause between attempts ends with the time: %s', async (mode) => {
  graph.setFaults(({ operation }) => (operation === 'listChildren' ? { status: 500 } : undefined));
  const flags = ['--retries-sleep=1h', '--low-level-retries=1', `--cutoff-mode=${mode}`];
  expect(await run(['copy', 'd:x', join(base, 'dst'), ...flags])).toMatchObject(LATE);
});

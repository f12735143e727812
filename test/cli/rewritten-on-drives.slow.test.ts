import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GraphFaultRule } from '../servers/graph/graph-fault.ts';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import { runInProcess } from '../support/run-in-process.ts';

// A document library writes into other files than those of Office: html, pdf.

const PAGE = '<p>page</p>';
const OLD = '<p>old page</p>';
const IGNORE = ['--ignore-size', '--ignore-checksum'];

let base: string;
let graph: TestGraph;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'syncer-test-rewritten-'));
  graph = await startTestGraph({ drives: [{ type: 'documentLibrary' }], rewritesToo: ['html'] });
  await fill({ 'p.html': PAGE, 'n.txt': 'text' });
  await configure();
});
afterEach(async () => {
  await graph.stop();
  await rm(base, { recursive: true, force: true });
});

async function configure(options: Record<string, string> = {}): Promise<void> {
  const section = Object.entries({ ...graph.section(), graph_url: graph.graphUrl, ...options });
  const lines = section.map(([key, value]) => `${key} = ${value}\n`);
  await writeFile(join(base, 'syncer.conf'), `[d]\n${lines.join('')}`);
}

async function fill(files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(base, 'src'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(base, 'src', name), text);
    await utimes(join(base, 'src', name), 1000, 1000);
  }
}

const run = ([command = '', ...args]: readonly string[], input?: string) =>
  runInProcess(
    [command, '--retries=1', '--low-level-retries=2', ...args],
    { HOME: base, SYNCER_CONFIG: join(base, 'syncer.conf'), TZ: 'UTC', LC_ALL: 'C.UTF-8' },
    input === undefined ? {} : { input },
  );
const src = () => join(base, 'src');
const pages = () =>
  Object.fromEntries(Object.entries(graph.drive.tree()).filter(([path]) => path.endsWith('.html')));

describe.each([
  ['in a session', {}],
  ['in one request', { upload_cutoff: '1Mi' }],
] as const)('a page that is written %s', (_, options) => {
  beforeEach(() => configure(options));

  it('is stored with --ignore-size and --ignore-checksum, and not sent again', async () => {
    for (const flags of [[], ['--update'], ['--size-only'], ['--fast-list'], ['--checksum']]) {
      const before = graph.drive.find('p/p.html')?.versions.length;
      expect(await run(['copy', src(), 'd:p', ...IGNORE, ...flags])).toMatchObject({ code: 0 });
      // As in rclone, other content is sent again.
      const isSent = before === undefined || flags.includes('--checksum');
      const { versions } = graph.drive.item('p/p.html');
      if (!isSent) expect([flags, versions.length]).toEqual([flags, before]);
    }
    expect(pages()['p/p.html']).toContain(PAGE);
    expect(graph.drive.item('p/p.html').modified).toBe(1_000_000);
    await fill({ 'p.html': 'another page' });
    await utimes(join(src(), 'p.html'), 2000, 2000);
    expect((await run(['move', src(), 'd:p', ...IGNORE])).code).toBe(0);
    expect(pages()['p/p.html']).toContain('another page');
    await expect(readFile(join(src(), 'p.html'))).rejects.toThrow();
  });

  it('needs both of them: size and hash are compared without', async () => {
    for (const flag of IGNORE) {
      const { code, stderr } = await run(['copy', src(), 'd:p', flag]);
      expect(code).toBe(1);
      expect(stderr).toContain('corrupted on transfer');
    }
    expect(pages()).toEqual({});
    expect((await run(['rcat', 'd:r.html', ...IGNORE], PAGE)).code).toBe(0);
    expect(pages()['r.html']).toContain(PAGE);
  });

  it.each([
    ['long before', -100_000, true],
    ['just before', 0, true],
    ['long before, where no version can be put back', -100_000, false],
  ])('is no reason to lose the version of %s', async (_when, age, puts) => {
    const faults: GraphFaultRule = ({ operation }) =>
      operation === 'restoreVersion' && !puts ? { status: 501 } : undefined;
    graph.setFaults(faults);
    for (const command of ['copy', 'sync', 'move']) {
      const path = `${command}/p.html`;
      const item = graph.drive.put(path, OLD, new Date('2023-01-01'));
      item.serverModified += age;
      item.created += age;
      const { code, stderr } = await run([command, src(), `d:${command}`]);
      expect(code).toBe(1);
      expect(stderr).toContain('corrupted on transfer');
      if (puts) expect(pages()[path]).toBe(OLD);
      else expect(pages()[path]).toBeDefined();
      expect(await readFile(join(src(), 'p.html'), 'utf8')).toBe(PAGE);
    }
    graph.setFaults(undefined);
    expect((await run(['copy', src(), 'd:p', ...IGNORE, '--ignore-times'])).code).toBe(0);
    expect(pages()['p/p.html']).toContain(PAGE);
  });

  it('is undone to the version just before it, whatever is older, run after run', async () => {
    const item = graph.drive.put('p/p.html', '<p>long ago</p>', new Date('2020-01-01'));
    item.created -= 100_000;
    item.serverModified -= 100_000;
    graph.drive.put('p/p.html', OLD, new Date('2023-01-01'));
    for (const command of ['copy', 'sync', 'copy', 'move']) {
      const { code, stderr } = await run([command, src(), 'd:p']);
      expect(code).toBe(1);
      expect(stderr).toContain('corrupted on transfer');
      expect([command, pages()]).toEqual([command, { 'p/p.html': OLD }]);
    }
  });

  it('stays as the library makes it where no version was kept of the one before', async () => {
    graph.settings.keepsVersions = false;
    const item = graph.drive.put('p/p.html', OLD, new Date('2023-01-01'));
    item.created -= 100_000;
    const { code, stderr } = await run(['copy', src(), 'd:p']);
    expect(code).toBe(1);
    expect(stderr).toContain('stays');
    expect(pages()['p/p.html']).toContain(PAGE);
    expect((await run(['check', src(), 'd:p', '--size-only'])).code).toBe(1);
  });
});

it('a page that is copied within the library is stored', async () => {
  graph.drive.put('a/p.html', OLD, new Date('2023-01-01'));
  graph.drive.put('b/p.html', PAGE, new Date('2023-01-02'));
  expect((await run(['copy', 'd:a', 'd:b'])).code).toBe(0);
  expect(pages()['b/p.html']).toBe(OLD);
});

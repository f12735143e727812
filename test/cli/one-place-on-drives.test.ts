import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import type { TestDrive } from '../servers/graph/test-drive.ts';
import { runInProcess } from '../support/run-in-process.ts';

const TREE = { a: 'one', 'p/b': 'two', 'p/deep/c': 'three' };

let base: string;
let graph: TestGraph;
let here: TestDrive;
let away: TestDrive;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'syncer-test-place-'));
  graph = await startTestGraph({ drives: [{ type: 'business' }, { type: 'business' }] });
  [here, away] = graph.drives as [TestDrive, TestDrive];
});
afterAll(async () => {
  await graph.stop();
  await rm(base, { recursive: true, force: true });
});

beforeEach(async () => {
  for (const drive of graph.drives) {
    for (const top of new Set(Object.keys(drive.tree()).map((path) => path.split('/')[0] ?? ''))) {
      drive.remove(top);
    }
  }
  for (const [path, content] of Object.entries(TREE)) {
    here.put(`x/${path}`, content);
    away.put(`shared/${path}`, content);
  }
  here.addShortcut('short', away, 'shared');
  const plain: Record<string, string> = { ...graph.section(here), graph_url: graph.graphUrl };
  const { drive_id: driveId = '', ...ofAccount } = plain;
  const sections = {
    d: plain,
    e: plain,
    capitals: { ...plain, drive_id: driveId.toUpperCase() },
    account: ofAccount,
    folder: { ...plain, root_folder_id: here.item('x').id },
    away: { ...plain, drive_id: away.id },
  };
  const text = Object.entries(sections).map(([name, keys]) => {
    const lines = Object.entries(keys).map(([key, value]) => `${key} = ${value}\n`);
    return `[${name}]\n${lines.join('')}\n`;
  });
  await writeFile(join(base, 'syncer.conf'), text.join(''));
});

const run = (...line: string[]) =>
  runInProcess([...line, '--retries', '1'], {
    PATH: process.env['PATH'],
    HOME: base,
    SYNCER_CONFIG: join(base, 'syncer.conf'),
  });

const trees = () => [here.tree(), away.tree()];

it.each([
  ['d:x', 'e:x'],
  ['d:x', 'e:X'],
  ['d:x', 'account:x'],
  ['account:x', 'd:x'],
  ['d:x', 'folder:'],
  ['folder:p', 'd:x/p'],
  ['d:short', 'away:shared'],
  ['away:shared', 'd:short'],
  ['d:short/p', 'away:shared/p'],
])('a move of %s to %s, which are one, leaves everything there', async (source, dest) => {
  const before = trees();
  for (const flags of [
    [],
    ['--checksum'],
    ['--ignore-times'],
    ['--disable', 'Move,Copy,DirMove'],
  ]) {
    expect(await run('move', source, dest, ...flags)).toMatchObject({ code: 0 });
    expect(trees()).toEqual(before);
    await run('move', `${source}/${source.includes('p') ? 'b' : 'a'}`, dest, ...flags);
    expect(trees()).toEqual(before);
    expect(await run('sync', source, dest, ...flags)).toMatchObject({ code: 7 });
    expect(trees()).toEqual(before);
  }
});

it.each([
  ['d:x', 'e:x/p'],
  ['d:x/p', 'account:x'],
  ['folder:', 'd:x/new/folder'],
  ['d:short', 'away:shared/p'],
  ['away:', 'd:short/new'],
])('a sync of %s to %s, one in the other, is refused', async (source, dest) => {
  const before = trees();
  expect(await run('sync', source, dest)).toMatchObject({ code: 7 });
  expect(trees()).toEqual(before);
});

it('a sync deletes nothing of its source by a shortcut to it', async () => {
  here.put('y/keep', 'k');
  const { 'shared/a': _, ...before } = away.tree();
  const { code, stderr } = await run('sync', 'away:shared/p', 'd:');
  expect(stderr).toContain('is in the source');
  expect(code).not.toBe(0);
  expect(away.tree()).toMatchObject(before);
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { IDS_BY_TURNS, type OddIds } from '../servers/graph/odd-ids.ts';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import type { TestDrive } from '../servers/graph/test-drive.ts';
import { someOf } from '../support/in-part.ts';
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
  const before = away.tree();
  const { code, stderr } = await run('sync', 'away:shared/p', 'd:');
  expect(stderr).toContain('short: Deleted the shortcut, and nothing in the directory');
  expect(code).toBe(0);
  expect(away.tree()).toEqual(before);
});

const OWN_TREE = { 's1.txt': 'one', 'in/s2.txt': 'two' };

/** Ids of personal drives that a response writes otherwise, and whether requests may have short ones. */
const ODD: readonly (readonly [string, OddIds])[] = [
  ['no zeros in drives of shortcuts', { drive: ['short'], in: ['remoteItem'] }],
  ['items of shortcuts in lower case', { item: ['lower'], in: ['remoteItem'] }],
  ['no zeros in items of shortcuts', { item: ['short'], in: ['remoteItem'] }],
  ['drives in lower case', { drive: ['lower'] }],
  ['items in lower case', { item: ['lower'] }],
  ['parents in lower case', { drive: ['lower'], item: ['lower'], in: ['parentReference'] }],
  ['no zeros at all', { drive: ['short'], item: ['short'] }],
  ['all by turns', IDS_BY_TURNS],
];

describe.each([true, false])('a personal drive that takes short ids: %s', (takesShortIds) => {
  let personal: TestGraph;
  let mine: TestDrive;
  let theirs: TestDrive;

  beforeEach(async () => {
    personal = await startTestGraph({
      drives: [{ type: 'personal' }, { type: 'personal' }],
      takesShortIds,
      pageSize: 2,
    });
    [mine, theirs] = personal.drives as [TestDrive, TestDrive];
    for (const [path, content] of Object.entries(OWN_TREE)) theirs.put(`shared/${path}`, content);
    mine.addShortcut('Link', theirs, 'shared');
    const keys = { ...personal.section(mine), graph_url: personal.graphUrl };
    const short = (id: string) => id.replace(/^0+/, '').toLowerCase();
    const folder = theirs.item('shared').id;
    const sections = {
      a: keys,
      other: { ...keys, drive_id: theirs.id },
      odd: { ...keys, drive_id: short(theirs.id) },
      folder: { ...keys, drive_id: theirs.id, root_folder_id: folder },
      'odd-folder': { ...keys, drive_id: short(theirs.id), root_folder_id: short(folder) },
    };
    const text = Object.entries(sections).map(([name, values]) => {
      const lines = Object.entries(values).map(([key, value]) => `${key} = ${value}\n`);
      return `[${name}]\n${lines.join('')}\n`;
    });
    await writeFile(join(base, 'syncer.conf'), text.join(''));
  });
  afterEach(() => personal.stop());

  it.each(someOf(ODD, 4))('lists what is shared, with %s', async (_, oddIds) => {
    personal.settings.oddIds = oddIds;
    for (const [place, below] of [
      ['a:', 'Link/'],
      ['other:shared', ''],
      ['odd:shared', ''],
      ['odd-folder:', ''],
    ] as const) {
      const listed = await run('lsf', '-R', '--files-only', place);
      expect(listed).toMatchObject({ code: 0 });
      const paths = Object.keys(OWN_TREE).map((path) => `${below}${path}\n`);
      expect([...listed.stdout.matchAll(/.*\n/g)].map(String).sort()).toEqual(paths.sort());
    }
  });

  const OTHERS = ['other:shared', 'odd:shared', 'folder:', 'odd-folder:'];
  it.each(someOf(ODD, 1))(
    'keeps a shared folder that is moved to itself, with %s',
    async (_, oddIds) => {
      personal.settings.oddIds = oddIds;
      const before = theirs.tree();
      for (const other of OTHERS) {
        for (const [source, dest] of [
          ['a:Link', other],
          [other, 'a:Link'],
        ] as const) {
          await run('move', source, dest);
          expect([source, dest, theirs.tree()]).toEqual([source, dest, before]);
          expect(await run('sync', source, dest)).toMatchObject({ code: 7 });
          await run('move', `${source}/in`.replace(':/', ':'), `${dest}/in`.replace(':/', ':'));
          await run(
            'moveto',
            `${source}/s1.txt`.replace(':/', ':'),
            `${dest}/s1.txt`.replace(':/', ':'),
          );
          expect([source, dest, theirs.tree()]).toEqual([source, dest, before]);
        }
      }
    },
  );

  it.runIf(takesShortIds)('tries whether roots are one where ids do not say it', async () => {
    const before = theirs.tree();
    for (const form of [{ drive: ['unknown'] }, { item: ['unknown'] }] as const) {
      personal.settings.oddIds = { ...form, in: ['remoteItem'] };
      for (const [source, dest] of [
        ['a:Link', 'other:shared'],
        ['other:shared', 'a:Link'],
      ] as const) {
        const { code, stderr } = await run('move', source, dest);
        expect([code, stderr]).toEqual(
          'drive' in form
            ? [7, expect.stringContaining('the same files under two names')]
            : [0, expect.stringContaining('it is the same file')],
        );
        expect(theirs.tree()).toEqual(before);
      }
      expect((await run('sync', 'other:shared/in', 'a:Link')).code).not.toBe(0);
      expect(theirs.read('shared/in/s2.txt')?.toString()).toBe('two');
      theirs.remove('shared');
      for (const [path, content] of Object.entries(OWN_TREE)) theirs.put(`shared/${path}`, content);
      mine.remove('Link');
      mine.addShortcut('Link', theirs, 'shared');
    }
  });

  it.runIf(takesShortIds)('moves files from one drive to another', async () => {
    mine.put('x/f', 'f');
    theirs.put('y/g', 'g');
    expect(await run('move', 'a:x', 'other:y')).toMatchObject({ code: 0 });
    expect(theirs.tree()).toMatchObject({ 'y/f': 'f', 'y/g': 'g' });
    expect(mine.files()).toEqual(['Link']);
  });
});

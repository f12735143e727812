import { describe, expect, test } from 'vitest';
import { innermost } from '../../../src/core/around.ts';
import type { Page, Remote } from '../../../src/core/remote.ts';
import { fileList } from '../../../src/filter/file-lists.ts';
import { hideOwnNames, showOwnNames, showTrialFiles } from '../../../src/names/hide-own-names.ts';
import { ownMark } from '../../../src/system/owner-state.ts';
import { contentsOf, remoteBut, remoteWith, runOnce } from '../../support/memory-world.ts';

const op = { signal: new AbortController().signal };

const OWN = { '.syncer-guard': 'g', 'd/.syncer-lock': 'l', 'd/.syncer-trash/run/x': 't' };
const FILES = { a: '1', 'd/b': '2', '.syncer-guards': '3', 'x.syncer-trash/c': '4' };

test('no listing has them; their paths reach them', async () => {
  const remote = await remoteWith({ ...FILES, ...OWN });
  const hidden = hideOwnNames(remote);
  expect(Object.keys(await contentsOf(hidden)).sort()).toEqual(Object.keys(FILES).sort());
  expect(await hidden.stat('d/.syncer-lock', op)).toMatchObject({ size: 1 });
  expect(Object.keys(await contentsOf(hidden, 'd/.syncer-trash'))).toEqual([
    'd/.syncer-trash/run/x',
  ]);
  expect(showOwnNames(hidden)).toBe(remote);
  expect(showOwnNames(remote)).toBe(remote);
  expect(innermost(hidden)).toBe(remote);
});

test('listings of whole trees and the failures in them', async () => {
  const paths = Object.keys({ ...FILES, ...OWN });
  const page: Page = {
    entries: paths.map((path) => ({ kind: 'file', path, size: 1 })),
    failed: [{ path: 'd/.syncer-trash', kind: 'dir', error: new Error('x') }],
  };
  const plain = await remoteWith({});
  const dirs = new Map([
    ['', page],
    ['d/.syncer-trash', page],
    ['e', { entries: [] }],
  ]);
  const remote: Remote = Object.assign(Object.create(plain), {
    can: {
      ...plain.can,
      listTreePage: async () => page,
      async *listTreeUnordered() {
        yield page.entries;
      },
      listDirs: async () => dirs,
    },
  });
  const { can } = hideOwnNames(remote);
  const left = { entries: page.entries.slice(0, Object.keys(FILES).length), failed: [] };
  expect(await can.listTreePage?.('', undefined, op)).toEqual(left);
  const unordered = [];
  for await (const entries of can.listTreeUnordered?.('', 4, op) ?? []) unordered.push(...entries);
  expect(unordered).toEqual(left.entries);
  const listed = await can.listDirs?.(op);
  expect([...(listed?.keys() ?? [])]).toEqual(['', 'e']);
  expect(listed?.get('')?.entries).toEqual(
    page.entries.filter(({ path }) => !/(^|\/)\.syncer-(guard|lock)$/.test(path)),
  );
  expect(listed?.get('e')).toBe(dirs.get('e'));
});

test('a watched tree leaves them out', async () => {
  const plain = await remoteWith({});
  const kept: string[] = [];
  const remote: Remote = Object.assign(Object.create(plain), {
    can: {
      watch: async (plan: { keepDir(dir: string): boolean }) => {
        const dirs = ['d', '.syncer-trash', 'd/.syncer-trash/run', '.syncer-lock', 'no'];
        kept.push(...dirs.filter(plan.keepDir));
        return { dirs: 0, assertSameRoot() {} };
      },
    },
  });
  const plan = { keepDir: (dir: string) => dir !== 'no', onChange() {}, onLost() {} };
  await hideOwnNames(remote).can.watch?.(plan, op);
  expect(kept).toEqual(['d', '.syncer-lock']);
});

test("a user's file or directory with the name of the other kind is shown", async () => {
  const theirs = {
    '.syncer-trash': '1',
    'd/.syncer-guard/a': '2',
    '.syncer-lock/.syncer-trash': '3',
  };
  const hidden = hideOwnNames(await remoteWith(theirs));
  expect(Object.keys(await contentsOf(hidden)).sort()).toEqual(Object.keys(theirs).sort());
});

test('lists of files have none', () => {
  const { files, dirs } = fileList([
    'a/b',
    'a/.syncer-guard',
    '.syncer-trash/run/x',
    'c/.syncer-trash',
  ]);
  expect([[...files], [...dirs]]).toEqual([
    ['a/b', 'c/.syncer-trash'],
    ['a', 'c'],
  ]);
});

describe('what interrupted runs left', () => {
  const trial = 'd/syncer-partial-1a-2b-3c-0011223344';
  const onDrive = { 'syncer-0123456789ab.copy': 'c', 'd/x.txt.syncer-0123456789ab.tmp': 'old' };

  test('is in no listing of a drive, and a file of the user is', async () => {
    const memory = await remoteWith({ ...FILES, [trial]: '', ...onDrive, 'd/b.syncer-x.tmp': '5' });
    const place = { ...memory.can.place, kind: 'drive' } as NonNullable<typeof memory.can.place>;
    const hidden = hideOwnNames(remoteBut(memory, { can: { ...memory.can, place } }));
    const shown = { ...FILES, 'd/b.syncer-x.tmp': '5' };
    expect(Object.keys(await contentsOf(hidden)).sort()).toEqual(Object.keys(shown).sort());
    expect(await hidden.stat(trial, op)).toMatchObject({ size: 0 });
  });

  test('elsewhere only trial files are: other names are those of the user', async () => {
    const memory = await remoteWith({ ...FILES, [trial]: '', ...onDrive, [`${trial}0`]: 'full' });
    const hidden = hideOwnNames(memory);
    const shown = { ...FILES, ...onDrive, [`${trial}0`]: 'full' };
    expect(Object.keys(await contentsOf(hidden)).sort()).toEqual(Object.keys(shown).sort());
    const all = Object.keys(await contentsOf(showTrialFiles(hidden)));
    expect(all.sort()).toEqual([...Object.keys(shown), trial].sort());
    expect(showTrialFiles(memory)).toBe(memory);
  });

  test('is deleted by the next sync on both sides, and not copied', async () => {
    const [source, dest] = [
      await remoteWith({ a: '1', [trial]: '' }),
      await remoteWith({ a: '1' }),
    ];
    const dead = `syncer-partial-${ownMark().replace(/[^-]+$/, '1')}-0011223344`;
    await addTo(source, dead);
    await addTo(dest, dead);
    const { error } = await runOnce('sync', hideOwnNames(source), hideOwnNames(dest));
    expect(error).toBeUndefined();
    expect(Object.keys(await contentsOf(source)).sort()).toEqual(['a', trial]);
    expect(Object.keys(await contentsOf(dest))).toEqual(['a']);
  });
});

async function addTo(remote: Remote, path: string): Promise<void> {
  const open = async () => Buffer.alloc(0);
  await remote.write({ path, size: 0, seekable: true, open }, op);
}

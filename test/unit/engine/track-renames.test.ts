import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import { RENAMES } from '../../../src/engine/passes/renames/flags.ts';
import type { RenameStrategy } from '../../../src/engine/passes/renames/track-renames.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import {
  contentsOf,
  quietContext,
  remoteBut,
  remoteWith,
  runOnce,
} from '../../support/memory-world.ts';

const by = (...names: (keyof RenameStrategy)[]): { trackRenames: RenameStrategy } => ({
  trackRenames: {
    hash: names.includes('hash'),
    modTime: names.includes('modTime'),
    leaf: names.includes('leaf'),
  },
});

const renamesIn = (log: readonly string[]) => log.filter((line) => line.includes('Renamed from'));

describe('strategies', () => {
  const ours = { 'new/name': ['the content', 5], 'new/other': ['The Content', 6] } as const;
  const theirs = { 'old/name': ['the content', 7], 'old/more': ['THE CONTENT', 6] } as const;

  test.each([
    [by('hash'), ['old/name > new/name']],
    [by('leaf'), ['old/name > new/name']],
    [by('modTime'), ['old/more > new/other']],
    [by('modTime', 'leaf'), []],
    [by('hash', 'modTime'), []],
    [by('hash', 'leaf'), ['old/name > new/name']],
    [by(), ['old/name > new/name', 'old/more > new/other']],
  ])('%j', async (options, expected) => {
    const [source, dest] = [await remoteWith(ours), await remoteWith(theirs)];
    const { log, error } = await runOnce('sync', source, dest, options);
    expect(error).toBeUndefined();
    const renames = renamesIn(log).map((line) =>
      line.replace(/^info: (.*): Renamed from "(.*)"$/, '$2 > $1'),
    );
    expect(renames.sort()).toEqual([...expected].sort());
    expect(Object.keys(await contentsOf(dest))).toEqual(Object.keys(await contentsOf(source)));
  });

  test('asks for times only where sizes fit, and not at all for hashes that are told', async () => {
    const source = await remoteWith({ new1: 'one', new2: 'three' });
    const stored = await remoteWith({ old1: 'ONE', old2: 'twenty' }, { slowModTime: true });
    const asked: string[] = [];
    const details: typeof stored.can.details = {
      async read(file, op) {
        asked.push(file.path);
        return (await stored.can.details?.read(file, op)) ?? file;
      },
    };
    const dest = remoteBut(stored, { can: { ...stored.can, details } });
    const { log } = await runOnce('sync', source, dest, by('modTime'));
    expect(asked).toEqual(['old1']);
    expect(renamesIn(log)).toEqual(['info: new1: Renamed from "old1"']);
  });
});

describe('what it cannot do', () => {
  const cases = {
    'the destination does not support server-side move or copy': {
      without: ['moveFrom', 'copyFrom'],
    },
    'the source and destination do not have a common hash': { hashes: [] },
    'either the source or destination do not support modtime': { modTimePrecision: undefined },
  } as const;

  test.each(Object.entries(cases))('%s', async (why, options) => {
    const source = await remoteWith({ new: 'content' });
    const dest = await remoteWith({ old: 'content' }, options);
    const { log, error } = await runOnce('sync', source, dest, by('hash', 'modTime'));
    expect(error).toBeUndefined();
    expect(log).toContain(`error: ${dest.title}: Ignoring --track-renames as ${why}`);
    expect(renamesIn(log)).toEqual([]);
    expect(Object.keys(await contentsOf(dest))).toEqual(['new']);
  });

  test('a file that cannot be renamed is copied, and the old one deleted', async () => {
    const source = await remoteWith({ new1: 'one', new2: 'two' });
    const stored = await remoteWith({ old1: 'one', old2: 'two' });
    const moveFrom: typeof stored.can.moveFrom = async (_from, file, path, op) => {
      if (path === 'new1') throw new SyncerError('access-denied', 'no');
      return stored.can.moveFrom?.(stored, file, path, op);
    };
    const dest = remoteBut(stored, { can: { ...stored.can, moveFrom } });
    const { log, error, transferred } = await runOnce('sync', source, dest, by('hash'));
    expect(error).toBeUndefined();
    expect(transferred).toBe(1);
    expect(renamesIn(log)).toEqual(['info: new2: Renamed from "old2"']);
    expect(await contentsOf(dest)).toEqual(await contentsOf(source));
  });

  test('what cannot be told apart is copied', async () => {
    const source = await remoteWith({ new1: 'one', new2: 'two' });
    const dest = await remoteWith({ old1: 'two', old2: 'one' });
    const { log, transferred } = await runOnce('sync', source, dest, by('modTime'));
    expect(transferred).toBe(2);
    expect(log).toContainEqual(expect.stringContaining('2 files may have been renamed'));
    expect(await contentsOf(dest)).toEqual(await contentsOf(source));
  });
});

test('a file whose new name is a directory at the destination takes its place', async () => {
  const source = await remoteWith({ name: 'content' });
  const dest = await remoteWith({ 'name/inner': 'content' });
  const { error } = await runOnce('sync', source, dest, by('hash'));
  expect(error).toBeUndefined();
  expect(await contentsOf(dest)).toEqual({ name: 'content@1000' });
});

test('what was renamed is not deleted and needs no backup', async () => {
  const source = await remoteWith({ new: 'content' });
  const dest = await remoteWith({ old: 'content', gone: 'other content' });
  const remote = await remoteWith({});
  const backup = { remote, suffix: '', keepExtension: false };
  await runOnce('sync', source, dest, { ...by('hash'), backup });
  expect(await contentsOf(dest)).toEqual({ new: 'content@1000' });
  expect(await contentsOf(remote)).toEqual({ gone: 'other content@1000' });
});

test('with --name-transform files get their new names', async () => {
  const source = await remoteWith({ new: 'content', more: 'other content' });
  const dest = await remoteWith({ old: 'content' });
  const transform = { name: (leaf: string) => `${leaf}.bak` };
  const { log, error, transferred } = await runOnce('sync', source, dest, {
    ...by('hash'),
    transform,
  });
  expect(error).toBeUndefined();
  expect(renamesIn(log)).toEqual(['info: new: Renamed from "old"']);
  expect(transferred).toBe(1);
  expect(Object.keys(await contentsOf(dest)).sort()).toEqual(['more.bak', 'new.bak']);
});

test.each([
  ['sync', {}, true],
  ['copy', {}, false],
  ['move', { isFile: true }, false],
  ['copy', { isTwoWay: true }, true],
] as const)('%s %o opens the pass, or says that it has no effect', async (verb, more, isOpened) => {
  const [source, dest] = [await remoteWith({}), await remoteWith({})];
  const { context, logLines } = quietContext();
  const opening = { verb, source, dest, context, filter: async () => passAllFilter, ...more };
  const none = () => Promise.reject(new Error('nothing is opened'));
  const flags = { 'track-renames': true, 'track-renames-strategy': 'leaf' };
  const opened = await RENAMES.open(flags, { ...opening, openDir: none, openPath: none });
  expect(opened !== undefined).toBe(isOpened);
  const why = "it doesn't work with copy or move, only sync";
  const isTold = !isOpened && !('isFile' in more);
  const line = `error: ${dest.title}: Ignoring --track-renames as ${why}`;
  expect(logLines()).toEqual(isTold ? [line] : []);
});

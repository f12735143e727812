import { describe, expect, test } from 'vitest';
import type { SyncOptions } from '../../../src/engine/pass.ts';
import { contentsOf, type Files, remoteWith, runOnce } from '../../support/memory-world.ts';

type Verb = Parameters<typeof runOnce>[0];

async function run(verb: Verb, from: Files, to: Files, options: Partial<SyncOptions> = {}) {
  const source = await remoteWith(from, { name: 'from' });
  const dest = await remoteWith(to, { name: 'to' });
  const backup = { remote: dest, suffix: '.old', keepExtension: false };
  const { error, log } = await runOnce(verb, source, dest, { backup, ...options });
  return { error, log, from: await contentsOf(source), to: await contentsOf(dest) };
}

const clash = 'the backup name "a.old" is also a source file';

describe('a backup beside its file', () => {
  test.each([
    ['copy', undefined],
    ['sync', 'after'],
    ['sync', 'before'],
    ['move', undefined],
  ] as const)('takes no place of a file of the source: %s, %s', async (verb, deletes) => {
    const options = deletes === undefined ? {} : { deletes };
    const files = { a: 'new a', 'a.old': 'new a.old', b: 'new b' };
    const { error, log, from, to } = await run(verb, files, { a: 'A', b: 'B' }, options);
    expect(error?.message).toContain(clash);
    expect(log.join()).toContain(
      `error: a: Failed to ${verb === 'move' ? 'move' : 'copy'}: ${clash}`,
    );
    expect(to).toEqual({
      a: 'A@1000',
      'a.old': 'new a.old@1000',
      b: 'new b@1000',
      'b.old': 'B@1000',
    });
    if (verb === 'move') expect(from).toEqual({ a: 'new a@1000' });
  });

  test('nor of one that is there and needs no copy', async () => {
    const { error, to } = await run('copy', { a: 'new', 'a.old': 'x' }, { a: 'A', 'a.old': 'x' });
    expect(error?.message).toContain(clash);
    expect(to).toEqual({ a: 'A@1000', 'a.old': 'x@1000' });
  });

  test.each(['after', 'before', 'during'] as const)(
    'nor does that of surplus: %s',
    async (deletes) => {
      const { error, to } = await run('sync', { 'a.old': 'x' }, { a: 'A', c: 'C' }, { deletes });
      expect(error?.message).toContain(clash);
      expect(to).toEqual({ a: 'A@1000', 'a.old': 'x@1000', 'c.old': 'C@1000' });
    },
  );

  test('of surplus comes after the surplus of its name has gone', async () => {
    const dest = { a: '1', 'a.old': '2', 'a.old.old': '3' };
    const { error, to } = await run('sync', { b: 'b' }, dest);
    expect(error).toBeUndefined();
    expect(to).toEqual({
      b: 'b@1000',
      'a.old': '1@1000',
      'a.old.old': '2@1000',
      'a.old.old.old': '3@1000',
    });
  });

  test.each(['after', 'during'] as const)(
    'is no surplus, although it replaces some: %s',
    async (deletes) => {
      const dest = { a: '2', 'a.old': '1', b: 'B' };
      const { error, log, to } = await run('sync', { a: 'new' }, dest, { deletes });
      expect(error).toBeUndefined();
      expect(log.join()).not.toContain(' a.old: ');
      expect(to).toEqual({ a: 'new@1000', 'a.old': '2@1000', 'b.old': 'B@1000' });
    },
  );

  test('is written after the surplus of its name has gone, if that goes before', async () => {
    const dest = { a: '2', 'a.old': '1' };
    const { to } = await run('sync', { a: 'new' }, dest, { deletes: 'before' });
    expect(to).toEqual({ a: 'new@1000', 'a.old': '2@1000', 'a.old.old': '1@1000' });
  });

  test('may have the name of a file that is not copied at all', async () => {
    const options = { existing: true };
    const { error, to } = await run('copy', { a: 'new', 'a.old': 'x' }, { a: 'A' }, options);
    expect(error).toBeUndefined();
    expect(to).toEqual({ a: 'new@1000', 'a.old': 'A@1000' });
  });

  test('where case does not count', async () => {
    const dest = await remoteWith({ a: 'A' }, { name: 'to', caseInsensitive: true });
    const backup = { remote: dest, suffix: '.old', keepExtension: false };
    const { error } = await runOnce('copy', await remoteWith({ a: 'new', 'A.OLD': 'x' }), dest, {
      backup,
    });
    expect(error?.code).toBe('already-exists');
    expect(await contentsOf(dest)).toEqual({ a: 'A@1000', 'A.OLD': 'x@1000' });
  });
});

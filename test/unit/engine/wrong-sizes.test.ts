import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Entry, FileEntry, Remote } from '../../../src/core/remote.ts';
import type { CheckBy } from '../../../src/engine/rules/check-rules.ts';
import type { PairFacts } from '../../../src/engine/rules/rule.ts';
import { checkedAs } from '../../support/judged.ts';
import { contentsOf, remoteBut, remoteWith, runOnce } from '../../support/memory-world.ts';

const op = { signal: new AbortController().signal };

/** A remote that lists every file with this size. */
function saying(size: number, remote: Remote): Remote {
  const lie = <E extends Entry>(entry: E): E =>
    entry.kind === 'file' ? { ...entry, size } : entry;
  const truth = async ({ path }: FileEntry) => {
    const entry = await remote.stat(path, op);
    if (entry?.kind !== 'file') throw new SyncerError('file-not-found', path);
    return entry;
  };
  return remoteBut(remote, {
    async stat(path, call) {
      const entry = await remote.stat(path, call);
      return entry && lie(entry);
    },
    async listPage(dir, cursor, call) {
      const page = await remote.listPage(dir, cursor, call);
      return { ...page, entries: page.entries.map(lie) };
    },
    read: async (file, range, call) => remote.read(await truth(file), range, call),
    can: {
      async confirmSize(file) {
        const { size: real } = await truth(file);
        if (real <= file.size) return file;
        if (file.size === 0) return { ...file, size: -1 };
        throw new SyncerError('source-changed', `${file.path} has more`, { path: file.path });
      },
    },
  });
}

describe.each(['copy', 'sync', 'move'] as const)(
  '%s of what is listed as empty and is not',
  (verb) => {
    test('takes its content, again in each run', async () => {
      const inner = await remoteWith({ a: 'content' });
      const dest = await remoteWith({});
      const source = saying(0, inner);
      for (const _ of [1, 2]) {
        const { error, log } = await runOnce(verb, source, dest);
        expect(error).toBeUndefined();
        expect(await contentsOf(dest)).toEqual({ a: 'content@1000' });
        if (verb !== 'move') expect(log.filter((line) => line.includes('Copied'))).toHaveLength(1);
      }
      expect(await contentsOf(inner)).toEqual(verb === 'move' ? {} : { a: 'content@1000' });
    });

    test('leaves an empty file empty', async () => {
      const dest = await remoteWith({});
      const { error } = await runOnce(verb, saying(0, await remoteWith({ a: '' })), dest);
      expect(error).toBeUndefined();
      expect(await contentsOf(dest)).toEqual({ a: '@1000' });
    });
  },
);

describe('move', () => {
  test('does not take an empty file for one that is only listed as empty', async () => {
    const inner = await remoteWith({ a: 'content' });
    const dest = await remoteWith({ a: '' });
    expect((await runOnce('move', saying(0, inner), dest)).error).toBeUndefined();
    expect(await contentsOf(dest)).toEqual({ a: 'content@1000' });
    expect(await contentsOf(inner)).toEqual({});
  });

  test('nor does a reference directory', async () => {
    const inner = await remoteWith({ a: 'content' });
    const dest = await remoteWith({});
    const reference = await remoteWith({ a: '' });
    const references = { mode: 'compare', dirs: [reference] } as const;
    expect((await runOnce('move', saying(0, inner), dest, { references })).error).toBeUndefined();
    expect(await contentsOf(dest)).toEqual({ a: 'content@1000' });
  });

  test('deletes nothing that is longer than its copy', async () => {
    const inner = await remoteWith({ a: 'content' });
    const source = remoteBut(saying(3, inner), {
      read: async () => {
        throw new SyncerError('source-changed', 'a has more');
      },
    });
    const { error } = await runOnce('move', source, await remoteWith({ a: 'con' }));
    expect(error?.code).toBe('source-changed');
    expect(await contentsOf(inner)).toEqual({ a: 'content@1000' });
  });
});

test.each(['size-and-time', 'size-and-hash', 'content'] as const)(
  'check by %s does not believe that a size is 0',
  (by: CheckBy) => {
    const file = (size: number): FileEntry => ({ kind: 'file', path: 'a', size, modTime: 1n });
    const ground = { windowNs: 1n, hash: 'md5' } as const;
    const verdict = (facts: PairFacts) => checkedAs(facts, by, ground);
    const [none, some, unknown] = [file(0), file(7), file(-1)];
    expect(verdict({ source: none, dest: some })).toBe('needs sizes');
    expect(verdict({ source: some, dest: none })).toBe('needs sizes');
    expect(verdict({ source: none, dest: some, isSized: true })).toBe('sizes differ');
    const known = verdict({ source: unknown, dest: some, isSized: true, hashes: 'same' });
    expect(known).not.toMatch('differ');
    const bySize = checkedAs({ source: none, dest: some }, 'size', ground);
    expect(bySize).toBe('sizes differ');
  },
);

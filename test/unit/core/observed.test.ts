import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/context.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import { type BegunWrite, type Observer, observed } from '../../../src/core/observed.ts';
import type { FileEntry } from '../../../src/core/remote.ts';
import { remoteBut, remoteWith } from '../../support/memory-world.ts';

const OP = { signal: new AbortController().signal };
const SOURCE = { path: 'new', size: 1, seekable: true, open: async () => Buffer.from('b') };

test('operations that no observer has a use for stay those of the remote', async () => {
  const remote = await remoteWith({ file: 'a' });
  expect(observed(remote, [undefined], systemClock)).toBe(remote);
  const { can } = observed(remote, [{ writes: ['set-time'] }], systemClock);
  const { setModTime, ...rest } = can;
  expect(setModTime).not.toBe(remote.can.setModTime);
  const { setModTime: _, ...others } = remote.can;
  expect(rest).toEqual(others);
});

test('what a remote cannot do stays absent', async () => {
  const remote = remoteBut(await remoteWith({ file: 'a' }), { can: {} });
  const all: Required<Observer> = {
    writes: ['write', 'copy', 'move', 'set-time', 'set-tier'],
    needsOrder: true,
    overrides: { hash: (hash) => hash },
    page: (page) => page,
    saw: (entry) => entry,
    before: () => undefined,
    wrote: () => {},
    mayMoveDir: async () => true,
    wrong: () => {},
    undo: async () => {},
    gone: async () => {},
    goneBelow: async () => {},
    hashed: () => {},
    close: () => {},
  };
  const outer = observed(remote, [all], systemClock);
  expect(Object.keys(outer.can)).toEqual(['noteHashes']);
  expect('isTooLong' in outer).toBe(false);
});

test('a response goes from the first observer to the last', async () => {
  const remote = await remoteWith({ file: 'a' });
  const tagged = (file: FileEntry): FileEntry => ({
    ...file,
    tier: file.tier === undefined ? 'first' : `${file.tier} second`,
  });
  const tagging: Observer = {
    page: (page) => ({ ...page, entries: page.entries.map((entry) => tagged(entry as FileEntry)) }),
    saw: (entry) => tagged(entry as FileEntry),
  };
  const outer = observed(remote, [tagging, tagging], systemClock);
  expect(await outer.stat('file', OP)).toMatchObject({ tier: 'first second' });
  const { entries } = await outer.listPage('', undefined, OP);
  expect(entries).toMatchObject([{ tier: 'first second' }]);
});

test('a write waits for its observers, and a wrong result is undone by them', async () => {
  const order: string[] = [];
  const wrong: FileEntry = { kind: 'file', path: 'new', size: 1 };
  let fails = false;
  const memory = await remoteWith({});
  const remote = remoteBut(memory, {
    async write(source, op) {
      order.push('write');
      if (fails) throw new SyncerError('corrupted', 'other content', { wrong });
      return memory.write(source, op);
    },
  });
  const undone: (BegunWrite | undefined)[] = [];
  const observer: Observer = {
    writes: ['write'],
    async before() {
      await Promise.resolve();
      order.push('before');
    },
    wrote: ({ path }, { kind }) => void order.push(`wrote ${path} by ${kind}`),
    async undo(_file, write) {
      undone.push(write);
    },
  };
  const outer = observed(remote, [observer], systemClock);
  await outer.write(SOURCE, OP);
  expect(order.splice(0)).toEqual(['before', 'write', 'wrote new by write']);
  fails = true;
  await expect(outer.write({ ...SOURCE, replaces: 'nothing' }, OP)).rejects.toThrow(
    'other content',
  );
  expect(order).toEqual(['before', 'write']);
  expect(undone).toMatchObject([{ kind: 'write', replaced: 'nothing' }]);
});

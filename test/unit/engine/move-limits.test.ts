import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import { ALL } from '../../../src/engine/consent.ts';
import { Budget } from '../../../src/engine/loss/budget.ts';
import { tooLong } from '../../../src/engine/run-limits.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import { attemptOneFile } from '../../../src/run/transfer/transfer.ts';
import {
  contentsOf,
  type Files,
  plainOptions,
  quietContext,
  remoteBut,
  remoteWith,
  runOnce,
} from '../../support/memory-world.ts';

describe('a move within --max-delete', () => {
  test('takes away as many files of the source and no more: exit code 7', async () => {
    const source = await remoteWith({ a: '1', b: '2', c: '3' });
    const dest = await remoteWith({});
    const options = { budget: new Budget(2), transfers: 1 };
    const { error } = await runOnce('move', source, dest, options);
    expect(error?.exit).toBe(7);
    expect(Object.keys(await contentsOf(source))).toHaveLength(1);
    expect(Object.keys(await contentsOf(dest))).toHaveLength(2);
  });

  test('counts files that are at the destination already', async () => {
    const source = await remoteWith({ a: '1', b: '2' });
    const { error } = await runOnce('move', source, await remoteWith({ a: '1', b: '2' }), {
      budget: new Budget(1),
    });
    expect(error?.exit).toBe(7);
    expect(Object.keys(await contentsOf(source))).toHaveLength(1);
  });

  const named = async (name: string, files: Files) => remoteBut(await remoteWith(files), { name });

  test('counts a file once that is copied onto another one', async () => {
    const source = await named('one', { a: '12', b: '34' });
    const dest = await named('other', { a: '1', b: '3' });
    const options = { budget: new Budget(2, 4) };
    const { error } = await runOnce('move', source, dest, options);
    expect(error).toBeUndefined();
    expect(Object.keys(await contentsOf(source))).toEqual([]);
    expect(await contentsOf(dest)).toEqual({ a: '12@1000', b: '34@1000' });
  });

  test('counts the file that a rename in the store replaces, as in rclone', async () => {
    const [source, dest] = [await remoteWith({ a: '12' }), await remoteWith({ a: '1' })];
    const { error } = await runOnce('move', source, dest, { budget: new Budget(0) });
    expect(error?.exit).toBe(7);
    expect(await contentsOf(dest)).toEqual({ a: '1@1000' });
  });

  test.each([1, 4])(
    'does not count a file whose copy fails, with %i at the same time',
    async (transfers) => {
      const source = await named('one', { a: '1', b: '2', c: '3' });
      const whole = await named('other', {});
      const dest = remoteBut(whole, {
        write: async (file, op) => {
          await new Promise((resolve) => setImmediate(resolve));
          if (file.path === 'a') throw new SyncerError('network', 'connection lost');
          return whole.write(file, op);
        },
      });
      const options = { budget: new Budget(2), transfers, lowLevelRetries: 1 };
      const { error } = await runOnce('move', source, dest, options);
      expect(error?.code).toBe('network');
      expect(Object.keys(await contentsOf(source))).toEqual(['a']);
      expect(Object.keys(await contentsOf(dest))).toEqual(['b', 'c']);
    },
  );
});

test('--delete-empty-src-dirs leaves all directories where a file could not be moved', async () => {
  const source = await remoteWith({ a: '1', 'dir/b': '2', 'empty/': '' });
  const whole = await remoteWith({});
  const dest = remoteBut(whole, {
    write: async (file, op) => {
      if (file.path === 'a') throw new SyncerError('access-denied', 'no');
      return whole.write(file, op);
    },
  });
  const { log } = await runOnce('move', source, dest, { deleteEmptySrcDirs: true });
  expect(Object.keys(await contentsOf(source)).sort()).toEqual(['a', 'dir/', 'empty/']);
  expect(log.join('\n')).toContain('not deleting directories as there were IO errors');
});

test.each([
  [true, true],
  [false, false],
])(
  'what was in the way may be deleted: with --ignore-errors another attempt follows (%s)',
  async (ignoreErrors, again) => {
    const dest = remoteBut(await remoteWith({ old: 'o' }), {
      write: async () => {
        throw new SyncerError('not-a-file', 'is a directory');
      },
    });
    const { worthRetrying } = await runOnce('sync', await remoteWith({ a: '1' }), dest, {
      ignoreErrors,
    });
    expect(worthRetrying).toBe(again);
  },
);

test.each([
  ['copied by it', {}],
  ['at the destination already', { a: '1' }],
])('a move leaves a source that was written to meanwhile: %s', async (_, there) => {
  const source = await remoteWith({ a: '1' });
  const changed = remoteBut(source, {
    async delete(files, op, how) {
      if (how?.ifUnchanged !== true) return source.delete(files, op);
      throw new SyncerError('source-changed', 'source file is being updated');
    },
  });
  const { error } = await runOnce('move', changed, await remoteWith(there));
  expect(error?.code).toBe('source-changed');
  expect(Object.keys(await contentsOf(source))).toEqual(['a']);
});

test.each([
  ['new', {}],
  ['changed', { a: '22' }],
])('a %s file that --max-duration keeps from starting ends the run with 10', async (_, there) => {
  const source = await remoteWith({ a: '1' });
  const whole = await remoteWith(there);
  const before = await contentsOf(whole);
  const over = new AbortController();
  const dest = remoteBut(whole, {
    stat: async (path, op) => {
      const found = await whole.stat(path, op);
      over.abort(tooLong());
      return found;
    },
  });
  const file = await source.stat('a', { signal: over.signal });
  if (file?.kind !== 'file') throw new Error('the file is missing');
  const context = { ...quietContext().context, signal: over.signal };
  const plan = { verb: 'copy', source, dest, options: plainOptions } as const;
  const setup = { context, filter: passAllFilter, consent: ALL, budget: new Budget() };
  const { error } = await attemptOneFile(setup, plan, file, 'a');
  expect(error?.exit).toBe(10);
  expect(await contentsOf(dest)).toEqual(before);
});

test.each([
  ['copy', 'hard', 1],
  ['copy', 'soft', 1],
  ['copy', 'cautious', 1],
  ['move', 'hard', 1],
  ['copy', 'hard', 2],
  ['copy', 'hard', 3],
] as const)(
  '%s counts what came of files that are listed as empty for --max-transfer: %s',
  async (verb, cutoffMode, copied) => {
    const whole = await remoteWith({ a: '123456', b: '123456', c: '123456' });
    const source = remoteBut(whole, {
      listPage: async (...asked) => {
        const page = await whole.listPage(...asked);
        return { ...page, entries: page.entries.map((entry) => ({ ...entry, size: 0 })) };
      },
      can: { confirmSize: async (file) => ({ ...file, size: -1 }) },
    });
    const dest = await remoteWith({});
    const options = { maxTransfer: copied * 6 - 1, cutoffMode, transfers: 1 };
    const { error } = await runOnce(verb, source, dest, options);
    expect(error?.exit).toBe(8);
    expect(Object.keys(await contentsOf(dest))).toHaveLength(copied);
  },
);

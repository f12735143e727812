import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/context.ts';
import { type ErrorCode, SyncerError } from '../../../../src/core/errors.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { ALL } from '../../../../src/engine/consent.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import { deleteFiles } from '../../../../src/engine/loss/delete-files.ts';
import { startRun } from '../../../../src/engine/run.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { applyEvent, ProgressState } from '../../../../src/shell/progress/progress-state.ts';
import { remoteWith } from '../../../support/memory-world.ts';

test('short pages of a listing make full batches', async () => {
  const batches: number[] = [];
  const bare = await remoteWith({});
  const deleting = async (files: readonly FileEntry[]) => {
    batches.push(files.length);
    return new Map();
  };
  const remote = { ...bare, delete: deleting };
  const signal = new AbortController().signal;
  const context = { signal, clock: systemClock, emit: () => undefined };
  const setup = { context, filter: passAllFilter, consent: ALL };
  const run = startRun({ ...setup, budget: new Budget() });
  const pages = Array.from({ length: 21 }, (_, page) =>
    Array.from({ length: 120 }, (_, i): FileEntry => {
      return { kind: 'file', path: `${page}/${i}`, size: 1 };
    }),
  );
  await deleteFiles(run, remote, pages, { width: 1 });
  expect(batches).toEqual([1000, 1000, 520]);
  batches.length = 0;
  const limited = startRun({ ...setup, budget: new Budget(1500) });
  await deleteFiles(limited, remote, pages, { width: 1 });
  expect(batches).toEqual([1000, 500]);
  expect(limited.tally.deciding?.code).toBe('fatal');
});

test('a file that cannot be moved into the backup because something is missing is an error', async () => {
  const remote = await remoteWith({ file: 'content' });
  const signal = new AbortController().signal;
  const context = { signal, clock: systemClock, emit: () => undefined };
  const run = startRun({ context, filter: passAllFilter, consent: ALL, budget: new Budget() });
  const take = () => Promise.reject(new SyncerError('file-not-found', 'no such directory'));
  const aside = { take, copy: take };
  const file: FileEntry = { kind: 'file', path: 'file', size: 7 };
  expect(await deleteFiles(run, remote, [[file]], { width: 1, aside })).toBe(0);
  expect(run.tally.count).toBe(1);
});

test('a batch that is refused is an error of each of its files, and uses no budget', async () => {
  const bare = await remoteWith({});
  const refused = new SyncerError('access-denied', 'access denied', { advice: 'ask for it' });
  const remote = { ...bare, delete: () => Promise.reject(refused) };
  const state = new ProgressState(0);
  const events: SyncerEvent[] = [];
  const emit = (event: SyncerEvent) => {
    events.push(event);
    applyEvent(state, event);
  };
  const context = { signal: new AbortController().signal, clock: systemClock, emit };
  const budget = new Budget(3);
  const run = startRun({ context, filter: passAllFilter, consent: ALL, budget });
  const files = ['a', 'b', 'c'].map((path): FileEntry => ({ kind: 'file', path, size: 1 }));
  await deleteFiles(run, remote, [files], { width: 1 });
  const failed = events.filter((event) => event.type === 'log' && event.code === 'failed');
  expect(failed.map((event) => event.type === 'log' && event.path)).toEqual(['a', 'b', 'c']);
  expect([run.tally.count, state.errors, state.deletedFiles]).toEqual([3, 3, 0]);
  expect(run.tally.deciding).toMatchObject({ code: 'access-denied', advice: 'ask for it' });
  // Other files may have its share of --max-delete, and need not wait for it.
  expect((await budget.reserve(remote, files)).files).toEqual(files);
});

test.each([
  [-1, 2500, [1000, 1000, 1000, 1], 2, '--max-delete-size'],
  [-1, 2000, [1000, 1000, 0], 3, undefined],
  [-1, 0, [-1, 0, 1], 2, '--max-delete-size'],
  [1, 2000, [1000, 1000], 1, '--max-delete'],
])('a budget of %i files and %i bytes', async (files, bytes, sizes, allowed, flag) => {
  const budget = new Budget(files, bytes);
  const remote = await remoteWith({});
  const sized = (size: number, n: number): FileEntry => ({ kind: 'file', path: `${n}`, size });
  const held = await budget.reserve(remote, sizes.map(sized));
  expect(held.files).toHaveLength(allowed);
  for (const file of held.files) held.commit(file);
  if (flag === undefined) return;
  // Not even a smaller one after it, by whatever order.
  expect((await budget.reserve(remote, [sized(sizes[allowed] ?? 0, 8)])).files).toEqual([]);
  expect(budget.error().message).toBe(`${flag} threshold reached`);
  expect((await budget.reserve(remote, [sized(1, 9)])).files).toEqual([]);
});

const FIVE = ['a', 'b', 'c', 'd', 'e'].map((path): FileEntry => ({ kind: 'file', path, size: 1 }));

/** Deletes files within a budget, of which `failing` fail; resolves to what is gone, and to the error. */
async function within(
  budget: Budget,
  failing: Readonly<Record<string, ErrorCode>>,
  atOnce: number,
  files = FIVE,
) {
  const bare = await remoteWith({});
  const gone: string[] = [];
  const deleting = async (files: readonly FileEntry[]) => {
    await new Promise((resolve) => setImmediate(resolve));
    const failures = new Map<FileEntry, SyncerError>();
    for (const file of files) {
      const code = failing[file.path];
      if (code === undefined) gone.push(file.path);
      else failures.set(file, new SyncerError(code, 'no'));
    }
    return failures;
  };
  const can = { ...bare.can, deletesAtOnce: atOnce };
  const remote = { ...bare, can, delete: deleting };
  const { signal } = new AbortController();
  const context = { signal, clock: systemClock, emit: () => undefined };
  const run = startRun({ context, filter: passAllFilter, consent: ALL, budget });
  await deleteFiles(run, remote, [files], { width: 3 });
  return { gone: gone.sort().join(''), code: run.tally.deciding?.code };
}

describe.each([1, 1000])('a deletion that fails, of %i in a request,', (atOnce) => {
  test('leaves its share of --max-delete to the others', async () => {
    const failing = { a: 'access-denied', c: 'access-denied' } as const;
    const all = await within(new Budget(3, 3), failing, atOnce);
    expect(all).toEqual({ gone: 'bde', code: 'access-denied' });
    const some = await within(new Budget(2), failing, atOnce);
    expect(some).toEqual({ gone: 'bd', code: 'fatal' });
  });

  test('counts if the file may be gone, but not again in the next attempt', async () => {
    const budget = new Budget(5);
    const lost = { b: 'network', d: 'server' } as const;
    expect(await within(budget, lost, atOnce)).toMatchObject({ gone: 'ace' });
    const again = FIVE.filter(({ path }) => path in lost);
    expect(await within(budget, {}, atOnce, again)).toEqual({ gone: 'bd', code: undefined });
    expect(await within(budget, {}, atOnce)).toEqual({ gone: '', code: 'fatal' });
  });
});

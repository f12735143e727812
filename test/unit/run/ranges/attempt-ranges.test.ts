import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import { compareNames } from '../../../../src/core/name-order.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { ALL } from '../../../../src/engine/consent.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import { createRunControl } from '../../../../src/engine/run-control.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { attemptRanges } from '../../../../src/run/ranges/checkpoint.ts';
import {
  Ledger,
  type LedgerRecord,
  MemoryRanges,
  waiting,
} from '../../../../src/run/ranges/ledger.ts';
import {
  contentsOf,
  type Files,
  plainOptions,
  quietContext,
  remoteBut,
  remoteWith,
} from '../../../support/memory-world.ts';

const BUCKET = { emptyDirs: false, pageSize: 5 };
const named = (from: number, to: number, content = 'x'): Files =>
  Object.fromEntries(
    Array.from({ length: to - from }, (_, i) => [
      `d${(from + i) % 3}/f${String(from + i).padStart(3, '0')}`,
      content,
    ]),
  );

/** A remote whose listings beyond a name fail, and which counts pages and deletions. */
function watched(remote: Remote, failsBehind?: () => string | undefined) {
  const seen = { pages: 0, deleted: [] as string[] };
  const { listTreePage, deletesAtOnce: _, ...can } = remote.can;
  const outer = remoteBut(remote, {
    listPage: () => Promise.reject(new Error('listed by directory')),
    delete: (files, op) => {
      for (const { path } of files) seen.deleted.push(path);
      return remote.delete(files, op);
    },
    can: {
      ...can,
      ...(listTreePage && {
        async listTreePage(dir, cursor, op, range) {
          seen.pages++;
          const page = await listTreePage(dir, cursor, op, range);
          const bad = failsBehind?.();
          const isBad = page.entries.some(
            ({ path }) => bad !== undefined && compareNames(path, bad) > 0,
          );
          if (isBad) throw new SyncerError('access-denied', 'no access');
          return page;
        },
      }),
    },
  });
  return { remote: outer, seen };
}

async function run(
  source: Remote,
  dest: Remote,
  more: {
    ranges?: MemoryRanges;
    verb?: 'copy' | 'sync';
    stopAfter?: number;
    slots?: number;
    options?: { transfers?: number };
  } = {},
) {
  const { context, events, logLines } = quietContext();
  const { ranges = new MemoryRanges(), verb = 'sync', stopAfter, slots = 3 } = more;
  const control = createRunControl(() => {});
  let saves = 0;
  const saved: unknown[] = [];
  const save = async () => {
    saved.push(JSON.parse(JSON.stringify(ranges.record)));
    if (++saves === stopAfter) control.stop();
  };
  const attempt = await attemptRanges(
    { context, filter: passAllFilter, consent: ALL, budget: new Budget(), control },
    {
      verb,
      source,
      dest,
      options: { ...plainOptions, deletes: verb === 'sync' ? 'after' : 'off', ...more.options },
    },
    new Ledger(ranges),
    { slots, namesARange: 12, save },
  );
  return { ...attempt, ranges, saved, events, log: logLines() };
}

test.each([1, 3])('%d slots make the destination equal', async (slots) => {
  const files = named(0, 200);
  const source = watched(await remoteWith(files, BUCKET));
  const inner = await remoteWith(
    { ...named(100, 200), ...named(50, 80, 'old'), ...named(200, 230) },
    BUCKET,
  );
  const dest = watched(inner);
  const result = await run(source.remote, dest.remote, { slots });
  expect(result).toMatchObject({ error: undefined, errors: 0, transferred: 100 });
  expect(result.ranges.record.phase).toBe('done');
  // Ranges at the same time have no number of a transfer in common.
  const ids = result.events.flatMap((event) => (event.type === 'transfer-end' ? [event.id] : []));
  expect(new Set(ids).size).toBe(100);
  expect(await contentsOf(inner)).toEqual(await contentsOf(await remoteWith(files, BUCKET)));
  expect(dest.seen.deleted.sort()).toEqual(Object.keys(named(200, 230)).sort());
});

test('ranges at the same time share the transfers', async () => {
  const source = await remoteWith(named(0, 60), BUCKET);
  const inner = await remoteWith({}, BUCKET);
  let [writing, most] = [0, 0];
  const dest = remoteBut(inner, {
    async write(file, op) {
      most = Math.max(most, ++writing);
      await new Promise((resolve) => setImmediate(resolve));
      try {
        return await inner.write(file, op);
      } finally {
        writing--;
      }
    },
  });
  const result = await run(source, dest, { slots: 3, options: { transfers: 2 } });
  expect(result).toMatchObject({ error: undefined, transferred: 60 });
  expect(most).toBe(2);
});

test('nothing is deleted if one range cannot be listed; another attempt deletes', async () => {
  let bad: string | undefined = 'd2/f100';
  const source = watched(await remoteWith(named(0, 200), BUCKET), () => bad);
  const inner = await remoteWith(named(200, 230), BUCKET);
  const dest = watched(inner);
  const first = await run(source.remote, dest.remote);
  expect(first.error).toMatchObject({ code: 'access-denied' });
  expect(dest.seen.deleted).toEqual([]);
  expect(first.log.some((line) => line.includes('not deleting files'))).toBe(true);
  expect(first.ranges.record.ranges.some(({ state }) => state === 'done')).toBe(true);
  bad = undefined;
  const second = await run(source.remote, dest.remote, { ranges: first.ranges });
  expect(second.error).toBeUndefined();
  expect(dest.seen.deleted).toHaveLength(30);
  expect(Object.keys(await contentsOf(inner)).sort()).toEqual(Object.keys(named(0, 200)).sort());
});

test('a later run continues behind the ranges that were saved, and deletes in all of them', async () => {
  const source = watched(await remoteWith(named(0, 200), BUCKET));
  const inner = await remoteWith(named(200, 230), BUCKET);
  const dest = watched(inner);
  const stopped = await run(source.remote, dest.remote, { slots: 1, stopAfter: 5 });
  expect(stopped.error).toMatchObject({ code: 'stopped' });
  expect(dest.seen.deleted).toEqual([]);
  const copied = Object.keys(await contentsOf(inner)).length;
  const { phase, ranges: last } = stopped.saved.at(-1) as LedgerRecord;
  const left = last.map((range) => (range.state === 'held' ? waiting(range) : range));
  const ranges = new MemoryRanges({ phase, ranges: left });
  const before = source.seen.pages;
  const next = await run(source.remote, dest.remote, { ranges, slots: 1 });
  expect(next).toMatchObject({ error: undefined, transferred: 200 - (copied - 30) });
  expect(source.seen.pages - before).toBeLessThan(200 / 5 + 30);
  expect(Object.keys(await contentsOf(inner)).sort()).toEqual(Object.keys(named(0, 200)).sort());
});

test('a copy leaves extra files, and a file that fails keeps its range open', async () => {
  const inner = await remoteWith(named(200, 210), BUCKET);
  const dest = remoteBut(inner, {
    write: (source, op) =>
      source.path === 'd1/f100'
        ? Promise.reject(new SyncerError('access-denied', 'no access'))
        : inner.write(source, op),
  });
  const source = watched(await remoteWith(named(0, 150), BUCKET));
  const first = await run(source.remote, dest, { verb: 'copy' });
  expect(first).toMatchObject({ errors: 1, transferred: 149 });
  const before = source.seen.pages;
  const second = await run(source.remote, inner, { verb: 'copy', ranges: first.ranges });
  expect(source.seen.pages - before).toBeLessThan(before / 3);
  expect(second).toMatchObject({ error: undefined, transferred: 1 });
  expect(Object.keys(await contentsOf(inner))).toHaveLength(160);
});

test('an object without a name at the destination counts while copying: nothing is deleted', async () => {
  const inner = await remoteWith(named(200, 230), BUCKET);
  const { listTreePage, ...can } = inner.can;
  const nameless = { kind: 'file', path: 'a//', size: 0 } as const;
  const odd = remoteBut(inner, {
    can: {
      ...can,
      ...(listTreePage && {
        async listTreePage(dir, cursor, op, range) {
          const page = await listTreePage(dir, cursor, op, range);
          const isFirst = cursor === undefined && range?.after === undefined;
          return isFirst ? { ...page, entries: [nameless, ...page.entries] } : page;
        },
      }),
    },
  });
  const dest = watched(odd);
  const source = await remoteWith(named(0, 60), BUCKET);
  const result = await run(source, dest.remote);
  expect(result.error).toMatchObject({ code: 'name-invalid' });
  expect(dest.seen.deleted).toEqual([]);
});

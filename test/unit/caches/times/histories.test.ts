import { open } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALL } from '../../../support/in-part.ts';
import {
  type IndexWorld,
  listAll,
  makeIndexWorld,
  OP,
  type TestRun,
  timesOf,
  write,
} from './index-world.ts';
import type { Version } from './timed-store.ts';

const PATHS = ['a', 'd/a', 'd/e/a'];
const path = fc.constantFrom(...PATHS);
const content = fc.constantFrom('one', 'two');
const modTime = fc.bigInt({ min: 0n, max: 3n });
const ms = fc.constantFrom(0, 1, 300, 999, 1000, 1001, 1999, 2000, 2001, 3000, 60_000);
const who = fc.constantFrom(0, 1);

const list = fc.record({
  what: fc.constant('list' as const),
  who,
  how: fc.constantFrom('dirs' as const, 'tree' as const),
});
const wait = fc.record({ what: fc.constant('wait' as const), ms });

/** What happens in the world of a store and up to two running processes with an index. */
const event = fc.oneof(
  wait,
  wait,
  wait,
  list,
  list,
  list,
  list,
  fc.record({ what: fc.constant('write' as const), who, path, content, modTime }),
  fc.record({ what: fc.constant('set time' as const), who, path, modTime }),
  fc.record({ what: fc.constant('end' as const), who }),
  fc.record({ what: fc.constant('kill' as const), who }),
  fc.record({ what: fc.constant('clock' as const), ms: fc.integer({ min: -1e12, max: 1e12 }) }),
  fc.record({ what: fc.constant('damage' as const), at: fc.nat(), cut: fc.boolean() }),
  fc.record({ what: fc.constant('foreign write' as const), path, content, modTime }),
  fc.record({ what: fc.constant('restore' as const), path }),
);
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

/** Plays a history; `judge` gets every time that a listing told. */
async function play(
  world: IndexWorld,
  history: readonly Event[],
  judge: (path: string, told: bigint, versions: readonly Version[]) => void,
): Promise<void> {
  const { store, clock } = world;
  const runs: (TestRun | undefined)[] = [undefined, undefined];
  const running = async (at: number): Promise<TestRun> => {
    const run = runs[at] ?? (await world.run({ mostUnwritten: 3 }));
    runs[at] = run;
    return run;
  };
  for (const step of history) {
    // Nothing takes no time at all.
    clock.monotonicMs += 1;
    switch (step.what) {
      case 'wait':
        clock.monotonicMs += step.ms;
        break;
      case 'write':
        await write((await running(step.who)).remote, step.path, step.content, step.modTime);
        break;
      case 'set time': {
        const file = (await listAll((await running(step.who)).remote)).find(
          (one) => one.path === step.path,
        );
        if (file !== undefined) {
          await (await running(step.who)).remote.can.setModTime?.(file, step.modTime, OP);
        }
        break;
      }
      case 'list': {
        const { remote } = await running(step.who);
        for (const file of await listAll(remote, step.how)) {
          if (file.modTime === undefined) await remote.can.details?.read(file, OP);
          else judge(file.path, file.modTime, store.versions.get(file.path) ?? []);
        }
        break;
      }
      case 'end':
        await runs[step.who]?.end();
        runs[step.who] = undefined;
        break;
      case 'kill':
        await runs[step.who]?.remote.close();
        runs[step.who] = undefined;
        break;
      case 'clock':
        clock.wallMs += step.ms;
        break;
      case 'damage':
        await damageOne(world, step.at, step.cut);
        break;
      case 'foreign write':
        store.put(step.path, step.content, step.modTime);
        break;
      case 'restore':
        if ((store.versions.get(step.path)?.length ?? 0) > 1) store.undo(step.path);
    }
  }
  for (const run of runs) await run?.end();
}

/** Changes or cuts the records of a page, or the file itself. */
async function damageOne(world: IndexWorld, at: number, cut: boolean): Promise<void> {
  if (at % 4 === 0) return damageFile(join(world.folder, 'cache.db'), at >> 2, cut);
  const change = (bytes: Uint8Array) => {
    const place = at % Math.max(1, bytes.length);
    return cut ? bytes.slice(0, place) : bytes.with(place, (bytes[place] ?? 0) ^ 0x55);
  };
  await world
    .change((database) => {
      const pages = database.all('SELECT directory, first, records FROM times');
      const page = pages[at % Math.max(1, pages.length)];
      if (page === undefined) return;
      const { directory = null, first = null, records } = page;
      const sql = 'UPDATE times SET records = ? WHERE directory = ? AND first = ?';
      database.run(sql, change(records as Uint8Array), directory, first);
    })
    .catch(() => {});
}

/** In place: replacing it would wait for the disk. Not the first page: each run would wait for those that have it open. */
async function damageFile(path: string, at: number, cut: boolean): Promise<void> {
  const file = await open(path, 'r+').catch(() => undefined);
  if (file === undefined) return;
  const { size } = await file.stat();
  const place = 4096 + (at % Math.max(1, size - 4096));
  if (cut) await file.truncate(place);
  else {
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, place);
    await file.write(Buffer.of((byte[0] ?? 0) ^ 0x55), 0, 1, place);
  }
  await file.close();
}

const histories = (events: fc.Arbitrary<Event>) =>
  fc.record({
    listedMs: fc.constantFrom(1 as const, 1000 as const),
    latencyMs: fc.constantFrom(0, 5, 400),
    history: fc.array(events, { minLength: 20, maxLength: 80 }),
  });

/** How near two writings of the same bytes must be for one to be taken for the other: what the docs say. */
const NEAR_MS = 2000;

test('no history leads to a wrong time, but of the same bytes written twice within two seconds', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(histories(event), async ({ history, ...rules }) => {
      const world = await makeIndexWorld(rules);
      await world.prepare();
      try {
        await play(world, history, (path, time, versions) => {
          told++;
          const now = versions.at(-1);
          if (now?.modTime === time) return;
          const near = (world.store.everWritten.get(path) ?? []).filter(
            (one) =>
              one !== now &&
              one.content === now?.content &&
              one.modTime === time &&
              Math.abs(one.writtenMs - now.writtenMs) < NEAR_MS,
          );
          expect(near, `${path} told as ${time}`).not.toEqual([]);
        });
      } finally {
        await world.remove();
      }
    }),
    { numRuns: ALL ? 300 : 60 },
  );
  expect(told).toBeGreaterThan(ALL ? 300 : 60);
});

test('where others write only between our runs, no time is ever wrong', async () => {
  const between = fc.record({
    foreign: fc.array(fc.record({ path, content, modTime, ms }), { maxLength: 3 }),
    ours: fc.array(fc.record({ path, content, modTime, ms }), { maxLength: 3 }),
    how: fc.constantFrom('dirs' as const, 'tree' as const),
    ms,
  });
  const cases = fc.record({
    listedMs: fc.constantFrom(1 as const, 1000 as const),
    latencyMs: fc.constantFrom(0, 5, 400),
    runs: fc.array(between, { minLength: 2, maxLength: 12, size: 'max' }),
  });
  let known = 0;
  await fc.assert(
    fc.asyncProperty(cases, async ({ runs, ...rules }) => {
      const world = await makeIndexWorld(rules);
      await world.prepare();
      try {
        for (const { foreign, ours, how, ms: pause } of runs) {
          const run = await world.run();
          known += (await listAll(run.remote, how)).filter((file) => file.modTime).length;
          const times = Object.entries(await timesOf(run.remote, how));
          for (const [at, time] of times) expect(time, at).toBe(world.store.at(at)?.modTime);
          for (const one of ours) {
            world.clock.monotonicMs += one.ms;
            await write(run.remote, one.path, one.content, one.modTime);
          }
          world.clock.monotonicMs += pause;
          await run.end();
          for (const one of foreign) {
            world.clock.monotonicMs += one.ms;
            world.store.put(one.path, one.content, one.modTime);
          }
        }
      } finally {
        await world.remove();
      }
    }),
    { numRuns: ALL ? 200 : 40 },
  );
  expect(known).toBeGreaterThan(ALL ? 200 : 40);
});

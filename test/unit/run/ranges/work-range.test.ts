import { expect, test } from 'vitest';
import { ALL } from '../../../../src/engine/consent.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { type HeldRange, Ledger, MemoryRanges } from '../../../../src/run/ranges/ledger.ts';
import { checkTask, workRange } from '../../../../src/run/ranges/work-range.ts';
import { quietContext, remoteWith } from '../../../support/memory-world.ts';

const BUCKET = { emptyDirs: false, pageSize: 5 };
const names = Array.from({ length: 60 }, (_, i) => `f${String(i).padStart(3, '0')}`);

/** A check of 60 different files in one range, of which `during` sees the batches. */
async function compare(during: (ledger: Ledger, batch: number) => Promise<unknown> | undefined) {
  const files = (content: string) => Object.fromEntries(names.map((name) => [name, content]));
  const [source, dest] = [
    await remoteWith(files('a'), BUCKET),
    await remoteWith(files('bb'), BUCKET),
  ];
  const ledger = new Ledger(new MemoryRanges());
  const { context, events } = quietContext();
  const plan = {
    ...{ source, dest, oneWay: false, modifyWindowNs: 1n, checkers: 2 },
    ...{ noUnicodeNormalization: false, ignoreCaseSync: false, fastList: true },
    ...{ lowLevelRetries: 1, reports: {} },
    by: 'size-and-time',
  } as const;
  const setup = { context, filter: passAllFilter, consent: ALL };
  let batch = 0;
  let waiting: Promise<unknown> | undefined;
  const { became } = await workRange(
    setup,
    checkTask(setup, plan, 1),
    (await ledger.claim('first', 'one')) as HeldRange,
    {
      namesARange: 1000,
      onBatch: () => {
        if (waiting === undefined) waiting = during(ledger, ++batch);
      },
    },
  );
  await waiting;
  const differ = events.filter((event) => event.type === 'error').map(({ error }) => error.path);
  const logged = events.filter((event) => event.type === 'log' && event.code === 'differs');
  return { became, differ, logged: logged.length };
}

test('differences of a range are named when it is done', async () => {
  const { became, differ, logged } = await compare(() => undefined);
  expect([became, differ.sort(), logged]).toEqual(['done', names, 60]);
});

test('differences of a range that another holder has by now are not named', async () => {
  const takeOver = async (ledger: Ledger) => {
    for (let isFree = false; !isFree; ) {
      const { phase, ranges } = await ledger.read();
      isFree = ranges[0] !== undefined && (await ledger.free(phase, ranges[0]));
    }
    await ledger.claim('second', 'two');
  };
  const { became, differ, logged } = await compare((ledger, batch) =>
    batch === 3 ? takeOver(ledger) : undefined,
  );
  expect([became, differ, logged]).toEqual(['lost', [], 0]);
});

import { expect, test } from 'vitest';
import { coversAllNames, Ledger, MemoryRanges } from '../../../../src/run/ranges/ledger.ts';
import { randomLedgerRun } from '../../../support/random-ledger-run.ts';

const RUNS = Number(process.env['SYNCER_TEST_LEDGER_RUNS'] ?? 100);

test(`${RUNS} random runs cover all names, each once, and delete nothing too early`, async () => {
  for (let seed = 1; seed <= RUNS; seed++) {
    await randomLedgerRun(seed, new MemoryRanges()).catch((error) => {
      throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
    });
  }
});

test.each([
  [[{ last: 'm' }, { after: 'm' }], true],
  [[{}], true],
  [[{ last: 'm' }, { after: 'n' }], false],
  [[{ last: 'm' }, { after: 'a' }], false],
  [[{ last: 'm' }], false],
  [[{ after: 'a' }], false],
  [[{ last: 'm' }, { after: 'm', last: 'm' }, { after: 'm' }], false],
  [[{}, {}], false],
  [[], false],
] as const)('%j covers all names: %s', (ranges, covers) => {
  expect(coversAllNames(ranges)).toBe(covers);
});

const covered = { files: 1, extra: 0 };

test('finished neighbours become one range, unless they have extra files', async () => {
  const store = new MemoryRanges();
  const ledger = new Ledger(store);
  const a = await ledger.claim('a', undefined);
  await a?.cut('m');
  const b = await ledger.claim('b', undefined);
  await b?.cut('t');
  const c = await ledger.claim('c', undefined);
  await a?.done(covered);
  await c?.done({ files: 1, extra: 2 });
  await b?.done(covered);
  await ledger.join(store.record);
  expect(store.record.ranges).toEqual([
    { last: 't', state: 'done', files: 2, extra: 0 },
    { after: 't', state: 'done', files: 1, extra: 2 },
  ]);
  expect(await ledger.nextPhase(true)).toBe(true);
  expect(await ledger.claim('d', undefined)).toMatchObject({ phase: 'deleting', after: 't' });
});

test('a range whose holders never come to an end is taken page by page, and given up at last', async () => {
  const store = new MemoryRanges();
  const ledger = new Ledger(store);
  const claims = [];
  for (let i = 0; i < 6; i++) {
    const { phase, ranges } = store.record;
    if (ranges[0]?.state === 'held') await ledger.free(phase, ranges[0]);
    claims.push(await ledger.claim(`t${i}`));
  }
  expect(claims.map((held) => held?.isCareful)).toEqual([
    ...[false, false, false],
    ...[true, true, undefined],
  ]);
  expect(store.record.ranges).toMatchObject([{ state: 'failed', isHopeless: true }]);
  expect(await ledger.reopen()).toBe(false);
  expect(await ledger.nextPhase(true)).toBe(false);
});

test('a range that was cut while its holder went on is offered before its end only', async () => {
  const ranges = new MemoryRanges();
  const ledger = new Ledger(ranges);
  const held = await ledger.claim('t', 'node');
  await held?.reach({ first: 'a', last: 'c', points: ['m', 's'], isSlow: true }, true);
  const [range] = ranges.record.ranges;
  expect(range && (await ledger.cut('copying', range, 'm'))).toBeDefined();
  await held?.reach({ first: 'd', last: 'f', points: ['h', 'm', 's'], isSlow: true }, true);
  expect(ranges.record.ranges[0]).toMatchObject({ last: 'm', points: ['h'] });
});

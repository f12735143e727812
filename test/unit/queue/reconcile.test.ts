import { expect, test } from 'vitest';
import { type RunSituation, reconcile } from '../../../src/queue/reconcile.ts';
import { NEW_RANGE, type RangeRecord } from '../../../src/ranges/range-record.ts';

const range = (state: RangeRecord['state'], more: Partial<RangeRecord> = {}): RangeRecord => ({
  ...NEW_RANGE,
  ...more,
  state,
});

const situation = (
  ranges: readonly RangeRecord[],
  more: Partial<RunSituation> = {},
): RunSituation => ({
  ...{ ledger: { phase: 'copying', ranges }, slots: 4, attempt: 1, retries: 3 },
  ...{ deletes: true, elapsedMs: 0, limits: {} },
  ...more,
});

const listed = { seen: 'a', reached: 'c', points: ['e', 'g'], batches: 1, isListed: true } as const;

test('waiting and held ranges get jobs, and idle slots a cut', () => {
  const ranges = [range('held', { ...listed, last: 'm' }), range('open', { after: 'm' })];
  const deeds = reconcile(situation(ranges));
  expect(deeds.offers).toHaveLength(2);
  expect(deeds).toMatchObject({ idle: 2, cuts: [{ point: 'g' }] });
  expect(reconcile(situation(ranges, { slots: 2 })).cuts).toEqual([]);
});

test('a range of few names that is listed to its end is left alone', () => {
  const { points: _, ...few } = listed;
  expect(reconcile(situation([range('held', few)])).cuts).toEqual([]);
});

test.each([
  ['all done', [range('done')], {}, 'phase'],
  ['a gap', [range('done', { last: 'm' }), range('done', { after: 'n' })], {}, 'failed'],
  ['one failed, of three attempts', [range('failed')], {}, 'reopen'],
  ['one failed, in the last attempt', [range('failed')], { attempt: 3 }, 'failed'],
  ['one failed for good', [range('failed', { isHopeless: true })], {}, 'failed'],
  [
    'extra files within the limit',
    [range('done', { extra: 5 })],
    { limits: { maxDelete: 5 } },
    'phase',
  ],
  [
    'too many extra files',
    [range('done', { extra: 6 })],
    { limits: { maxDelete: 5 } },
    'too-many-deletes',
  ],
  [
    'extra files within the size',
    [range('done', { extra: 2, extraBytes: 7 })],
    { limits: { maxDeleteBytes: 7 } },
    'phase',
  ],
  [
    'too large extra files',
    [range('done', { extra: 2, extraBytes: 8 })],
    { limits: { maxDeleteBytes: 7 } },
    'too-large-deletes',
  ],
  [
    'too many for a copy',
    [range('done', { extra: 6 })],
    { limits: { maxDelete: 5 }, deletes: false },
    'phase',
  ],
  ['it took too long', [range('open')], { elapsedMs: 2, limits: { maxDurationMs: 1 } }, 'too-long'],
] as const)('%s', (_, ranges, more, step) => {
  expect(reconcile(situation(ranges, more)).step).toBe(step);
});

test('a run that is done is finished', () => {
  const ledger = { phase: 'done' as const, ranges: [range('done')] };
  expect(reconcile(situation([], { ledger })).step).toBe('finished');
});

test('idle slots get equal parts of the range with most to do', () => {
  const points = ['d', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];
  const ranges = [range('held', { ...listed, points, last: 'l' })];
  const pointFor = (slots: number) => reconcile(situation(ranges, { slots })).cuts[0]?.point;
  expect(pointFor(2)).toBe('h');
  expect(pointFor(3)).toBe('i');
  expect(pointFor(9)).toBe('k');
  const more = [
    range('held', { ...listed, batches: 9, last: 'c' }),
    range('held', { ...listed, after: 'c', points }),
  ];
  expect(reconcile(situation(more)).cuts.map(({ range: { after } }) => after)).toEqual([
    'c',
    undefined,
  ]);
});

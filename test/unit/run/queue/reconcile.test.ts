import { expect, test } from 'vitest';
import { type RunSituation, reconcile } from '../../../../src/run/queue/run-coordinator.ts';
import { NEW_RANGE, type RangeRecord } from '../../../../src/run/ranges/ledger.ts';

const range = (state: RangeRecord['state'], more: Partial<RangeRecord> = {}): RangeRecord => ({
  ...NEW_RANGE,
  ...more,
  state,
});

const worker = (id: string, slots = 4) => ({ id, slots });

const situation = (
  ranges: readonly RangeRecord[],
  more: Partial<RunSituation> = {},
): RunSituation => ({
  ...{ ledger: { phase: 'copying', ranges }, workers: [worker('a')], attempt: 1, retries: 3 },
  ...{ deletes: true, elapsedMs: 0, limits: {} },
  ...more,
});

test('slots and workers without a range are idle, but for those that can take ranges that wait', () => {
  const held = (owner: string, after: string) => range('held', { owner, after });
  const workers = [worker('a'), worker('b'), worker('c', 1)];
  const deeds = reconcile(situation([held('a', 'm'), held('a', 'n')], { workers }));
  expect(deeds).toMatchObject({ idle: { slots: 7, workers: 2 } });
  const more = [held('a', 'm'), held('b', 'n'), range('open', { after: 'o' })];
  const next = reconcile(situation(more, { workers }));
  expect(next).toMatchObject({ idle: { slots: 6, workers: 0 } });
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

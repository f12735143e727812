import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { DeleteCheck } from '../../../../src/engine/sync-option-parts.ts';
import { trippedBy } from '../../../../src/run/guards/count-guard.ts';
import { extraCheck } from '../../../../src/run/ranges/checkpoint.ts';
import type { RangeRecord } from '../../../../src/run/ranges/ledger.ts';

const RANGES: readonly RangeRecord[] = [
  { last: 'm', state: 'done', files: 50, extra: 2, dest: 60 },
  { after: 'm', state: 'done', files: 50, extra: 8, dest: 60 },
];

const checkOf =
  (guards: Parameters<typeof trippedBy>[0]): DeleteCheck =>
  (totals) => {
    const tripped = trippedBy(guards, totals);
    return tripped && new SyncerError('guarded', `${tripped.name}${totals.isLate ? ' late' : ''}`);
  };
const found = (sourceFiles: number, extra: number) => ({
  ...{ sourceFiles, extra, destFiles: sourceFiles + extra, examples: [] },
});

test('the numbers of all ranges count, once before the deletions begin', () => {
  const check = extraCheck(checkOf({ count: 9 }));
  const record = { phase: 'copying', ranges: RANGES } as const;
  expect(check.refusal(record)?.message).toContain('guard count');
  expect(check.refusal({ ...record, phase: 'deleting' })?.message).toContain('guard count');
  const open = RANGES.map((range) => ({ ...range, state: 'open' as const }));
  expect(check.refusal({ phase: 'copying', ranges: open })).toBe(undefined);
  expect(extraCheck(checkOf({ count: 10 })).refusal(record)).toBe(undefined);
});

test.each([
  [{ count: 15 }, [found(50, 2), found(50, 13)], [found(42, 8), found(50, 8)]],
  [{ percent: 50 }, [found(50, 2), found(10, 48)], [found(0, 61)]],
  [{ empty: true as const }, [found(1, 200)], [found(0, 11)]],
])('%j: what is extra by now counts: all of %j may go, of %j not the last', (guards, may, not) => {
  for (const [ranges, last] of [
    [may, undefined],
    [not, 'late'],
  ] as const) {
    const check = extraCheck(checkOf(guards));
    check.refusal({ phase: 'deleting', ranges: RANGES });
    const ends = ranges.map((range) => check.ofRange(range)?.message);
    expect(ends.slice(0, -1).filter(Boolean)).toEqual([]);
    if (last === undefined) expect(ends.at(-1)).toBe(undefined);
    else expect(ends.at(-1)).toContain(last);
  }
});

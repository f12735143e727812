import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RangeSet } from '../../../../src/vfs/contents/range-set.ts';

const place = fc.nat(60);

test('is what a row of flags would be', () => {
  const step = fc.tuple(fc.boolean(), place, place);
  fc.assert(
    fc.property(fc.array(step), place, place, (steps, from, to) => {
      const set = new RangeSet();
      const flags = Array.from({ length: 61 }, () => false);
      for (const [isAdded, a, b] of steps) {
        if (isAdded) set.add(a, b);
        else set.remove(a, b);
        if (a < b) flags.fill(isAdded, a, b);
      }
      const there = flags.flatMap((flag, i) => (flag ? [i] : []));
      expect(set.bytes).toBe(there.length);
      expect(set.end).toBe((there.at(-1) ?? -1) + 1);
      expect(new RangeSet(set.edges()).edges()).toEqual(set.edges());
      expect(set.has(from, to)).toBe(flags.slice(from, to).every(Boolean));
      const missing = [...set.gaps(from, to)].flatMap(bytesIn);
      const found = [...set.within(from, to)].flatMap(bytesIn);
      const asked = flags.map((_, i) => i).slice(from, Math.max(from, to));
      expect(missing).toEqual(asked.filter((i) => !flags[i]));
      expect(found).toEqual(asked.filter((i) => flags[i]));
    }),
  );
});

function bytesIn({ from, to }: { from: number; to: number }): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

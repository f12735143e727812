import { expect, it } from 'vitest';
import { PackedMap } from '../../../src/two-way/packed-map.ts';
import { randomFrom } from '../../support/random-from.ts';

it('does what a map does', () => {
  for (let seed = 1; seed <= 5; seed++) {
    const random = randomFrom(seed);
    const [packed, map] = [new PackedMap(), new Map<string, string>()];
    for (let n = 0; n < 3000; n++) {
      const key = `${'é\udcff/'.repeat(random(4))}${random(800)}`;
      if (random(4) === 0) expect(packed.delete(key)).toBe(map.delete(key));
      else {
        const value = `${n}`.repeat(random(200) === 0 ? 100_000 : random(20));
        packed.set(key, value);
        map.set(key, value);
      }
      expect(packed.get(key)).toBe(map.get(key));
    }
    expect(packed.size).toBe(map.size);
    const pairs = [...packed.keys()].map((key) => [key, packed.get(key)] as const);
    expect(Object.fromEntries(pairs)).toEqual(Object.fromEntries(map));
    expect(packed.has('missing')).toBe(false);
  }
});

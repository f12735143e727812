import { describe, expect, test } from 'vitest';
import { Budget } from '../../../src/engine/loss/budget.ts';
import type { SyncOptions } from '../../../src/engine/pass.ts';
import { contentsOf, remoteWith, runOnce } from '../../support/memory-world.ts';
import { randomFrom } from '../../support/random-from.ts';

const NFC = 'caf\u00e9';
const NFD = 'cafe\u0301';

describe('names at the destination that are one name, and the source has none of them', () => {
  test.each<[Partial<SyncOptions>, readonly string[]]>([
    [{}, [NFC, NFD]],
    [{ ignoreCaseSync: true }, [NFC, NFD, 'CAFE\u0301']],
    [{ ignoreCaseSync: true }, ['A', 'a']],
    [{ ignoreCaseSync: true, deletes: 'before' }, ['AB', 'Ab', 'ab']],
    [{ noUnicodeNormalization: true }, [NFC, NFD]],
  ])('are all deleted: %j %j', async (options, names) => {
    for (const below of ['', '/file']) {
      const dest = await remoteWith(
        Object.fromEntries([['kept', 'k'], ...names.map((name) => [name + below, name])]),
      );
      const { error } = await runOnce('sync', await remoteWith({ kept: 'k' }), dest, options);
      expect(error).toBeUndefined();
      expect(Object.keys(await contentsOf(dest))).toEqual(['kept']);
    }
  });

  test('count one by one for --max-delete', async () => {
    const dest = await remoteWith({ [NFC]: '1', [NFD]: '2' });
    const options = { budget: new Budget(1) };
    const { error } = await runOnce('sync', await remoteWith({}), dest, options);
    expect(error?.exit).toBe(7);
    expect(Object.keys(await contentsOf(dest))).toHaveLength(1);
  });
});

/** Spellings of a few names, and others. */
const SPELLINGS = [
  ...['a', 'A', 'ab', 'AB', 'aB', NFC, NFD, 'CAFE\u0301', 'CAF\u00c9', 'z'],
  ...['\u1ec7', '\u1eb9\u0302', 'e\u0323\u0302', '\u00ea\u0323', '\u212b', '\u00c5', 'A\u030a'],
];

/** What a run takes names for that are one. */
function keyOf(path: string, { ignoreCaseSync, noUnicodeNormalization }: Partial<SyncOptions>) {
  const formed = noUnicodeNormalization === true ? path : path.normalize('NFC');
  return ignoreCaseSync === true ? formed.toLowerCase() : formed;
}

test('after a sync without an error the names agree, and a second run has nothing to do', async () => {
  const random = randomFrom(20_261_121);
  const some = (side: string) => {
    const files: Record<string, [string, number]> = {};
    for (const name of SPELLINGS) {
      if (random(3) > 0) continue;
      const path = random(3) === 0 ? `${name}/f` : name;
      files[path] = [random(2) === 0 ? 'same' : `${side} ${random(9)}`, 1000];
    }
    return files;
  };
  for (let round = 0; round < 300; round++) {
    const options = {
      ignoreCaseSync: random(2) === 0,
      noUnicodeNormalization: random(3) === 0,
      deletes: (['before', 'during', 'after'] as const)[random(3)] ?? 'after',
    };
    const [from, to] = [some('source'), some('dest')];
    const [source, dest] = [await remoteWith(from), await remoteWith(to)];
    const about = JSON.stringify({ round, options, from, to });
    const first = await runOnce('sync', source, dest, options);
    if (first.error !== undefined) continue;
    const after = await contentsOf(dest);
    const names = (paths: Iterable<string>) =>
      [...new Set([...paths].map((path) => keyOf(path, options)))].sort();
    expect(names(Object.keys(after)), about).toEqual(names(Object.keys(from)));
    const second = await runOnce('sync', source, dest, options);
    expect([second.error, second.transferred, await contentsOf(dest)], about).toEqual([
      undefined,
      0,
      after,
    ]);
  }
});

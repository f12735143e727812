import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareEntries } from '../../../src/core/name-order.ts';
import type { Entry } from '../../../src/core/remote.ts';
import { type Match, matchPages } from '../../../src/engine/match.ts';

const entry = fc.record({
  kind: fc.constantFrom('file' as const, 'dir' as const),
  path: fc.constantFrom(
    'a',
    'a-b',
    'a b',
    'b',
    'A',
    'ä',
    'a\u0308',
    '😀',
    '\uff00',
    'a.',
    'aa',
    '\udc80',
  ),
});

const listing = fc
  .uniqueArray(entry, { selector: ({ kind, path }) => `${kind} ${path}` })
  .map((entries) =>
    entries.map((e) => (e.kind === 'file' ? { ...e, size: 0 } : e) as Entry).sort(compareEntries),
  );

async function* pages(entries: readonly Entry[], size: number): AsyncGenerator<readonly Entry[]> {
  for (let i = 0; i < entries.length; i += size) yield entries.slice(i, i + size);
}

const key = ({ kind, path }: Entry) => `${kind} ${path}`;
const show = ({ source, dest }: Match) => `${source && key(source)} = ${dest && key(dest)}`;

async function matched(
  a: Entry[],
  b: Entry[],
  size: number,
  normalize: boolean,
): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of matchPages(pages(a, size), pages(b, size + 1), normalize)) {
    found.push(...batch.map(show));
  }
  return found.sort();
}

test('every entry is given once, with its counterpart where there is one, for any cut into pages', async () => {
  await fc.assert(
    fc.asyncProperty(listing, listing, fc.integer({ min: 1, max: 5 }), async (a, b, size) => {
      const inB = new Map(b.map((e) => [key(e), e]));
      const inA = new Set(a.map(key));
      const expected = [
        ...a.map((source) => show({ source, ...(inB.has(key(source)) ? { dest: source } : {}) })),
        ...b.filter((e) => !inA.has(key(e))).map((dest) => show({ dest })),
      ].sort();
      expect(await matched(a, b, size, false)).toEqual(expected);
    }),
  );
});

test('names that are equal when normalised match, exact names first', async () => {
  const f = (path: string): Entry => ({ kind: 'file', path, size: 0 });
  const composed = f('\u00e4');
  const decomposed = f('a\u0308');
  expect(await matched([composed], [decomposed], 10, true)).toEqual([
    `${key(composed)} = ${key(decomposed)}`,
  ]);
  const exact = await matched([composed], [decomposed, composed].sort(compareEntries), 1, true);
  expect(exact).toEqual(
    [`${key(composed)} = ${key(composed)}`, `undefined = ${key(decomposed)}`].sort(),
  );
});

test('a page that fails rejects and gives nothing of that side as missing afterwards', async () => {
  async function* failing(): AsyncGenerator<readonly Entry[]> {
    yield [{ kind: 'file', path: 'a', size: 0 }];
    throw new Error('cut');
  }
  const dest: Entry[] = ['a', 'b', 'c'].map((path) => ({ kind: 'file', path, size: 0 }));
  const seen: string[] = [];
  const run = async () => {
    for await (const batch of matchPages(failing(), pages(dest, 10), false))
      seen.push(...batch.map(show));
  };
  await expect(run()).rejects.toThrow('cut');
  expect(seen).toEqual(['file a = file a']);
});

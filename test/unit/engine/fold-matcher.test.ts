import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareEntries } from '../../../src/core/name-order.ts';
import type { Entry } from '../../../src/core/remote.ts';
import { matchPages, type Repeat } from '../../../src/engine/match.ts';

const NAMES = ['a', 'A', 'aB', 'Ab', 'AB', 'ab', 'a-', 'A-', 'a.B', 'B', 'b', '_', 'Z', 'é', 'É'];
const ODD = ['e\u0301', 'E\u0301', 'ж', 'Ж', '雪', '雪A', '雪a', '\udc80', '\udc80X', '\udc80x'];

const entry = fc.record({
  kind: fc.constantFrom('file' as const, 'dir' as const),
  path: fc.constantFrom(...NAMES, ...ODD),
});

const listing = fc
  .uniqueArray(entry, { selector: ({ kind, path }) => `${kind} ${path}`, maxLength: 40 })
  .map((entries) => entries.map(entryOf).sort(compareEntries));

function entryOf({ kind, path }: Pick<Entry, 'kind' | 'path'>): Entry {
  return kind === 'file' ? { kind, path, size: 0 } : { kind, path };
}

async function* pages(entries: readonly Entry[], size: number): AsyncGenerator<readonly Entry[]> {
  for (let i = 0; i < entries.length; i += size) yield entries.slice(i, i + size);
}

const show = (entry: Entry | undefined) => entry && `${entry.kind} ${entry.path}`;
const pair = (source: Entry | undefined, dest: Entry | undefined) =>
  `${show(source)} = ${show(dest)}`;

async function matched(a: readonly Entry[], b: readonly Entry[], size = 1000, byLeaf = false) {
  const repeats: string[] = [];
  const onRepeat = ({ side, entry, first }: Repeat) =>
    repeats.push(`${side} ${show(entry)} after ${first}`) > 0;
  const rules = { folding: () => true, onRepeat, byLeaf };
  const batches: string[][] = [];
  for await (const batch of matchPages(pages(a, size), pages(b, size + 1), true, rules)) {
    batches.push(batch.map(({ source, dest }) => pair(source, dest)));
  }
  return { batches, all: batches.flat().sort(), repeats: repeats.sort() };
}

/**
 * Spellings that both sides have match; of a name without any, the first spelling of each side does, as in rclone. But
 * what only the destination has is all surplus.
 */
function expected(a: readonly Entry[], b: readonly Entry[]) {
  const keyOf = ({ kind, path }: Entry) => `${kind} ${path.normalize('NFC').toLowerCase()}`;
  const all: string[] = [];
  const repeats: string[] = [];
  for (const key of new Set([...a, ...b].map(keyOf))) {
    const [sources, dests] = [a, b].map((side) => side.filter((entry) => keyOf(entry) === key));
    const pairs: [Entry | undefined, Entry | undefined][] = [];
    for (const source of sources ?? []) {
      const dest = dests?.find(({ path }) => path === source.path);
      if (dest !== undefined) pairs.push([source, dest]);
    }
    if (pairs.length === 0) pairs.push([sources?.[0], dests?.[0]]);
    all.push(...pairs.map(([source, dest]) => pair(source, dest)));
    const [source, dest] = pairs[0] ?? [];
    const others = (side: Entry[] = []) =>
      side.filter((entry) => !pairs.flat().some((taken) => taken === entry));
    for (const entry of others(sources))
      repeats.push(`source ${show(entry)} after ${source?.path}`);
    for (const entry of others(dests)) {
      if (source === undefined) all.push(pair(undefined, entry));
      else repeats.push(`dest ${show(entry)} after ${dest?.path}`);
    }
  }
  return { all: all.sort(), repeats: repeats.sort() };
}

test('names match without regard to case and form, the first of each side, for any cut into pages', async () => {
  await fc.assert(
    fc.asyncProperty(listing, listing, fc.integer({ min: 1, max: 5 }), async (a, b, size) => {
      expect(await matched(a, b, size)).toMatchObject(expected(a, b));
    }),
    { numRuns: 500 },
  );
});

const files = (...paths: string[]) =>
  paths.map((path) => entryOf({ kind: 'file', path })).sort(compareEntries);

test.each([
  [['f'], ['F', 'f'], ['file f = file f'], ['dest file F after f']],
  [['F'], ['F', 'f'], ['file F = file F'], ['dest file f after F']],
  [['F', 'f'], ['f'], ['file f = file f'], ['source file F after f']],
  [['F', 'f'], ['F', 'f'], ['file F = file F', 'file f = file f'], []],
  [
    ['Fo', 'fO'],
    ['FO', 'fO'],
    ['file fO = file fO'],
    ['dest file FO after fO', 'source file Fo after fO'],
  ],
])(
  'a spelling that both sides have matches before any other: %j, %j',
  async (a, b, all, repeats) => {
    for (const size of [1, 2, 9]) {
      expect(await matched(files(...a), files(...b), size)).toMatchObject({ all, repeats });
    }
  },
);

test('a directory that has another path on each side is matched by names alone', async () => {
  const { all } = await matched(
    files('Dir/a', 'Dir/B', 'Dir/c'),
    files('dir/b', 'dir/c'),
    1000,
    true,
  );
  expect(all).toEqual([
    'file Dir/B = file dir/b',
    'file Dir/a = undefined',
    'file Dir/c = file dir/c',
  ]);
});

test('small letters need not wait, nor anything once the other side has ended', async () => {
  const lower = files('a', 'b', 'c');
  expect((await matched(lower, files('c', 'd'), 1)).batches[0]).toEqual(['file a = undefined']);
  const upper = files('A', 'B', 'C');
  expect((await matched(upper, [], 1)).batches[0]).toEqual(['file A = undefined']);
  expect((await matched(upper, files('x'), 1)).batches[0]).toEqual([]);
});

test('what the merge has passed is not kept, and what it has not passed is', async () => {
  const named = (form: (n: number) => string) =>
    files(...Array.from({ length: 25_000 }, (_, n) => form(n)));
  const mixed = named((n) => `a${String(n).padStart(5, '0')}X`);
  const other = files(...mixed.map(({ path }) => path.toLowerCase()));
  const { all, batches, repeats } = await matched(mixed, other, 100);
  expect(all).toHaveLength(25_000);
  expect(all.every((line) => !line.includes('undefined'))).toBe(true);
  expect(repeats).toEqual([]);
  expect(batches.findIndex((batch) => batch.length > 0)).toBeLessThan(3);
  const lone = await matched(mixed, files('z'), 100);
  expect(lone.batches.findIndex((batch) => batch.length > 0)).toBeLessThan(150);
  expect(lone.all).toHaveLength(25_001);
});

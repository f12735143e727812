import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareEntries, compareNames } from '../../../src/core/name-order.ts';
import type { Entry } from '../../../src/core/remote.ts';
import { collectedByName, nameSorted } from '../../../src/listing/dirs-ahead.ts';

const entryOf = (name: string): Entry =>
  name.endsWith('/')
    ? { kind: 'dir', path: `d/${name.slice(0, -1)}` }
    : { kind: 'file', path: `d/${name}`, size: 1 };

const shown = ({ kind, path }: Entry) => (kind === 'dir' ? `${path}/` : path);

async function sorted(
  names: readonly string[],
  pageSize: number,
  hold: number,
): Promise<{ names: string[]; asked: string[] }> {
  const entries = [...new Set(names)].map(entryOf).sort(compareEntries);
  async function* pages() {
    for (let i = 0; i < entries.length; i += pageSize) yield entries.slice(i, i + pageSize);
  }
  const asked: string[] = [];
  const findDir = async (path: string) => {
    asked.push(path);
    const found = entries.find((entry) => entry.kind === 'dir' && entry.path === path);
    return found?.kind === 'dir' ? found : undefined;
  };
  const out: string[] = [];
  for await (const page of nameSorted(pages(), findDir, hold)) out.push(...page.map(shown));
  return { names: out, asked };
}

test('a directory comes where its name belongs', async () => {
  const { names } = await sorted(['a/', 'a-b', 'a.txt', 'a', 'a0', 'b/', 'b c/'], 2, 100);
  expect(names).toEqual(['d/a', 'd/a/', 'd/a-b', 'd/a.txt', 'd/a0', 'd/b/', 'd/b c/']);
});

test('any names on any pages come sorted, however little is held back', async () => {
  const name = fc
    .tuple(
      fc.string({
        unit: fc.constantFrom('a', 'b', '-', '.', ' ', '0', 'ü', '😀'),
        minLength: 1,
        maxLength: 6,
      }),
      fc.constantFrom('', '/'),
    )
    .map(([text, slash]) => text + slash);
  await fc.assert(
    fc.asyncProperty(
      fc.array(name, { maxLength: 40 }),
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 0, max: 6 }),
      async (names, pageSize, hold) => {
        const expected = [...new Set(names)]
          .map(entryOf)
          .sort((a, b) => compareNames(a.path, b.path) || compareEntries(a, b))
          .map(shown);
        expect((await sorted(names, pageSize, hold)).names).toEqual(expected);
      },
    ),
    { numRuns: 500 },
  );
});

test('many names with one beginning are not held back: the store is asked once', async () => {
  const names = Array.from({ length: 500 }, (_, i) => `img-${String(i).padStart(4, '0')}`);
  const result = await sorted([...names, 'zz'], 50, 60);
  expect(result.names).toEqual([...names, 'zz'].map((name) => `d/${name}`));
  expect(result.asked).toEqual(['d/img']);
  const withDir = await sorted([...names, 'img/'], 50, 60);
  expect(withDir.names[0]).toBe('d/img/');
  expect(withDir.names).toHaveLength(501);
});

test('a page may have more entries than a call can have arguments', async () => {
  const page = Array.from({ length: 200_000 }, (_, i) => entryOf(`${i}`));
  async function* pages() {
    yield page;
  }
  for await (const all of collectedByName(pages())) expect(all).toHaveLength(page.length);
});

import { expect, test } from 'vitest';
import type { Entry } from '../../../../src/core/remote.ts';
import {
  listingPage,
  type PageContents,
  readOrder,
  sortedEntries,
} from '../../../../src/serve/files/http-protocol.ts';

const file = (path: string, size: number, modTime: bigint): Entry => {
  return { kind: 'file', path, size, modTime };
};
const entries: readonly Entry[] = [
  file('b', 3, 1n),
  { kind: 'dir', path: 'z' },
  file('A', 1, 3n),
  file('c', 2, 2n),
];
const page = (given: Partial<PageContents>) =>
  listingPage({
    ...{ base: '', dir: '', entries, failed: 0, allowsZip: true, showsTimes: true },
    order: readOrder(new URLSearchParams()),
    ...given,
  });

test.each([
  ['', 'z A b c'],
  ['order=desc', 'z c b A'],
  ['sort=name', 'A b c z'],
  ['sort=name&order=desc', 'z c b A'],
  ['sort=size', 'z A c b'],
  ['sort=size&order=desc', 'b c A z'],
  ['sort=time', 'z b c A'],
  ['sort=nonsense&order=nonsense', 'z A b c'],
])('?%s', (query, expected) => {
  const order = readOrder(new URLSearchParams(query));
  expect(
    sortedEntries(entries, order)
      .map(({ path }) => path)
      .join(' '),
  ).toBe(expected);
});

test('names are text, never markup, and links stay relative', () => {
  const dir = `<img src=x onerror=alert(1)>"'&`;
  const names = ['<script>alert(1)', 'javascript:alert(1)', '\u202egpj.exe', 'a\nb', '%41'];
  const html = page({ dir, entries: names.map((name) => file(`${dir}/${name}`, 1, 0n)) });
  expect(html).not.toMatch(/<img|<script>alert/);
  expect(html).not.toMatch(/[\u202e]|a\nb/);
  expect(html).toContain('href="./javascript%3Aalert%281%29"');
  expect(html).toContain('href="./%2541"');
  expect(html).toContain('&lt;script&gt;alert(1)');
});

test('what could not be read is said', () => {
  expect(page({ failed: 2 })).toContain('1 directory, 3 files; 2 entries could not be read');
  expect(page({})).not.toContain('could not be read');
});

test('the way up begins at the base', () => {
  const html = page({ base: '/pre', dir: 'a/b c' });
  const [, heading = ''] = /<h1>(.*)<\/h1>/.exec(html) ?? [];
  expect([...heading.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    '/pre/',
    '/pre/a/',
    '/pre/a/b%20c/',
  ]);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinModTime } from '../../../src/core/mod-time.ts';
import { nameFromBytes } from '../../../src/core/name-bytes.ts';
import { compareNames } from '../../../src/core/name-order.ts';
import type { Entry, FileEntry } from '../../../src/core/remote.ts';
import { exportNcdu, NcduSpool } from '../../../src/size-tree/export-ncdu.ts';
import { ROOT } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';
import { TreeFeed } from '../../../src/size-tree/tree-feed.ts';

const HEADER = { version: '1', timeMs: 5000, title: 's:b "x"' };

/** Records in the order of their names: a scan in a tree has them as they came. */
function sorted(item: unknown): unknown {
  if (!Array.isArray(item)) return JSON.stringify(item);
  const [own, ...below] = item;
  return [
    JSON.stringify(own),
    ...below.map(sorted).sort((a, b) => (String(a) < String(b) ? -1 : 1)),
  ];
}

function structure(text: string): unknown {
  const [major, minor, head, root] = JSON.parse(text);
  return [major, minor, head, sorted(root)];
}

function spooled(pages: readonly (readonly Entry[])[]): NcduSpool {
  const spool = new NcduSpool();
  for (const page of pages) expect(spool.add(page)).toBe(true);
  return spool;
}

function both(pages: readonly (readonly Entry[])[]): readonly [spool: string, tree: string] {
  const tree = new SizeTree();
  const feed = new TreeFeed(tree, ROOT);
  for (const page of pages) feed.flatPage(page);
  const spool = spooled(pages);
  const text = [...spool.export(HEADER)].join('');
  expect([...spool.export(HEADER)].join('')).toBe(text);
  expect(spool.bytes).toBe(tree.unknown(ROOT) > 0 ? undefined : tree.size(ROOT));
  spool.close();
  return [text, nameFromBytes(Buffer.concat([...exportNcdu(tree, HEADER)]))];
}

const names = fc.constantFrom('a', 'a-b', 'a.c', 'ab', 'ü', 'x "y"', '\udcff', '日本', 'b\\');
const paths = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const entries = fc
  .uniqueArray(fc.tuple(paths, fc.integer({ min: -1, max: 9 }), fc.option(fc.nat(9))), {
    selector: ([path]) => path,
    maxLength: 40,
  })
  .map((all) =>
    all
      .map(([path, size, second]): FileEntry => {
        const time = second === null ? {} : { modTime: joinModTime(second, 0) };
        return { kind: 'file', path, size, ...time };
      })
      .sort((a, b) => compareNames(a.path, b.path)),
  );

test('a listing in order has the records of the same scan in a tree', () => {
  fc.assert(
    fc.property(entries, fc.integer({ min: 1, max: 9 }), (all, length) => {
      const pages = all.flatMap((_, at) => (at % length === 0 ? [all.slice(at, at + length)] : []));
      const [spool, tree] = both(pages);
      expect(structure(spool)).toEqual(structure(tree));
    }),
  );
});

test('a large one is read in pieces, and directories without files are there', () => {
  const file = (at: number): Entry => {
    const path = `d${String(at % 7)}ö/${'n'.repeat(50)}${String(at).padStart(5, '0')}`;
    return { kind: 'file', path, size: at, modTime: joinModTime(at, 0) };
  };
  const all = Array.from({ length: 5000 }, (_, at) => file(at));
  all.push({ kind: 'dir', path: 'e/f' });
  all.sort((a, b) => compareNames(a.path, b.path));
  const [spool, tree] = both([all]);
  expect(spool).toBe(tree);
});

test('a failure marks the top', () => {
  const spool = spooled([[{ kind: 'file', path: 'a', size: 1 }]]);
  spool.fail('first');
  spool.fail('second');
  expect(spool.failure).toBe('first');
  expect([...spool.export(HEADER)].join('')).toContain('"x\\"","read_error":true}');
  spool.close();
});

test.each([
  ['b', 'a'],
  ['a', 'a'],
  ['a/x', 'a-b'],
  ['a', 'a//b'],
  ['/a', 'b'],
  ['a/', 'b'],
])('%s before %s is refused', (...two) => {
  const spool = new NcduSpool();
  expect(spool.add(two.map((path) => ({ kind: 'file', path, size: 1 })))).toBe(false);
  spool.close();
});

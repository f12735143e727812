import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodesBelow } from '../../../src/size-tree/node.ts';
import { type FoundPaths, PathSearch, wordsOf } from '../../../src/size-tree/path-search.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';
import { TreeFeed } from '../../../src/size-tree/tree-feed.ts';
import { fileEntry } from './fake-effects.ts';

function treeOf(paths: readonly string[]): SizeTree {
  const tree = new SizeTree();
  new TreeFeed(tree, 0).flatPage(paths.map((path) => fileEntry(path, 1)));
  return tree;
}

function found(search: PathSearch, query: string, most = 1000): FoundPaths {
  const work = search.find(query, most);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Whether a path has the letters of all words in their order. */
function matches(path: string, query: string): boolean {
  return wordsOf(query).every((word) => {
    const shown = /[A-Z]/.test(word) ? path : path.toLowerCase();
    let at = -1;
    return [...word].every((letter) => {
      at = shown.indexOf(letter, at + 1);
      return at >= 0;
    });
  });
}

const name = fc.array(fc.constantFrom('a', 'b', 'B', '-', 'ä'), { minLength: 1, maxLength: 4 });
const path = fc.array(
  name.map((letters) => letters.join('')),
  { minLength: 1, maxLength: 3 },
);
const query = fc.array(fc.constantFrom('a', 'b', 'B', '/', ' ', 'ä'), { maxLength: 5 });

test('what is typed letter by letter finds what a search from the start finds, and what matches', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 12 }), query, fc.nat(5), (paths, letters, stop) => {
      const tree = treeOf(paths.map((names) => names.join('/')));
      const search = new PathSearch(tree);
      letters.forEach((_, at) => {
        const typed = letters.slice(0, at + 1).join('');
        const given = search.find(typed, 10);
        if (at === stop) given.next();
        else while (given.next().done !== true);
      });
      const whole = letters.join('');
      const { nodes, total } = found(search, whole);
      expect(nodes).toEqual(found(new PathSearch(tree), whole).nodes);
      expect(total).toBe(nodes.length);
      const all = [...nodesBelow(tree, 0)].slice(1).map((node) => tree.path(node));
      const wanted = wordsOf(whole).length === 0 ? [] : all.filter((one) => matches(one, whole));
      expect(nodes.map((node) => tree.path(node)).sort()).toEqual(wanted.sort());
    }),
    { numRuns: 300 },
  );
});

describe('the best match comes first', () => {
  const paths = [
    'photos/2024/january/beach.jpg',
    'photos/2024/report-final.pdf',
    'components/browser/list-keys.ts',
    'src/sync/keys.ts',
    'docs/keys',
    'docs/monkeys.txt',
    'old/READMEs/readme.md',
    'README',
  ];
  test.each([
    ['keys', 'docs/keys'],
    ['lk', 'components/browser/list-keys.ts'],
    ['pho jan', 'photos/2024/january'],
    ['rfpdf', 'photos/2024/report-final.pdf'],
    ['beach', 'photos/2024/january/beach.jpg'],
    ['README', 'README'],
    ['readme.', 'old/READMEs/readme.md'],
    ['sync/k', 'src/sync/keys.ts'],
  ])('%j: %s', (typed, best) => {
    const tree = treeOf(paths);
    const [first] = found(new PathSearch(tree), typed).nodes;
    expect(tree.path(first ?? 0)).toBe(best);
  });
});

test('deleted entries are not found, nor what is below them; new ones are', () => {
  const tree = treeOf(['a/one', 'a/b/one', 'c/one']);
  const search = new PathSearch(tree);
  const paths = () => found(search, 'one').nodes.map((node) => tree.path(node));
  expect(paths()).toEqual(['a/one', 'c/one', 'a/b/one']);
  tree.remove(tree.children(0).subarray(0, 1));
  expect(paths()).toEqual(['c/one']);
  new TreeFeed(tree, 0).flatPage([fileEntry('one', 1)]);
  expect(paths()).toEqual(['one', 'c/one']);
});

test('of many matches the best are listed, and all counted', () => {
  const tree = treeOf(Array.from({ length: 9000 }, (_, at) => `dir-${at % 90}/x${at}-report`));
  const report = { ...fileEntry('deep/down/report', 1) };
  new TreeFeed(tree, 0).flatPage([report]);
  const { nodes, total } = found(new PathSearch(tree), 'report', 10);
  expect(total).toBe(9001);
  expect(nodes).toHaveLength(10);
  expect(tree.path(nodes[0] ?? 0)).toBe('deep/down/report');
});

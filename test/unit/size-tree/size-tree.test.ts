import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodesBelow, ROOT } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';
import { type ModelNode, modelFigures, treePaths } from './tree-model.ts';

const file = (name: string, size: number, timeMs = Number.NaN) => ({
  ...{ name, size, timeMs, isDir: false },
});
const dir = (name: string) => ({ name, size: 0, timeMs: Number.NaN, isDir: true });

describe('a tree of sizes', () => {
  test('a directory has the figures of all below it', () => {
    const tree = new SizeTree();
    const a = tree.add(ROOT, [dir('a'), file('x', 5)]);
    const b = tree.add(a, [dir('b'), file('y', 7), file('z', -1)]);
    tree.add(b, [file('w', 100)]);
    expect([tree.size(ROOT), tree.files(ROOT), tree.unknown(ROOT)]).toEqual([112, 4, 1]);
    expect([tree.size(a), tree.files(a), tree.average(a)]).toEqual([107, 3, 53.5]);
    expect(tree.path(b + 1)).toBe('a/y');
    tree.remove([b]);
    expect([tree.size(ROOT), tree.files(ROOT), tree.dirs]).toEqual([12, 3, 1]);
    expect(tree.isThere(b)).toBe(false);
    tree.remove([b]);
    expect(tree.size(ROOT)).toBe(12);
  });

  test('names of any bytes go in and come out unchanged', () => {
    const names = ['日本', 'bad\udcff', 'a\nb', '', 'e\u0301', '😀'.repeat(200)];
    const tree = new SizeTree();
    tree.add(
      ROOT,
      names.map((name) => file(name, 1)),
    );
    expect(Array.from(tree.children(ROOT), (node) => tree.name(node))).toEqual(names);
  });

  test('the time of a directory is the newest below it, also when that goes', () => {
    const tree = new SizeTree();
    const a = tree.add(ROOT, [dir('a'), file('x', 1, 50)]);
    const old = tree.add(a, [file('old', 1, 10), file('new', 1, 90)]);
    expect([tree.timeMs(a), tree.timeMs(ROOT)]).toEqual([90, 90]);
    tree.remove([old + 1]);
    expect([tree.timeMs(a), tree.timeMs(ROOT)]).toEqual([10, 50]);
  });

  test('failures are counted upwards and go with what they belong to', () => {
    const tree = new SizeTree();
    const a = tree.add(ROOT, [dir('a')]);
    const b = tree.add(a, [dir('b')]);
    tree.setError(b, 'no');
    tree.setError(b, 'still no');
    expect([tree.failed(ROOT), tree.failed(a), tree.errorOf(b)]).toEqual([1, 1, 'still no']);
    tree.remove([a]);
    expect([tree.failed(ROOT), [...tree.failures()].length]).toEqual([0, 0]);
  });

  test('what was listed anew takes the place of what was known', () => {
    const tree = new SizeTree();
    const a = tree.add(ROOT, [dir('a'), file('x', 1)]);
    tree.add(a, [file('gone', 10)]);
    const into = tree.addRoot();
    const sub = tree.add(into, [dir('sub'), file('came', 3)]);
    tree.add(sub, [file('deep', 4)]);
    tree.setError(into, 'half of it');
    tree.setListed(into);
    tree.replaceContents(a, into);
    expect(treePaths(tree)).toEqual({ 'a/': 7, 'a/sub/': 4, 'a/sub/deep': 4, 'a/came': 3, x: 1 });
    expect([tree.size(ROOT), tree.errorOf(a), tree.failed(ROOT)]).toEqual([8, 'half of it', 1]);
  });

  test('a listing that has not ended leaves all below it unknown', () => {
    const tree = new SizeTree();
    const a = tree.add(ROOT, [dir('a')]);
    tree.setListed(ROOT);
    tree.setListed(a);
    tree.setPartial(ROOT, true);
    expect([tree.isListed(ROOT), tree.isListed(a)]).toEqual([false, false]);
    const into = tree.addRoot();
    tree.setListed(into);
    tree.replaceContents(a, into);
    expect([tree.isListed(ROOT), tree.isListed(a)]).toEqual([false, true]);
    tree.setPartial(ROOT, false);
    expect(tree.isListed(ROOT)).toBe(true);
  });

  test('what comes late into a directory that has gone changes nothing', () => {
    const tree = new SizeTree();
    const a = tree.add(ROOT, [dir('a'), file('x', 1)]);
    const b = tree.add(a, [dir('b')]);
    tree.remove([a]);
    tree.add(b, [file('late', 100), dir('later')]);
    tree.setError(b, 'no');
    tree.setListed(b);
    expect([tree.size(ROOT), tree.files(ROOT), tree.dirs, tree.failed(ROOT)]).toEqual([1, 1, 0, 0]);
    expect([...tree.failures()]).toEqual([]);
  });

  test('a directory is whole when all directories below it are listed', () => {
    const tree = new SizeTree();
    const a = tree.add(ROOT, [dir('a'), dir('b')]);
    const c = tree.add(a, [dir('c')]);
    for (const node of [ROOT, a]) tree.setListed(node);
    expect([tree.isWhole(ROOT), tree.isWhole(a), tree.isListed(a)]).toEqual([false, false, true]);
    tree.setListed(c);
    tree.setListed(c);
    expect([tree.isWhole(ROOT), tree.isWhole(a)]).toEqual([false, true]);
    tree.remove([a + 1]);
    expect(tree.isWhole(ROOT)).toBe(true);
    const into = tree.addRoot();
    tree.add(into, [dir('d')]);
    tree.replaceContents(a, into);
    expect([tree.isWhole(ROOT), tree.isListed(a)]).toEqual([false, false]);
  });

  test('any adding and removing leaves the sums of a plain model', () => {
    const step = fc.record({
      where: fc.nat(),
      sizes: fc.array(fc.integer({ min: -1, max: 1000 }), { maxLength: 4 }),
      dirs: fc.nat(2),
      removes: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const tree = new SizeTree();
        const top: ModelNode = { id: ROOT, name: '', size: 0, children: [] };
        const parents = new Map<ModelNode, ModelNode>();
        const all = (node: ModelNode): ModelNode[] => [node, ...(node.children ?? []).flatMap(all)];
        for (const { where, sizes, dirs, removes } of steps) {
          const nodes = all(top);
          const at = nodes[where % nodes.length] as ModelNode;
          if (removes && at !== top) {
            tree.remove([at.id]);
            const siblings = parents.get(at)?.children ?? [];
            siblings.splice(siblings.indexOf(at), 1);
            continue;
          }
          if (at.children === undefined) continue;
          const added = [
            ...sizes.map((size, n) => file(`f${n}`, size)),
            ...Array(dirs).fill(dir('d')),
          ];
          const first = tree.add(at.id, added);
          added.forEach(({ name, size, isDir }, n) => {
            const node = { id: first + n, name, size, children: isDir ? [] : undefined };
            at.children?.push(node);
            parents.set(node, at);
          });
        }
        for (const node of all(top)) {
          const { size, files, unknown } = modelFigures(node);
          expect([tree.size(node.id), tree.files(node.id), tree.unknown(node.id)]).toEqual([
            size,
            files,
            unknown,
          ]);
        }
        expect(tree.dirs).toBe(
          all(top).filter(({ children }) => children !== undefined).length - 1,
        );
        expect([...nodesBelow(tree, ROOT)].sort()).toEqual(
          all(top)
            .map(({ id }) => id)
            .sort(),
        );
      }),
    );
  });
});

test.each(['', 'x', 'much longer than before', 'ü'])(
  'renamed to "%s", only that name changes',
  (to) => {
    const tree = new SizeTree();
    const names = ['one', 'two', 'three'];
    const add = (name: string) => tree.add(ROOT, [{ name, isDir: false, size: 1, timeMs: 0 }]);
    const nodes = names.map(add);
    const { version } = tree;
    tree.rename(nodes[1] as number, to);
    add('four');
    expect([...nodes, 4].map((node) => tree.name(node))).toEqual(['one', to, 'three', 'four']);
    expect(tree.version).not.toBe(version);
  },
);

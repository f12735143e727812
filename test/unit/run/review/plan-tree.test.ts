import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  buildPlanTree,
  chosenChanges,
  NO_FILTER,
  type PlanNode,
  reckon,
  toggle,
  visibleNodes,
} from '../../../../src/run/review/plan-tree.ts';
import { aPlan, MIXED } from './a-plan.ts';

const shown = (nodes: readonly PlanNode[]) =>
  nodes.map(({ depth, path, isDir }) => `${' '.repeat(depth)}${path}${isDir ? '/' : ''}`);

test('folders come first, then files, each in the order of the names', () => {
  expect(shown(visibleNodes(buildPlanTree(MIXED)))).toEqual([
    'moved/',
    ' moved/new',
    'old/',
    ' old/deep/',
    '  old/deep/.',
    '  old/deep/y',
    ' old/.',
    ' old/x',
    'photos/',
    ' photos/2024/',
    '  photos/2024/a.jpg',
    '  photos/2024/b.jpg',
    ' photos/list.txt',
    'notes.txt',
  ]);
});

test('folders know the sums of what is below them', () => {
  const { root, nodes } = buildPlanTree(MIXED);
  expect(root.chosen).toMatchObject({ changes: 9, bytes: 3041, deleted: 11 });
  const photos = nodes.find(({ path }) => path === 'photos');
  expect(photos?.chosen).toEqual({
    changes: 3,
    bytes: 3030,
    deleted: 0,
    kinds: [2, 1, 0, 0, 0, 0, 0, 0, 0],
  });
});

test('dropping a branch drops all in it, and again takes it in', () => {
  const tree = buildPlanTree(MIXED);
  const old = tree.nodes.find(({ path }) => path === 'old') as PlanNode;
  toggle(old);
  reckon(tree, NO_FILTER);
  expect(tree.root.chosen).toMatchObject({ changes: 5, deleted: 0 });
  expect([...chosenChanges(tree)].some(({ path }) => path.startsWith('old'))).toBe(false);
  toggle(old);
  reckon(tree, NO_FILTER);
  expect(tree.root.chosen.changes).toBe(9);
});

test('what the filter hides is not chosen, and is not dropped with its folder', () => {
  const tree = buildPlanTree(MIXED);
  const filter = { text: 'a.jpg', deletionsOnly: false };
  reckon(tree, filter);
  expect(shown(visibleNodes(tree))).toEqual(['photos/', ' photos/2024/', '  photos/2024/a.jpg']);
  expect([...chosenChanges(tree)].map(({ path }) => path)).toEqual(['photos/2024/a.jpg']);
  toggle(tree.nodes.find(({ path }) => path === 'photos') as PlanNode);
  reckon(tree, NO_FILTER);
  expect(tree.root.chosen.changes).toBe(8);
  reckon(tree, { text: '', deletionsOnly: true });
  expect(tree.root.chosen.kinds).toEqual([0, 0, 0, 0, 0, 2, 0, 2, 0]);
});

test('a change of the root itself has a line, too', () => {
  const tree = buildPlanTree(aPlan('delete a', 'remove-dir '));
  expect(shown(visibleNodes(tree))).toEqual(['', 'a']);
});

test('the sums of every node are those of its leaves, whatever was dropped', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 })
    .map((names) => `${names.join('/')}/f`);
  const kinds = fc.constantFrom('copy', 'update', 'delete');
  const lines = fc.array(fc.tuple(kinds, path), { maxLength: 30 });
  fc.assert(
    fc.property(lines, fc.array(fc.nat()), fc.constantFrom('', 'a', 'b/c'), (plan, picks, text) => {
      const tree = buildPlanTree(aPlan(...plan.map(([kind, at]) => `${kind} ${at}`)));
      const filter = { text, deletionsOnly: false };
      reckon(tree, filter);
      for (const pick of picks) {
        const lines = visibleNodes(tree);
        const node = lines[pick % Math.max(1, lines.length)];
        if (node !== undefined) toggle(node);
        reckon(tree, filter);
      }
      const count = (node: PlanNode): number =>
        (node.change !== undefined && node.matches && !node.dropped ? 1 : 0) +
        node.children.reduce((sum, child) => sum + count(child), 0);
      for (const node of tree.nodes) expect(node.chosen.changes).toBe(count(node));
      expect(chosenChanges(tree).size).toBe(tree.root.chosen.changes);
    }),
  );
});

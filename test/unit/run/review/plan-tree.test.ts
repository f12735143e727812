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
import type { PlannedChange } from '../../../../src/run/review/planned-change.ts';
import { aPlan, MIXED } from './a-plan.ts';

const shown = (nodes: readonly PlanNode[]) =>
  nodes.map(({ depth, path, isDir }) => `${' '.repeat(depth)}${path}${isDir ? '/' : ''}`);

test('the most dangerous comes first; in it folders, then files, each in the order of the names', () => {
  expect(shown(visibleNodes(buildPlanTree(MIXED)))).toEqual([
    'Deletions/',
    ' old/',
    '  old/deep/',
    '   old/deep/.',
    '   old/deep/y',
    '  old/.',
    '  old/x',
    'Replacements/',
    ' photos/',
    '  photos/list.txt',
    'Moves and renames/',
    ' moved/',
    '  moved/new',
    'Additions/',
    ' photos/',
    '  photos/2024/',
    '   photos/2024/a.jpg',
    '   photos/2024/b.jpg',
    'Times/',
    ' notes.txt',
  ]);
});

test('a move onto another file is a replacement', () => {
  const [replacing] = aPlan('move taken').values();
  const plan = new Map([...aPlan('move free'), ...aPlan('move taken')]);
  plan.set('move taken', { ...replacing, dest: { size: 1 } } as PlannedChange);
  expect(shown(visibleNodes(buildPlanTree(plan)))).toEqual([
    'Replacements/',
    ' taken',
    'Moves and renames/',
    ' free',
  ]);
});

test('what is the same to all paths has no line of its own', () => {
  const tree = buildPlanTree(aPlan('copy b/a', 'make-dir b', 'copy a'));
  expect(shown(visibleNodes(tree))).toEqual(['b/', ' b/.', ' b/a', 'a']);
});

test('folders know the sums of what is below them', () => {
  const { root, nodes } = buildPlanTree(MIXED);
  expect(root.chosen).toMatchObject({ changes: 9, bytes: 3041, deleted: 11 });
  const sums = nodes.filter(({ path }) => path === 'photos').map(({ chosen }) => chosen);
  expect(sums).toEqual([
    { changes: 1, bytes: 30, deleted: 0, isAtMost: false, kinds: [0, 1, 0, 0, 0, 0, 0, 0, 0] },
    { changes: 2, bytes: 3000, deleted: 0, isAtMost: false, kinds: [2, 0, 0, 0, 0, 0, 0, 0, 0] },
  ]);
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
  expect(shown(visibleNodes(tree))).toEqual([
    ...['Additions/', ' photos/', '  photos/2024/', '   photos/2024/a.jpg'],
  ]);
  expect([...chosenChanges(tree)].map(({ path }) => path)).toEqual(['photos/2024/a.jpg']);
  toggle(tree.nodes.findLast(({ path }) => path === 'photos') as PlanNode);
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

import { expect, test } from 'vitest';
import type { FileEntry } from '../../../../src/core/remote.ts';
import type { Action } from '../../../../src/engine/action.ts';
import { buildPlanTree } from '../../../../src/run/review/plan-tree.ts';
import { plannedChange } from '../../../../src/run/review/planned-change.ts';
import { nodeLine } from '../../../../src/run/review/review-lines.ts';
import { UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';

const file = (path: string, size: number): FileEntry => ({ kind: 'file', path, size });
const copy = (path: string): Action => ({ do: 'copy', source: file(path, -1), path });
const update = (path: string, source: number, dest: number): Action => ({
  do: 'copy',
  source: file(path, source),
  path,
  replaces: file(path, dest),
  reason: { why: 'sizes-differ', source, dest },
});

test('sizes that are equal when rounded are given in bytes', () => {
  expect(plannedChange(update('a', 2934, 2930)).reason).toBe('size 2,934 bytes, at dest 2,930');
  expect(plannedChange(update('a', 2934, 9000)).reason).toBe('size 2.8 KiB, at dest 8.7 KiB');
});

test('the counts of directories stand in columns', () => {
  const changes = [
    ...Array.from({ length: 12 }, (_, n) => copy(`a/c${n}`)),
    update('a/u', 1, 2),
    ...['a', 'b', 'c'].map((dir): Action => ({ do: 'delete', file: file(`${dir}/d`, -1) })),
    copy('b/c'),
  ];
  const tree = buildPlanTree(new Map(changes.map((each, n) => [String(n), plannedChange(each)])));
  const rows = (columns: number) =>
    tree.nodes
      .filter(({ isDir }) => isDir)
      .map((node) => nodeLine(node, tree.kinds, columns, UNICODE_GLYPHS))
      .map((line) => line.map(({ text }) => text).join(''));
  expect(rows(80).map((text) => text.slice(-32).trimEnd())).toEqual([
    '       D3',
    '       D1',
    '       D1',
    '       D1',
    '    U1',
    '    U1',
    'C13',
    'C12',
    'C1',
  ]);
  expect(rows(40).map((text) => text.slice(-10).trimEnd())).toEqual([
    '       D3',
    '       D1',
    '       D1',
    '       D1',
    '    U1',
    '    U1',
    'C13',
    'C12',
    'C1',
  ]);
});

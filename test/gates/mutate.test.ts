import { expect, test } from 'vitest';
import { drawFaults, faultsOf, withFault } from '../../scripts/testing/draw-faults.ts';
import { randomFrom } from '../support/random-from.ts';

const TEXT = `export async function copy(list: string[], to = list[0] ?? '') {
  if (list.length > 1 && to !== '') await write(list, to);
  log();
}
`;

test('each kind of fault is planted where it fits, and nowhere else', () => {
  const faults = faultsOf('copy.ts', TEXT);
  const changed = faults.map((fault) => {
    const lines = withFault(TEXT, fault).split('\n');
    return `${fault.kind}: ${lines[fault.line - 1]?.trim()}`;
  });
  expect(changed.sort()).toEqual([
    "and for or: if (list.length > 1 || to !== '') await write(list, to);",
    "arguments swapped: if (list.length > 1 && to !== '') await write(to, list);",
    "await missing: if (list.length > 1 && to !== '') write(list, to);",
    "bound off by one: if (list.length >= 1 && to !== '') await write(list, to);",
    'call dropped: ;',
    "call dropped: if (list.length > 1 && to !== '') ;",
    "comparison reversed: if (list.length > 1 && to === '') await write(list, to);",
    "condition reversed: if (!(list.length > 1 && to !== '')) await write(list, to);",
    'default taken away: export async function copy(list: string[], to = list[0]) {',
    "number off by one: export async function copy(list: string[], to = list[1] ?? '') {",
    "number off by one: if (list.length > 2 && to !== '') await write(list, to);",
  ]);
});

test('a seed always draws the same faults, and none twice', () => {
  const draw = () => drawFaults(['src/core/retry.ts'], 20, randomFrom(7));
  const places = draw().map(({ start, kind }) => `${start} ${kind}`);
  expect(draw()).toEqual(draw());
  expect(new Set(places).size).toBe(20);
});

import { expect, test } from 'vitest';
import { drawFaults, faultsOf, withFault } from '../../scripts/testing/draw-faults.ts';
import { nearestTests } from '../../scripts/testing/nearest-tests.ts';
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

test('the tests of a fault begin with its own, then come those that are near it in imports or words', () => {
  const texts = new Map([
    ['src/core/list.ts', 'export const list = 1;'],
    ['commands/copy/copy.ts', "import { list } from '../../src/core/list.ts';"],
    ['commands/trash/trash.ts', "import type { list } from '../../src/core/list.ts';"],
    ['commands/index.ts', "export const copy = () => import('./copy/copy.ts');"],
    ['test/support/run.ts', "import { copy } from '../../commands/index.ts';"],
    ['test/cli/copy.test.ts', "import '../support/run.ts';"],
    ['test/cli/move.test.ts', "import '../support/run.ts';"],
    ['test/peers/copy.test.ts', "import '../support/run.ts';"],
    ['test/unit/core/list.slow.test.ts', "import './list-world.ts';"],
    ['test/unit/core/other.test.ts', "const path = '../../../src/core/list.ts';"],
    ['test/unit/core/apart.test.ts', "import type { list } from '../../../src/core/list.ts';"],
  ]);
  expect(nearestTests('src/core/list.ts', texts)).toEqual([
    'test/unit/core/list.slow.test.ts',
    'test/unit/core/other.test.ts',
    'test/cli/copy.test.ts',
    'test/cli/move.test.ts',
  ]);
  expect(nearestTests('commands/copy/copy.ts', texts)).toEqual([
    'test/cli/copy.test.ts',
    'test/cli/move.test.ts',
  ]);
});

import { expect, test } from 'vitest';
import { type Block, BlockBudget } from '../../../../src/vfs/contents/block-budget.ts';

/** A budget of four blocks of 10 bytes, and the names of those that had to go. */
function world() {
  const budget = new BlockBudget(40, 40);
  const gone: string[] = [];
  const needed = new Set<string>();
  const add = (name: string) => {
    const block: Block = {
      bytes: 10,
      isNeeded: () => needed.has(name),
      evict: () => void gone.push(name),
    };
    budget.add(block);
    return block;
  };
  return { budget, gone, needed, add };
}

test('what was read to its end goes before what is still to be read', () => {
  const { budget, gone, add } = world();
  const [a, b, c] = ['a', 'b', 'c', 'd'].map(add) as [Block, Block, Block, Block];
  budget.use(c, true);
  budget.use(a, false);
  budget.use(b, true);
  for (const name of ['e', 'f', 'g', 'h']) add(name);
  expect(gone).toEqual(['c', 'b', 'd', 'a']);
  expect(budget.used).toBe(40);
});

test('what is read again is wanted again', () => {
  const { budget, gone, add } = world();
  const [a, b] = ['a', 'b', 'c', 'd'].map(add) as [Block, Block, Block, Block];
  budget.use(a, true);
  budget.use(b, true);
  budget.use(a, false);
  add('e');
  expect(gone).toEqual(['b']);
  budget.remove(a);
  add('f');
  expect(gone).toEqual(['b']);
});

test('what somebody waits for stays, even above the limit', () => {
  const { budget, gone, needed, add } = world();
  for (const name of ['a', 'b', 'c', 'd']) {
    needed.add(name);
    add(name);
  }
  add('e');
  expect(gone).toEqual([]);
  expect(budget.used).toBe(50);
  needed.delete('b');
  add('f');
  expect(gone).toEqual(['b', 'e']);
});

test('of what was read to its end, only the last 16 MiB stay', () => {
  const budget = new BlockBudget(64 * 2 ** 20, 16 * 2 ** 20);
  const gone: number[] = [];
  const blocks = Array.from({ length: 8 }, (_, n): Block => {
    const isNeeded = () => n === 1;
    return { bytes: 4 * 2 ** 20, isNeeded, evict: () => void gone.push(n) };
  });
  for (const block of blocks) budget.add(block);
  for (const block of blocks.slice(0, 6)) budget.use(block, true);
  expect(gone).toEqual([0, 2]);
  expect(budget.used).toBe(24 * 2 ** 20);
  for (const block of blocks.slice(3, 6)) budget.use(block, false);
  for (const block of blocks.slice(6)) budget.use(block, true);
  expect(gone).toEqual([0, 2]);
});

test('many readers together want no more than half of it', () => {
  const budget = new BlockBudget(64 * 2 ** 20, 16 * 2 ** 20);
  budget.readers++;
  expect(budget.window()).toBe(16 * 2 ** 20);
  for (let n = 0; n < 63; n++) budget.readers++;
  expect(budget.window()).toBe(512 * 1024);
});

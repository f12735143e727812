import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { WrittenTogether } from '../../../../src/backends/http/connection.ts';

function collected() {
  const written: number[] = [];
  const together = new WrittenTogether();
  return { written, add: (number: number) => together.add(() => written.push(number)) };
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

it('writes the first request of a turn at once, and the others at its end', async () => {
  const { written, add } = collected();
  for (const number of [1, 2, 3]) add(number);
  expect(written).toEqual([1]);
  await setImmediate();
  expect(written).toEqual([1, 2, 3]);
  for (const number of [4, 5]) add(number);
  expect(written).toEqual([1, 2, 3, 4]);
  await setImmediate();
  expect(written).toEqual([1, 2, 3, 4, 5]);
});

it('writes sixteen that wait without waiting for the end of the turn', () => {
  const { written, add } = collected();
  for (const number of numbers(1, 40)) add(number);
  expect(written).toEqual(numbers(1, 33));
});

it('writes each once, also those that a write adds', async () => {
  const written: string[] = [];
  const together = new WrittenTogether();
  together.add(() => together.add(() => written.push('inner')));
  for (const name of ['a', 'b']) {
    together.add(() => {
      written.push(name);
      together.add(() => written.push(`after ${name}`));
    });
  }
  await setImmediate();
  await setImmediate();
  expect(written.sort()).toEqual(['a', 'after a', 'after b', 'b', 'inner']);
});

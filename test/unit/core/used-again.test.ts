import { expect, test } from 'vitest';
import { giveBack, UsedAgain } from '../../../src/core/body.ts';

test('a buffer is used again once it was given back, whole even where a piece of it came', () => {
  const buffers = new UsedAgain(100, 2);
  const first = buffers.take();
  const second = buffers.take();
  expect(second.buffer).not.toBe(first.buffer);
  giveBack(first.subarray(10, 20));
  const again = buffers.take();
  expect(again.buffer).toBe(first.buffer);
  expect(again.length).toBe(100);
});

test('what is given back twice, or belongs to nobody, is not lent twice', () => {
  const buffers = new UsedAgain(100, 9);
  const first = buffers.take();
  giveBack(first);
  giveBack(first);
  giveBack(Buffer.alloc(100));
  expect(buffers.take().buffer).toBe(first.buffer);
  expect(buffers.take().buffer).not.toBe(first.buffer);
});

test('no more are kept than wanted', () => {
  const buffers = new UsedAgain(100, 1);
  const [first, second] = [buffers.take(), buffers.take()];
  giveBack(first);
  giveBack(second);
  expect(buffers.take().buffer).toBe(first.buffer);
  expect(buffers.take().buffer).not.toBe(second.buffer);
});

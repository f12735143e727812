import { expect, test } from 'vitest';
import { BufferPool, releaseBuffer } from '../../../src/core/buffers.ts';

test('a buffer is used again once it was released, whole even if only a piece of it came back', () => {
  const buffers = new BufferPool(100, 2);
  const first = buffers.take();
  const second = buffers.take();
  expect(second.buffer).not.toBe(first.buffer);
  releaseBuffer(first.subarray(10, 20));
  const again = buffers.take();
  expect(again.buffer).toBe(first.buffer);
  expect(again.length).toBe(100);
});

test('a buffer that is released twice is lent once, and one from elsewhere never', () => {
  const buffers = new BufferPool(100, 9);
  const first = buffers.take();
  releaseBuffer(first);
  releaseBuffer(first);
  releaseBuffer(Buffer.alloc(100));
  expect(buffers.take().buffer).toBe(first.buffer);
  expect(buffers.take().buffer).not.toBe(first.buffer);
});

test('a pool retains only as many buffers as it may', () => {
  const buffers = new BufferPool(100, 1);
  const [first, second] = [buffers.take(), buffers.take()];
  releaseBuffer(first);
  releaseBuffer(second);
  expect(buffers.take().buffer).toBe(first.buffer);
  expect(buffers.take().buffer).not.toBe(second.buffer);
});

import { expect, test } from 'vitest';
import { ByteCollector } from '../../../src/core/buffers.ts';

test('pieces of any size come out as one', () => {
  const collector = new ByteCollector();
  const pieces = Array.from({ length: 2000 }, (_, i) => Buffer.alloc(i % 5, i % 251));
  for (const piece of pieces) collector.push(piece);
  expect(collector.length).toBe(4000);
  expect(collector.take().equals(Buffer.concat(pieces))).toBe(true);
});

test('it is empty after that, and what it gave stays as it was', () => {
  const collector = new ByteCollector();
  collector.push(Buffer.from('ab'));
  const taken = collector.take();
  collector.push(Buffer.from('cd'));
  expect(taken.toString()).toBe('ab');
  expect(collector.take().toString()).toBe('cd');
  expect(collector.take()).toHaveLength(0);
});

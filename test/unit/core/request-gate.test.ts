import { expect, test } from 'vitest';
import { RequestGate } from '../../../src/core/context.ts';

const { signal } = new AbortController();

test('the end of one use of a request gate leaves the limit of another', async () => {
  const gate = new RequestGate();
  const asked: string[] = [];
  const endFirst = gate.use(async () => void asked.push('first'));
  const endSecond = gate.use(async () => void asked.push('second'));
  await gate.limit?.(signal);
  expect(asked.splice(0)).toEqual(['first', 'second']);
  endFirst();
  endFirst();
  await gate.limit?.(signal);
  expect(asked).toEqual(['second']);
  endSecond();
  expect(gate.limit).toBeUndefined();
});

test('a request gate lets no request pass that one of its limits refuses', async () => {
  const gate = new RequestGate();
  gate.use(async () => {
    throw new Error('lost');
  });
  gate.use(async () => {});
  await expect(gate.limit?.(signal)).rejects.toThrow('lost');
});

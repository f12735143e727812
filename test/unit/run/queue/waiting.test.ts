import { expect, test } from 'vitest';
import { Waiting } from '../../../../src/run/queue/queue-run.ts';

const forever = new Promise<never>(() => {});

test('news end one wait: the one that goes on, or the next one if there is none', async () => {
  const waiting = new Waiting();
  const ended: string[] = [];
  const wait = (name: string, time: Promise<void>) =>
    waiting.wait(time).then(() => void ended.push(name));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  void wait('first', forever);
  await turn();
  expect(ended).toEqual([]);
  waiting.end();
  await turn();
  expect(ended).toEqual(['first']);
  waiting.end();
  void wait('second', forever);
  await turn();
  expect(ended).toEqual(['first', 'second']);
  const time = Promise.withResolvers<void>();
  void wait('third', time.promise);
  await turn();
  expect(ended).toEqual(['first', 'second']);
  time.resolve();
  await turn();
  expect(ended).toEqual(['first', 'second', 'third']);
});

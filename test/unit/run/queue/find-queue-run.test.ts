import { expect, test } from 'vitest';
import { findQueueRun } from '../../../../src/run/queue/find-queue-run.ts';

const run = (id: string) => ({ id });
const runs = { now: [run('1-aaaa')], ended: [run('2-bbbb'), run('3-cbbb')] };

test('by the end of its id, also when it has ended; without a name, the only one that goes on', () => {
  expect(findQueueRun('aaaa', runs)).toEqual(run('1-aaaa'));
  expect(findQueueRun('3-cbbb', runs)).toEqual(run('3-cbbb'));
  expect(findQueueRun(undefined, runs)).toEqual(run('1-aaaa'));
  expect(() => findQueueRun('bbb', runs)).toThrow('"bbb" is the end of several runs in the queue');
  expect(() => findQueueRun('', runs)).toThrow('there is no run');
  expect(() => findQueueRun(undefined, { now: [], ended: runs.ended })).toThrow(
    'no run is in progress',
  );
  const two = { now: [run('1'), run('2')], ended: [] };
  expect(() => findQueueRun(undefined, two)).toThrow('several runs are in progress in the queue');
});

import { expect, test } from 'vitest';
import { Activity } from '../../../../src/hooks/http/activity.ts';

test('every thread counts for itself, and all see the sum', () => {
  const main = new Activity();
  const [one, two] = [main.ofThread(1), new Activity(main.memory, 2)];
  main.begin();
  one.begin();
  two.begin();
  two.opened();
  expect(main.busy).toBe(3);
  expect(main.open).toBe(1);
  expect([main.openHere, two.openHere]).toEqual([0, 1]);
  two.end();
  main.stop();
  expect(one.busy).toBe(2);
  expect(one.stopping).toBe(true);
});

test('what a thread had under way is forgotten with it, also when its end is told later', () => {
  const main = new Activity();
  const thread = main.ofThread(1);
  thread.begin();
  thread.opened();
  thread.clear();
  thread.end();
  thread.closed();
  expect([main.busy, main.open]).toEqual([0, 0]);
});

test('a connection counts as active once in a tick', () => {
  const main = new Activity();
  const thread = main.ofThread(3);
  const [one, two] = [{ activeTick: -1 }, { activeTick: -1 }];
  for (const place of [one, one, two, one]) thread.wasActive(place);
  expect([main.activeHere, thread.activeHere]).toEqual([0, 2]);
  main.nextTick();
  expect(thread.activeHere).toBe(0);
  thread.wasActive(two);
  expect(thread.activeHere).toBe(1);
});

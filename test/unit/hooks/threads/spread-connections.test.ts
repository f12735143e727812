import { expect, test } from 'vitest';
import { spreadConnections } from '../../../../src/hooks/threads/spread-connections.ts';

const spread = (active: number[], weights = active.map(() => 1)) =>
  spreadConnections(active, weights).map(({ tooMany, room }) => room - tooMany);

test.each([
  ['nothing to spread', [0, 0], [0, 0]],
  ['one connection stays', [1, 0, 0], [0, 0, 0]],
  ['all at one place', [32, 0], [-16, 16]],
  ['a new thread', [16, 16, 0, 0], [-8, -8, 8, 8]],
  ['what cannot be divided stays in order', [3, 0], [-1, 1]],
  ['one more here than there', [2, 1], [0, 0]],
  ['none in the main thread', [0, 9, 9], [6, -3, -3]],
])('%s', (_, active, wanted) => {
  expect(spread(active)).toEqual(wanted);
});

test('a thread with less weight gets a smaller share', () => {
  expect(spread([30, 0], [0.5, 1])).toEqual([-20, 20]);
});

import { expect, test } from 'vitest';
import { isDying } from '../../../../src/fuse/session/calls-in-flight.ts';

const status = (thread: string, shared: string) => () =>
  `Name:\tx\nSigPnd:\t${thread}\nShdPnd:\t${shared}\nSigBlk:\t0000000000000100\n`;

test.each([
  ['0000000000000100', '0000000000000000', true],
  ['0000000000000000', '0000000000000100', true],
  ['0000000000002000', '0000000000000002', false],
])('waiting signals %s %s', (thread, shared, expected) => {
  expect(isDying(5, status(thread, shared))).toBe(expected);
});

test('unknown threads', () => {
  expect(isDying(0)).toBeUndefined();
  const gone = () => {
    throw new Error('ENOENT');
  };
  expect(isDying(5, gone)).toBeUndefined();
});

import { expect, test } from 'vitest';
import { leaveTerminal } from '../../../../src/shell/process/job-control.ts';

/** Ends a process in which these descriptors are open; gives those that were closed. */
function closedAtEnd(open: Readonly<Record<number, 'terminal' | 'file'>>, isInBackground: boolean) {
  const closed: number[] = [];
  leaveTerminal({
    isInBackground: () => isInBackground,
    list: () => Object.keys(open).map(Number),
    isTerminal: (descriptor) => open[descriptor] === 'terminal',
    close: (descriptor) => closed.push(descriptor),
  });
  return closed;
}

test('in the background all that is the terminal is closed, and nothing else', () => {
  const open = { 0: 'terminal', 1: 'file', 2: 'terminal', 17: 'terminal', 18: 'file' } as const;
  expect(closedAtEnd(open, true)).toEqual([0, 2, 17]);
  expect(closedAtEnd(open, false)).toEqual([]);
});

test('a process without a terminal closes nothing', () => {
  expect(closedAtEnd({ 0: 'file', 1: 'file', 2: 'file', 9: 'terminal' }, true)).toEqual([]);
});

import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import { type Ending, exitNumber } from '../../../../src/shell/process/end-process.ts';

const thrown = new SyncerError('directory-not-found', 'a');
const lastError = new SyncerError('unreadable', 'b');
const interruption = new SyncerError('interrupted', 'c');
const fine: Ending = {
  thrown: undefined,
  lastError: undefined,
  interruption: undefined,
  outputClosed: false,
};

test.each<[string, Partial<Ending>, number]>([
  ['all went well', {}, 0],
  ['an error was counted', { lastError }, 6],
  ['the command ended with an error', { lastError, thrown }, 3],
  ['the reader has gone', { thrown, outputClosed: true }, 141],
  ['a signal came', { thrown, outputClosed: true, interruption }, 130],
])('%s', (_, ending, code) => {
  expect(exitNumber({ ...fine, ...ending })).toBe(code);
});

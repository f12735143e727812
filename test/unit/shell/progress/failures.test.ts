import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { LogEvent } from '../../../../src/core/events.ts';
import { causeOf } from '../../../../src/shell/progress/failures.ts';
import { applyEvent, ProgressState } from '../../../../src/shell/progress/progress-state.ts';

const denied = (text: string) => new SyncerError('access-denied', text, { path: '/other' });

test.each([
  ['e', 'open /data/e: permission denied', 'open: permission denied'],
  ['n', 'open /data/n: permission denied', 'open: permission denied'],
  ['d/o', 'open "/data/d/o": permission denied', 'open: permission denied'],
  ['zulu', 'open /data/zulus: permission denied', 'open /data/zulus: permission denied'],
])('the path %s is left out of %j', (path, text, cause) => {
  expect(causeOf(denied(text), path)).toBe(cause);
});

test('an error is about the path of its event, whatever was logged before it', () => {
  const state = new ProgressState(0);
  const error = denied('purge /data/d/f1: operation not permitted');
  const log: LogEvent = {
    type: 'log',
    level: 'error',
    path: 'f3',
    code: 'message',
    fields: { text: 'no error that counts' },
  };
  applyEvent(state, log);
  applyEvent(state, { type: 'error', error, path: 'd/f1' });
  const cause = 'purge: operation not permitted';
  expect([...state.failures.byCause.values()]).toEqual([{ cause, count: 1, paths: ['d/f1'] }]);
});

test('an error whose event has no path is about its own', () => {
  const state = new ProgressState(0);
  applyEvent(state, { type: 'error', error: denied('open /other: no') });
  expect(state.failures.last?.paths).toEqual(['/other']);
});

import { expect, test } from 'vitest';
import { type ErrorCode, SyncerError } from '../../../src/core/errors.ts';
import type { SyncerEvent } from '../../../src/core/events.ts';
import { ErrorTally } from '../../../src/engine/error-tally.ts';

function aTally() {
  const events: SyncerEvent[] = [];
  const tally = new ErrorTally(
    (event) => events.push(event),
    () => {},
  );
  const add = (code: ErrorCode, text: string) => tally.add(new SyncerError(code, text), text);
  const addListing = (text: string) =>
    tally.addListing(new SyncerError('unreadable', text), text, undefined);
  return { tally, events, add, addListing };
}

test('the event of an error has the path that the log has', () => {
  const { tally, events } = aTally();
  const error = new SyncerError('access-denied', 'no', { path: '/data/d/f' });
  tally.add(error, 'd/f');
  tally.add(error, undefined);
  expect(events.filter(({ type }) => type === 'error')).toEqual([
    { type: 'error', error, path: 'd/f' },
    { type: 'error', error },
  ]);
});

test('the last error decides, before those of listings and those that forbid a retry; the first fatal one before all', () => {
  const { tally, add, addListing } = aTally();
  const deciding = () => tally.deciding?.message;
  add('no-retry', 'forbids 1');
  add('no-retry', 'forbids 2');
  expect(deciding()).toBe('forbids 2');
  addListing('listing 1');
  addListing('listing 2');
  add('no-retry', 'forbids 3');
  expect(deciding()).toBe('listing 2');
  add('access-denied', 'other 1');
  add('access-denied', 'other 2');
  addListing('listing 3');
  expect(deciding()).toBe('other 2');
  add('quota-exceeded', 'fatal 1');
  add('quota-exceeded', 'fatal 2');
  add('access-denied', 'other 3');
  expect(deciding()).toBe('fatal 1');
});

test('that nothing is deleted because of a listing is the error of the run, with its path and advice', () => {
  const { tally } = aTally();
  const advice = 'change the permissions';
  const unread = new SyncerError('unreadable', 'open /d: permission denied', {
    path: '/d',
    advice,
  });
  tally.addListing(unread, 'd', undefined);
  tally.refuseDeletes('files', '/');
  expect(tally.deciding).toMatchObject({
    code: 'no-deletes',
    message: 'not deleting files as there were IO errors: open /d: permission denied',
    ...{ path: '/d', advice },
  });
});

import { expect, test } from 'vitest';
import { GraphError, saysMissing } from '../../../../../src/backends/drive/client/graph-request.ts';

const REQUEST = { method: 'GET', to: '/me/drive', doing: 'look for', about: 'a' } as const;

const answered = (status: number, body: string) =>
  new GraphError(REQUEST, { status, headers: {}, body }, 0);

test.each([
  [404, '{"error":{"code":"itemNotFound","message":"The resource could not be found."}}', true],
  [404, '<html>no route</html>', false],
  [404, '', false],
  [403, '{"error":{"code":"accessDenied"}}', false],
  [404, '{"error":{"code":"accessDenied"}}', false],
  [404, '{"error":{"code":"itemNotFound","innerError":{"code":"accessDenied"}}}', false],
  [404, '{"error":{"code":"aCodeOfTomorrow"}}', true],
])('status %d with %s says that there is none: %s', (status, body, expected) => {
  expect(saysMissing(answered(status, body))).toBe(expected);
});

test('a 404 of something before the service does not mean that a file is missing', () => {
  const error = answered(404, '<html>no route</html>');
  expect(error.code).toBe('bad-answer');
  expect(error.message).toBe('cannot look for a: the response is not from the service (404)');
});

test.each([
  [`dir/${'n'.repeat(256)}`, 'the name is too long for the drive (255 characters)'],
  ['dir/'.repeat(101), 'the path is too long for the drive (400 characters)'],
])('tells which limit is broken', (about, text) => {
  const body = '{"error":{"code":"invalidRequest","innerError":{"code":"pathIsTooLong"}}}';
  const error = new GraphError({ ...REQUEST, about }, { status: 400, headers: {}, body }, 0);
  expect(error.message).toBe(`cannot look for ${about}: ${text} (pathIsTooLong)`);
  expect(error.exit).toBe(6);
});

const LOCKED = 'it is locked: open or checked out by another user';

test.each([
  [423, 'accessDenied', 'access-denied', LOCKED],
  [423, 'notAllowed', 'access-denied', LOCKED],
  [423, 'resourceLocked', 'access-denied', LOCKED],
  [403, 'accessDenied', 'access-denied', 'the account lacks the permission'],
  [403, 'itemNotFound', 'access-denied', 'the account lacks the permission'],
  [404, 'accessDenied', 'access-denied', 'the account lacks the permission'],
  [500, 'itemNotFound', 'server', 'the service has an internal error'],
  [429, 'accessDenied', 'throttled', 'the service throttles requests'],
  [503, 'accessDenied', 'throttled', 'the service is busy'],
  [507, 'accessDenied', 'quota-exceeded', 'the drive is full'],
  [509, 'accessDenied', 'throttled', 'the service throttles requests'],
] as const)('status %i with the code %s means %s', (status, word, code, text) => {
  const error = answered(status, JSON.stringify({ error: { code: word } }));
  expect(error.code).toBe(code);
  expect(error.message).toBe(`cannot look for a: ${text} (${word})`);
});

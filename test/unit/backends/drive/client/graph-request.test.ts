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

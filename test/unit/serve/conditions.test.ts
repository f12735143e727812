import { expect, test } from 'vitest';
import { checkConditions, isRangeCurrent } from '../../../src/serve/conditions.ts';

const modified = Date.parse('2024-05-01T10:00:00Z');
const there = { exists: true, etag: '"a"', modified };
const missing = { exists: false, etag: undefined, modified: undefined };
const earlier = 'Wed, 01 May 2024 09:59:59 GMT';
const same = 'Wed, 01 May 2024 10:00:00 GMT';

test.each([
  [{}, 'proceed', 'proceed'],
  [{ 'if-match': '"a"' }, 'proceed', 'proceed'],
  [{ 'if-match': '"b", "a"' }, 'proceed', 'proceed'],
  [{ 'if-match': 'W/"a"' }, 'failed', 'failed'],
  [{ 'if-match': '"b"' }, 'failed', 'failed'],
  [{ 'if-match': '*' }, 'proceed', 'proceed'],
  [{ 'if-none-match': '"a"' }, 'not-modified', 'failed'],
  [{ 'if-none-match': 'W/"a"' }, 'not-modified', 'failed'],
  [{ 'if-none-match': '*' }, 'not-modified', 'failed'],
  [{ 'if-none-match': '"b"' }, 'proceed', 'proceed'],
  [{ 'if-modified-since': same }, 'not-modified', 'proceed'],
  [{ 'if-modified-since': earlier }, 'proceed', 'proceed'],
  [{ 'if-modified-since': 'nonsense' }, 'proceed', 'proceed'],
  [{ 'if-modified-since': same, 'if-none-match': '"b"' }, 'proceed', 'proceed'],
  [{ 'if-unmodified-since': same }, 'proceed', 'proceed'],
  [{ 'if-unmodified-since': earlier }, 'failed', 'failed'],
  [{ 'if-unmodified-since': earlier, 'if-match': '"a"' }, 'proceed', 'proceed'],
])('%j: reading %s, writing %s', (headers, reading, writing) => {
  expect(checkConditions(headers, there, true)).toBe(reading);
  expect(checkConditions(headers, there, false)).toBe(writing);
});

test('of a file that does not exist', () => {
  expect(checkConditions({ 'if-match': '*' }, missing, false)).toBe('failed');
  expect(checkConditions({ 'if-none-match': '*' }, missing, false)).toBe('proceed');
});

test.each([
  [undefined, true],
  ['"a"', true],
  ['"b"', false],
  ['W/"a"', false],
  [same, true],
  [earlier, false],
  ['nonsense', false],
])('If-Range %s', (text, expected) => {
  expect(isRangeCurrent(text, there)).toBe(expected);
});

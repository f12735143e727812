import { expect, test } from 'vitest';
import { BACKENDS } from '../../../../src/backends/index.ts';
import { summarise } from '../../../../src/config/dialogue/remote-summary.ts';

const NOW = Date.UTC(2026, 10, 20);
const HOUR = 3_600_000;

/** What is said of a login without renewal that ends so many milliseconds from now. */
function loginFor(ms: number): string {
  const expiry = new Date(NOW + ms).toISOString();
  const token = JSON.stringify({ access_token: 'a', expiry });
  const values = new Map([
    ['type', 'onedrive'],
    ['token', token],
  ]);
  return summarise('office', values, BACKENDS, NOW).login;
}

test.each([
  [HOUR, 'login valid for 60 min'],
  [2 * HOUR, 'login valid for 2 h'],
  [47.9 * HOUR, 'login valid for 47 h'],
  [48 * HOUR, 'login valid for 2 days'],
  [27_278 * HOUR, 'login valid for 1136 days'],
  [0, 'login expired'],
])('a login that ends in %i ms: %s', (ms, text) => {
  expect(loginFor(ms)).toBe(text);
});

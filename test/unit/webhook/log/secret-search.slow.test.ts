import { expect, test } from 'vitest';
import { hideTexts } from '../../../../src/webhook/log/hide-texts.ts';
import { redactor } from '../../../../src/webhook/log/redact.ts';
import { SearchTooLong, SecretSearch } from '../../../../src/webhook/log/secret-search.ts';

const FORM = 'application/x-www-form-urlencoded';

/** What is shown of a text after a request with a body that says a part again and again. */
function shownAfter(part: string, bytes: number, contentType: string, text = 'shown'): string {
  const head = { method: 'POST', remoteAddress: '127.0.0.1:1', query: new Map() };
  const headers = new Map([['Content-Type', contentType]]);
  const body = Buffer.alloc(bytes, part);
  return redactor(undefined, { ...head, headers, payload: new Map(), body })(text);
}

// Each took minutes.
test.each([
  'token=a&',
  'pin=a&',
  '"pin":1,',
  '"token":[',
  '"token":"\\"',
  '<token>a</token>',
  'a=&',
  '%=&',
  '--x\n',
])('a body with too many names is not searched to its end: %s', (part) => {
  for (const type of ['text/plain', FORM]) expect(shownAfter(part, 12_000_000, type)).toBe('***');
});

// The server ran out of memory.
test('a secret of very many lines is not read to its end', () => {
  const newlines = '\n'.repeat(30_000_000);
  const head = { method: 'POST', remoteAddress: '127.0.0.1:1', query: new Map() };
  const request = { ...head, headers: new Map(), payload: new Map(), body: Buffer.alloc(0) };
  const body = Buffer.from(`<pw>${newlines}`);
  expect(redactor(undefined, { ...request, body })('shown')).toBe('***');
  const payload = new Map([['pw', newlines]]);
  expect(redactor(undefined, { ...request, payload })('shown')).toBe('***');
});

// The engine threw, and the response was 500.
test('very long values', () => {
  const key = '-----BEGIN PRIVATE KEY-----';
  expect(shownAfter(`token=${'a'.repeat(12_000_000)}`, 12_000_000, 'text/plain')).toBe('***');
  expect(shownAfter(`${key}${'\n'.repeat(12_000_000)}`, 12_000_000, 'text/plain')).toBe('shown');
});

test('a list of very many secrets is not searched to its end', () => {
  const head = { method: 'POST', remoteAddress: '127.0.0.1:1', query: new Map() };
  const payload = new Map([['tokens', Array.from({ length: 2_500_000 }, () => 'a')]]);
  const request = { ...head, headers: new Map(), payload, body: Buffer.alloc(0) };
  expect(redactor(undefined, request)('shown')).toBe('***');
});

test('a payload of very many short texts is not searched to its end', () => {
  const head = { method: 'POST', remoteAddress: '127.0.0.1:1', query: new Map() };
  const payload = new Map([['a', Array.from({ length: 500_000 }, () => '<')]]);
  const request = { ...head, headers: new Map(), payload, body: Buffer.alloc(0) };
  expect(redactor(undefined, request)('shown')).toBe('***');
});

test('long names before signs that end none', () => {
  const part = `${'a'.repeat(199)}!=`;
  expect(shownAfter(part, 12_000_000, 'text/plain')).toBe('shown');
});

test('names that come again count little', () => {
  const body = `"token":"SECRET01",${'"a":1,'.repeat(200_000)}`;
  expect(shownAfter(body, body.length, 'text/plain', 'SECRET01 shown')).toBe('*** shown');
});

test('a text that is too long to search is hidden', () => {
  expect(hideTexts('a'.repeat(600_000), [], { byName: true })).toBe('***');
  expect(hideTexts('token=a&'.repeat(20_000), [], { byName: true })).toBe('***');
});

test('a search ends after a number of steps', () => {
  const names = new SecretSearch();
  for (let i = 0; i < 90_000; i++) names.isSecret(`name${i}`);
  expect(() => {
    for (let i = 0; i < 90_000; i++) names.isSecret(`other${i}`);
  }).toThrow(SearchTooLong);
  const places = new SecretSearch();
  for (let i = 0; i < 10_000; i++) places.foundPlace();
  expect(() => places.foundPlace()).toThrow(SearchTooLong);
});

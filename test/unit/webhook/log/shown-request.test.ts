import { expect, test } from 'vitest';
import { NIL_MAP } from '../../../../src/go/go-value.ts';
import {
  requestLines,
  SHOWN_BODY,
  shownRequest,
} from '../../../../src/webhook/log/shown-request.ts';
import type { HookRequest } from '../../../../src/webhook/parameter/parameter-value.ts';

const request = (body: string, more: Partial<HookRequest> = {}): HookRequest => ({
  ...{ method: 'POST', remoteAddress: '10.0.0.1:5', query: new Map(), payload: NIL_MAP },
  ...{ headers: new Map(), body: Buffer.from(body) },
  ...more,
});

test('headers and body without secrets, JSON indented', () => {
  const headers = new Map([
    ['X-Hub-Signature-256', 'sha256=0123456789abcdef'],
    ['Authorization', 'Bearer very-secret-word'],
    ['User-Agent', 'GitHub'],
  ]);
  const payload = new Map([['token', 'another-secret']]);
  const body = '{"ref":"main","token":"another-secret"}';
  expect(requestLines(shownRequest(undefined, request(body, { headers, payload }), []))).toEqual([
    ...['Authorization: ***', 'User-Agent: GitHub', 'X-Hub-Signature-256: ***', ''],
    ...['{', '  "ref": "main",', '  "token": "***"', '}'],
  ]);
});

test('a long body is cut, and that is said', () => {
  const body = `["${'x'.repeat(SHOWN_BODY - 3)}"]`;
  const lines = requestLines(shownRequest(undefined, request(body), []));
  expect(lines.at(-1)).toBe('… (16,385 bytes)');
  expect(lines.at(-2)).toHaveLength(SHOWN_BODY);
});

test('the secrets of the server are hidden, also where the hook is gone', () => {
  const lines = requestLines(
    shownRequest(undefined, request('["a of-the-server"]'), ['of-the-server']),
  );
  expect(lines).toEqual(['', '[', '  "a ***"', ']']);
});

test('a body that was not parsed is not shown', () => {
  const lines = requestLines(shownRequest(undefined, request('pin: 12'), []));
  expect(lines).toEqual(['', '[a body of 7 B that was not parsed is not shown]']);
});

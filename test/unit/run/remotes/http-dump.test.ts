import { expect, test } from 'vitest';
import { originOf } from '../../../../src/backends/http/http-request.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import { httpDump } from '../../../../src/run/remotes/transport-options.ts';
import type { Dump } from '../../../../src/shell/log/dump-list.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';

const ORIGIN = originOf(new URL('https://h:8/'));
const HEAD = 'GET / HTTP/1.1\r\ncookie: a=V\r\nhost: h\r\n\r\n';

function shown(...dumps: Dump[]): string {
  const told: string[] = [];
  const dump = dumpTo(told, dumps);
  dump.request(1, HEAD, undefined, ORIGIN);
  dump.answer(1, 'HTTP/1.1 200\r\nset-cookie: a=V\r\n\r\n', undefined);
  return told.join('\n');
}

function dumpTo(told: string[], dumps: readonly Dump[]) {
  const emit = (event: SyncerEvent) => {
    if (event.type === 'log') told.push(messageOf(event));
  };
  return httpDump(new Set(dumps), emit, () => 0);
}

test('headers that log in are left out of dumps', () => {
  expect(shown('headers')).toContain('cookie: REDACTED\r\nhost: h\r\n');
  expect(shown('headers')).toContain('set-cookie: REDACTED\r\n');
});

test('--dump auth shows them', () => {
  expect(shown('headers', 'auth')).toContain(HEAD);
  expect(shown('headers', 'auth')).not.toContain('REDACTED');
});

test('curl shows requests as commands, without credentials, and nothing else', () => {
  const told: string[] = [];
  const dump = dumpTo(told, ['curl']);
  const head = (line: string) => `${line} HTTP/1.1\r\nhost: h:8\r\ncookie: V\r\nx-a: it's\r\n`;
  dump.request(1, `${head('HEAD /a?b=c')}\r\n`, undefined, ORIGIN);
  const put = `${head('PUT /a')}content-length: 5\r\n\r\n`;
  dump.request(2, put, Buffer.from('a\nb'), ORIGIN);
  dump.request(3, put, undefined, ORIGIN);
  dump.answer(1, 'HTTP/1.1 200\r\n\r\n', undefined);
  expect(told).toEqual([
    "HTTP REQUEST: curl --head -H 'cookie: REDACTED' -H 'x-a: it'\\''s' 'https://h:8/a?b=c'",
    "HTTP REQUEST: curl -X 'PUT' --data-binary 'a\nb' -H 'cookie: REDACTED' -H 'x-a: it'\\''s' 'https://h:8/a'",
    "HTTP REQUEST: curl -X 'PUT' --data-binary @FILE -H 'cookie: REDACTED' -H 'x-a: it'\\''s' 'https://h:8/a'",
  ]);
});

test('errors shows only what fails and is tried again', () => {
  const told: string[] = [];
  const dump = dumpTo(told, ['errors', 'trace', 'headers']);
  for (const [id, status] of [200, 404, 503].entries()) {
    dump.request(id, HEAD, undefined, ORIGIN);
    dump.connection?.(id, 'Connecting to h:8');
    dump.answer(id, `HTTP/1.1 ${status}\r\n\r\n`, undefined);
  }
  dump.request(9, HEAD, undefined, ORIGIN);
  dump.failure(9, new Error('connection lost'));
  const titles = told.filter((line) => /^HTTP (?:REQUEST|RESPONSE|TRACE)/.test(line));
  expect(titles).toEqual([
    'HTTP REQUEST (req 2)',
    'HTTP TRACE (req 2)     0.000ms: Connecting to h:8',
    'HTTP RESPONSE (req 2)',
    'HTTP REQUEST (req 9)',
    'HTTP RESPONSE (req 9)',
  ]);
  expect(told).toContain('Error: connection lost');
});

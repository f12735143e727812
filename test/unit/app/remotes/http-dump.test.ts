import { expect, test } from 'vitest';
import type { Dump } from '../../../../src/app/log/dump-list.ts';
import { messageOf } from '../../../../src/app/log/words.ts';
import { httpDump } from '../../../../src/app/remotes/http-dump.ts';

const HEAD = 'GET / HTTP/1.1\r\ncookie: a=V\r\nhost: h\r\n\r\n';

function shown(...dumps: Dump[]): string {
  const told: string[] = [];
  const dump = httpDump(new Set(dumps), (event) => {
    if (event.type === 'log') told.push(messageOf(event));
  });
  dump.request(1, HEAD, undefined);
  dump.answer(1, 'HTTP/1.1 200\r\nset-cookie: a=V\r\n\r\n', undefined);
  return told.join('\n');
}

test('headers that log in are left out of dumps', () => {
  expect(shown('headers')).toContain('cookie: REDACTED\r\nhost: h\r\n');
  expect(shown('headers')).toContain('set-cookie: REDACTED\r\n');
});

test('--dump auth shows them', () => {
  expect(shown('headers', 'auth')).toContain(HEAD);
  expect(shown('headers', 'auth')).not.toContain('REDACTED');
});

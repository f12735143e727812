import { expect, test } from 'vitest';
import {
  type AnswerHead,
  AnswerParser,
  NotHttp,
} from '../../../../src/backends/http/answer-parser.ts';

/** What a parser tells of bytes that come in pieces of `size`. */
function parse(text: string, size: number, { method = 'GET', ends = false } = {}) {
  const heads: AnswerHead[] = [];
  let body = '';
  let ended = 0;
  const parser = new AnswerParser({
    head: (head) => heads.push(head),
    data: (buffer, from, to) => {
      body += buffer.toString('latin1', from, to);
    },
    end: () => {
      ended++;
    },
  });
  parser.expect(method);
  const bytes = Buffer.from(text, 'latin1');
  // The same buffer each time, as a socket's.
  const buffer = Buffer.alloc(size);
  let isWanted = true;
  for (let at = 0; at < bytes.length; at += size) {
    const length = bytes.copy(buffer, 0, at, at + size);
    isWanted = parser.feed(buffer, length) && isWanted;
  }
  if (ends) parser.finish();
  const { status, headers } = heads.at(-1) ?? {};
  return { status, headers: { ...headers }, body, ended, isWanted, heads: heads.length };
}

const PLAIN =
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: "a"\r\nX-Odd:  b \r\nX-Odd: c\r\n\r\nhello';
const CHUNKED =
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;name=x\r\nhel\r\n2\r\nlo\r\n0\r\nx-sum: y\r\n\r\n';

test.each([1, 2, 3, 7, 64, 4096])('answers are the same in pieces of %i bytes', (size) => {
  expect(parse(PLAIN, size)).toEqual({
    status: 200,
    headers: { 'content-length': '5', etag: '"a"', 'x-odd': 'b, c' },
    body: 'hello',
    ended: 1,
    isWanted: true,
    heads: 1,
  });
  expect(parse(CHUNKED, size)).toMatchObject({ body: 'hello', ended: 1, isWanted: true });
  const interim = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${PLAIN}`;
  expect(parse(interim, size)).toMatchObject({ status: 200, body: 'hello', ended: 1, heads: 3 });
  const bare = 'HTTP/1.1 200 OK\ncontent-length: 2\n\nok';
  expect(parse(bare, size)).toMatchObject({ status: 200, body: 'ok', ended: 1 });
});

test.each(['GET', 'HEAD'])('a length that a proxy repeats is one, of %s', (method) => {
  const text = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\nContent-Length: 5\r\n\r\n';
  const answer = parse(method === 'GET' ? `${text}hello` : text, 4096, { method });
  expect(answer).toMatchObject({ headers: { 'content-length': '5' }, ended: 1, isWanted: true });
});

test('an answer without a length goes on until the connection ends', () => {
  const text = 'HTTP/1.0 200 OK\r\n\r\nall of it';
  expect(parse(text, 5)).toMatchObject({ body: 'all of it', ended: 0 });
  expect(parse(text, 5, { ends: true })).toMatchObject({ body: 'all of it', ended: 1 });
});

test('an end of the connection does not make a short answer whole', () => {
  expect(parse(PLAIN.slice(0, -1), 9, { ends: true })).toMatchObject({ body: 'hell', ended: 0 });
  expect(parse(CHUNKED.slice(0, -2), 9, { ends: true })).toMatchObject({ body: 'hello', ended: 0 });
});

test.each([
  ['HEAD', 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n', 200],
  ['GET', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 500\r\n\r\n', 304],
  ['DELETE', 'HTTP/1.1 204 No Content\r\n\r\n', 204],
])('%s: no body follows %j', (method, text, status) => {
  expect(parse(text, 99, { method })).toMatchObject({ status, body: '', ended: 1 });
});

test('bytes that nobody asked for are told', () => {
  expect(parse(`${PLAIN}HTTP/1.1 200 OK\r\n\r\n`, 4096).isWanted).toBe(false);
});

test.each([
  'SSH-2.0-OpenSSH\r\n',
  'HTTP/2 200\r\n\r\n',
  'HTTP/1.1 20 OK\r\n\r\n',
  'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: 5, 6\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n',
  `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(300_000)}`,
])('no HTTP: %.60j', (text) => {
  expect(() => parse(text, 4096)).toThrow(NotHttp);
});

test.each([
  ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', true],
  ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\nConnection: Close\r\n\r\n', false],
  ['HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n', false],
  ['HTTP/1.0 200 OK\r\ncontent-length: 0\r\nconnection: Keep-Alive\r\n\r\n', true],
  ['HTTP/1.1 200 OK\r\n\r\n', false],
])('whether the connection stays: %j', (text, keepsAlive) => {
  const heads: AnswerHead[] = [];
  const parser = new AnswerParser({ head: (head) => heads.push(head), data() {}, end() {} });
  parser.expect('GET');
  parser.feed(Buffer.from(text), text.length);
  expect(heads.at(-1)?.keepsAlive).toBe(keepsAlive);
});

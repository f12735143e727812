import { expect, test } from 'vitest';
import { canonicalHeaderName, goQuote, goSize } from '../../../src/go/go-texts.ts';
import { decodeBase64 } from '../../../src/webhook/command/run-command.ts';
import { sniffContentType } from '../../../src/webhook/http/answer.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1000 B'],
  [1024, '1.0 KiB'],
  [10240, '10 KiB'],
  [1.5 * 1048576, '1.5 MiB'],
  [28.5 * 1024, '28 KiB'],
  [29.5 * 1024, '30 KiB'],
])('%d bytes are %s', (bytes, text) => expect(goSize(bytes)).toBe(text));

test('texts are quoted', () => {
  expect(goQuote('a"\\\n\x01é\u200b😀\udcff')).toBe('"a\\"\\\\\\n\\x01é\\u200b😀\\xff"');
});

test.each([
  ['x-one-TWO', 'X-One-Two'],
  ['bad name', 'bad name'],
  ['x-j.key', 'X-J.key'],
])('the header %s is %s', (name, canonical) => expect(canonicalHeaderName(name)).toBe(canonical));

test.each([
  ['<HTML >', 'text/html; charset=utf-8'],
  ['  <!-- x', 'text/html; charset=utf-8'],
  ['<bold>', 'text/plain; charset=utf-8'],
  ['<?xml ?>', 'text/xml; charset=utf-8'],
  ['{"a":1}', 'text/plain; charset=utf-8'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['PK\x03\x04', 'application/zip'],
  ['a\0b', 'application/octet-stream'],
  ['a\x1bb', 'text/plain; charset=utf-8'],
])('the body %j is %s', (body, type) =>
  expect(sniffContentType(Buffer.from(body, 'latin1'))).toBe(type),
);

test.each([
  ['AAEC/w==', '000102ff', undefined],
  ['QU\nJD', '414243', undefined],
  ['QUJDREVG!x', '414243444546', 9],
  ['', '', undefined],
  ['aGVs\nbG8==', '68656c6c6f', 9],
  ['aGVsbG8=aGVs', '68656c6c6f', 9],
  ['aGV=bG8=', '6865', 5],
  ['aG=\n=', '68', undefined],
  ['aG=x', '', 1],
  ['aG!=', '', 1],
  ['aG=', '', 1],
  ['a===', '', 1],
  ['aGVsaG', '68656c', 5],
])('base64 %j', (text, hex, at) => {
  const decoded = decodeBase64(text);
  expect(decoded.bytes.toString('hex')).toBe(hex);
  expect(decoded.fault).toBe(at && `invalid base64 at character ${at}`);
});

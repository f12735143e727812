import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { nameFromBytes, nameToBytes, userText } from '../../../src/core/name-bytes.ts';

test.each([
  ['61ff62', 'a\udcffb'],
  ['ff c3a9 e282ac f09f9880', '\udcffé€😀'],
  ['ff efbbbf', '\udcff\ufeff'],
  ['c3', '\udcc3'],
  ['c0 af', '\udcc0\udcaf'],
  ['e0 9f bf', '\udce0\udc9f\udcbf'],
  ['ed a0 80', '\udced\udca0\udc80'],
  ['ff ed9fbf ee8080', '\udcff\ud7ff\ue000'],
  ['f0 8f bf bf', '\udcf0\udc8f\udcbf\udcbf'],
  ['ff f0908080 f48fbfbf', '\udcff\u{10000}\u{10ffff}'],
  ['f4 90 80 80', '\udcf4\udc90\udc80\udc80'],
  ['f5 80 80 80', '\udcf5\udc80\udc80\udc80'],
  ['e2 82 61', '\udce2\udc82a'],
])('the bytes %s go to a text and back', (hex, text) => {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  expect(nameFromBytes(bytes)).toBe(text);
  expect(nameToBytes(text)).toEqual(bytes);
});

test('other surrogates without a partner become U+FFFD', () => {
  expect(String(nameToBytes('a\ud800b\udc00\udbff'))).toBe('a\ufffdb\ufffd\ufffd');
});

test('megabytes that are no text go to a text and back, without an exception for each', () => {
  const bytes = randomBytes(3_000_000);
  expect(nameToBytes(nameFromBytes(bytes)).equals(bytes)).toBe(true);
});

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

test.each([
  ['UTF-8', Buffer.from('é\r\n'), 'é\r\n'],
  ['UTF-8 with a mark', Buffer.from('\ufeffé\n'), 'é\n'],
  ['one mark of two', Buffer.from('\ufeff\ufeffé'), '\ufeffé'],
  ['a mark and bytes that are not UTF-8', Buffer.from('efbbbf61ff', 'hex'), 'a\udcff'],
  ['a mark in the middle', Buffer.from('a\n\ufeffb'), 'a\n\ufeffb'],
  ['nothing', Buffer.alloc(0), ''],
  ['only a mark', Buffer.from('\ufeff'), ''],
  ['only a mark of UTF-16', utf16(''), ''],
  ['UTF-16', utf16('é😀\r\n'), 'é😀\r\n'],
  ['UTF-16 with the high byte first', utf16('é😀').swap16(), 'é😀'],
])('the text of %s', (_, bytes, expected) => {
  expect(userText(bytes)).toBe(expected);
});

test('a text with NUL is refused with what to do, except for lists of names that end with it', () => {
  const fault = 'it contains NUL bytes; if it is UTF-16, save it as UTF-8';
  const noMark = utf16('a').subarray(2);
  for (const bytes of [noMark, Buffer.from('a\0b'), utf16('a\0b'), Buffer.from('fffe0000', 'hex')])
    expect(() => userText(bytes)).toThrow(fault);
  expect(userText(Buffer.from('\ufeffa\0b\0'), { allowsNul: true })).toBe('a\0b\0');
});

test('broken UTF-16 is refused: half a pair would stand for a byte of a name', () => {
  const fault = 'it is not valid UTF-16; save it as UTF-8';
  for (const bytes of [utf16('ab').subarray(0, 5), utf16('\udcff'), Buffer.from('fffe61', 'hex')])
    expect(() => userText(bytes)).toThrow(fault);
});

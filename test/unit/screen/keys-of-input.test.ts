import { expect, test } from 'vitest';
import { ctrlKey, namedKey, pasteKey, textKey } from '../../../src/screen/key.ts';
import { keysOfInput, WholePastes } from '../../../src/screen/keys-of-input.ts';

test('letters, arrows and control keys in one piece', () => {
  expect(keysOfInput('a\x1b[A\x1bOB\x03\r')).toEqual([
    textKey('a'),
    namedKey('up'),
    namedKey('down'),
    ctrlKey('c'),
    namedKey('enter'),
  ]);
});

test('Escape alone is a key, sequences of no known key are none', () => {
  expect(keysOfInput('\x1b')).toEqual([namedKey('escape')]);
  expect(keysOfInput('\x1b[24;5~q\x1b[?1;2c')).toEqual([textKey('q')]);
});

test('a pasted text is one', () => {
  expect(keysOfInput('\x1b[200~q\nq\x1b[201~x')).toEqual([pasteKey('q\nq'), textKey('x')]);
});

test.each([
  [
    ['ab', '\x1b', '[A'],
    ['ab', '\x1b', '[A'],
  ],
  [
    ['a\x1b[20', '0~one', ' two\x1b[20', '1~b'],
    ['a', '', '', '\x1b[200~one two\x1b[201~b'],
  ],
  [
    ['\x1b[20', '~'],
    ['', '\x1b[20~'],
  ],
  [
    ['a\x1b[200~lost', 'q\x03q', 'b'],
    ['a', '\x03q', 'b'],
  ],
  [
    ['\x1b[200~one\x03two\x03\x1b[200~three', '\x1b[201~'],
    ['\x03', '\x1b[200~three\x1b[201~'],
  ],
  [['\x1b[200~one\x03two\x1b[201~\x03'], ['\x1b[200~one\x03two\x1b[201~\x03']],
])('%j is read as %j', (pieces, read) => {
  const pastes = new WholePastes();
  expect(pieces.map((piece) => pastes.push(piece))).toEqual(read);
});

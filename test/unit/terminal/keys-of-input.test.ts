import { expect, test } from 'vitest';
import { ctrlKey, namedKey, pasteKey, textKey } from '../../../src/terminal/key.ts';
import { keysOfInput, withoutSequences } from '../../../src/terminal/keys-of-input.ts';

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

test.each([
  ['\x1b[Z', namedKey('tab', true)],
  ['\x1b[1;5C', namedKey('right')],
  ['\x1bOd', namedKey('left')],
  ['\x1b[8$', namedKey('end')],
  ['\x1b[3;2~', namedKey('delete')],
  ['\x1b[[5~', namedKey('page-up')],
  ['\x1b\x7f', namedKey('backspace')],
])('%j is a key of some terminal', (input, key) => {
  expect(keysOfInput(`${input}q`)).toEqual([key, textKey('q')]);
});

test('the keypad in application mode types its characters, Enter and Tab', () => {
  const keypad = ['M', 'I', 'X', ...'jklmnopqrstuvwxy'].map((end) => `\x1bO${end}`).join('');
  const characters = [...'=*+,-./0123456789'].map(textKey);
  expect(keysOfInput(keypad)).toEqual([namedKey('enter'), namedKey('tab'), ...characters]);
  expect(keysOfInput('\x1bO5M\x1bO1;2q\x1bO2k')).toEqual([
    namedKey('enter'),
    textKey('1'),
    textKey('+'),
  ]);
});

test('Escape and a letter that come together are both', () => {
  expect(keysOfInput('\x1bn\x1b\x1b')).toEqual([
    ...[namedKey('escape'), textKey('n')],
    ...[namedKey('escape'), namedKey('escape')],
  ]);
});

test('a pasted text is one', () => {
  expect(keysOfInput('\x1b[200~q\nq\x1b[201~x')).toEqual([pasteKey('q\nq'), textKey('x')]);
});

test.each([
  ['y', 'y'],
  ['\x1b', '\x1b'],
  ['\x1b]11;rgb:00/00/00\x07y', 'y'],
  ['a\x1b[A\x1bOBb\x1b[200~é\tx\x1b[201~', 'abé\tx'],
  ['n\x1bP>|y', 'n'],
  ['\x1bOq\x1bOp\x1bOC\x1bOM', '10'],
])('the line %j of a terminal is %j', (line, typed) => {
  expect(withoutSequences(line)).toBe(typed);
});

test('function keys of the console of Linux are no letters', () => {
  expect(keysOfInput('\x1b[[Aq\x1b[2$\x1bO5P')).toEqual([textKey('q')]);
});

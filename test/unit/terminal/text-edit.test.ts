import { expect, test } from 'vitest';
import { ctrlKey, type Key, namedKey, pasteKey, textKey } from '../../../src/terminal/key.ts';
import { editByKey, editText } from '../../../src/terminal/text-edit.ts';

function after(text: string, ...keys: readonly Key[]): string {
  let edited = editText(text);
  for (const key of keys) edited = editByKey(edited, key) ?? edited;
  return `${edited.text.slice(0, edited.cursor)}|${edited.text.slice(edited.cursor)}`;
}

test.each<[string, readonly Key[], string]>([
  ['', [textKey('a'), textKey('b')], 'ab|'],
  ['ab', [namedKey('left'), textKey('x')], 'ax|b'],
  ['ab👩‍👧', [namedKey('backspace')], 'ab|'],
  ['ab👩‍👧', [namedKey('left'), namedKey('left')], 'a|b👩‍👧'],
  ['one two', [ctrlKey('w')], 'one |'],
  ['one two', [ctrlKey('u')], '|'],
  ['one two', [ctrlKey('a'), ctrlKey('k')], '|'],
  ['ab', [namedKey('home'), namedKey('delete')], '|b'],
  ['ab', [ctrlKey('a'), namedKey('right'), ctrlKey('d'), namedKey('end')], 'a|'],
  ['a', [pasteKey('x\r\ny')], 'ax\ny|'],
  ['a', [namedKey('up'), namedKey('enter'), ctrlKey('x')], 'a|'],
])('%j and keys', (text, keys, expected) => expect(after(text, ...keys)).toBe(expected));

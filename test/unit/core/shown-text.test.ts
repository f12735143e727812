import { describe, expect, test } from 'vitest';
import {
  harmless,
  harmlessJson,
  harmlessLine,
  harmlessLines,
} from '../../../src/core/shown-text.ts';

describe('texts that come from outside', () => {
  test.each([
    ['a\x1b[31mb', 'a␛[31mb'],
    ['a\nb\tc\x7f', 'a␊b␉c␡'],
    ['a\x9b31mb\x85', 'a�31mb�'],
    ['a\u202eb\u2066c\u200fd\u061ce', 'a�b�c�d�e'],
    ['a\u200bb\u2028c\u2029d\ufeffe\u00adf\u2060g', 'a�b�c�d�e�f�g'],
    ['a\u{e0041}b\u180e\u3164', 'a�b��'],
    ['a\ud800b\udcffc\udc9b', 'a�b�c�'],
    [
      '日本 naïve \u05d0\u0628 👩‍👩‍👧 ❤️ می\u200cخواهم 葛\u{e0100}',
      '日本 naïve \u05d0\u0628 👩‍👩‍👧 ❤️ می\u200cخواهم 葛\u{e0100}',
    ],
  ])('%j is shown as %s', (text, shown) => expect(harmless(text)).toBe(shown));

  test('in logs names keep the bytes that are no UTF-8, but for the controls among them', () => {
    expect(harmlessLine('a\udcff\udc9b\x1b\nb')).toBe('a\udcff�␛␊b');
  });

  test('texts of several lines keep them', () => {
    expect(harmlessLines('a\n\tb\r\x1b\x9b\u202e')).toBe('a\n\tb␍␛��');
  });

  test('JSON has escapes, from which the names can be had back', () => {
    const names = ['a\x1b\x7f\x9b\u202e\udc9b', '\u{e0041}', '日本'];
    const json = harmlessJson(JSON.stringify(names));
    expect(json).toBe(String.raw`["a\u001b\u007f\u009b\u202e\udc9b","\udb40\udc41","日本"]`);
    expect(JSON.parse(json)).toEqual(names);
  });
});

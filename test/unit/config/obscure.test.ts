import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObscured, obscure, reveal } from '../../../src/config/obscure.ts';

test('reveals what rclone obscured', () => {
  expect(reveal('mEfu6cce8ZtjcTdIVuX3namyxh5gkQ')).toBe('secret');
});

test('any password survives, and looks obscured', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (password) => {
      const hidden = obscure(password);
      expect(reveal(hidden)).toBe(password);
      expect(isObscured(hidden)).toBe(true);
    }),
  );
});

test('is another text each time', () => {
  expect(obscure('a')).not.toBe(obscure('a'));
});

test.each(['', 'short', 'not base64!', 'hunter2hunter2 hunter2'])('refuses %j', (text) => {
  expect(isObscured(text)).toBe(false);
  expect(() => reveal(text)).toThrow(expect.objectContaining({ code: 'config' }));
});

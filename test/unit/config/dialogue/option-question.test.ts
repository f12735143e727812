import { expect, test } from 'vitest';
import { optionQuestion } from '../../../../src/config/dialogue/option-question.ts';

test('a value with blanks at its ends is remarked, as they are not stored', () => {
  const asked = optionQuestion({ name: 'secret_access_key', type: 'string', help: '' }, '');
  for (const text of [' a', 'a\t', 'a ']) {
    expect(asked.remark(text)).toBe('Blanks at its ends are not stored.');
  }
  for (const text of ['', ' ', 'a b']) expect(asked.remark(text)).toBeUndefined();
});

import { expect, test } from 'vitest';
import { shownWords } from '../../../../src/app/log/shown-words.ts';

test.each([
  [
    ['--header', 'Cookie: a=V'],
    ['--header', 'Cookie: REDACTED'],
  ],
  [['--header=X-Api-Key: V'], ['--header=X-Api-Key: REDACTED']],
  [
    ['--header', 'apikey:V'],
    ['--header', 'apikey: REDACTED'],
  ],
  [
    ['--header', 'V'],
    ['--header', 'REDACTED'],
  ],
  [
    ['--header-upload', 'X-Any: V: w'],
    ['--header-upload', 'X-Any: REDACTED'],
  ],
  [['--header-download=X-Any: V\nw'], ['--header-download=X-Any: REDACTED']],
  [['--header_upload=X-Any: V'], ['--header_upload=X-Any: REDACTED']],
  [
    ['--password-command', 'pass V'],
    ['--password-command', 'REDACTED'],
  ],
  [['--password-command=pass V'], ['--password-command=REDACTED']],
])('%j', (words, shown) => {
  expect(shownWords(['copy', ...words, 'last'])).toEqual(['copy', ...shown, 'last']);
});

test.each([
  [['--header', 'Content-Type: text/plain']],
  [['--header-upload=cache-control: no-cache']],
  [['--include', 'Cookie: a', '--transfers=4']],
])('%j is shown as it is', (words) => {
  expect(shownWords(words)).toEqual(words);
});

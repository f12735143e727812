import { expect, test } from 'vitest';
import type { MimeTypes } from '../../../src/names/mime-types.ts';
import { suffixedPath } from '../../../src/names/suffixed-path.ts';

/** A table of its own: that of the machine may know `.b`. */
const knows: MimeTypes = (name) =>
  /\.(txt|gz|pdf)$/i.test(name) ? 'text/known' : 'application/octet-stream';

test.each([
  ['dir/file.txt', '', false, 'dir/file.txt'],
  ['dir/file.txt', '.old', false, 'dir/file.txt.old'],
  ['dir/file.txt', '-1', true, 'dir/file-1.txt'],
  ['dir.d/file', '-1', true, 'dir.d/file-1'],
  ['a.tar.gz', '-1', true, 'a-1.tar.gz'],
  ['d/a.b.pdf.TXT', '-1', true, 'd/a.b-1.pdf.TXT'],
  ['a.b.gz', '-1', true, 'a.b-1.gz'],
  ['.hidden', '-1', true, '-1.hidden'],
  ['end.', '-1', true, 'end-1.'],
])('%s with suffix "%s", extension kept: %s → %s', (path, suffix, keepExtension, expected) => {
  expect(suffixedPath(path, { suffix, keepExtension }, knows)).toBe(expected);
});

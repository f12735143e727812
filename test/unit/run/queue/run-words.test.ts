import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { decidesAboutFiles } from '../../../../src/core/flags.ts';
import { foreignWord } from '../../../../src/run/queue/run-spec.ts';
import { allFlags } from '../../../../src/shell/command-line/flag-set.ts';

test.each([
  '--metadata-mapper=touch x',
  '--name-transform=command=x',
  '--files-from=/etc/passwd',
  '--filter-from=/etc/passwd',
  '--max-delete=5',
  '--log-file=x',
  '--on-change=x',
  '--dry-run=true',
  '--checksum',
  'x',
])('%s is no word of a run in a queue', (word) => {
  expect(foreignWord(['--checksum=true', word])).toBe(word);
});

test('no flag that starts programs, writes logs or speaks to others decides about files', () => {
  const definitions = allFlags(COMMANDS).map(({ key, definition }) => [key, definition] as const);
  const deciding = definitions.filter(([, definition]) => decidesAboutFiles(definition));
  expect(deciding.length).toBeGreaterThan(80);
  const groups = new Set(deciding.map(([, { group }]) => group));
  expect([...groups].sort()).toEqual(['command', 'copy', 'filter', 'local', 'sync']);
  const odd = deciding.filter(([, { placeholder = '' }]) => /command|url|header/.test(placeholder));
  expect(odd).toEqual([]);
  const reads = deciding.filter(([, { placeholder }]) => placeholder === 'file');
  expect(reads.map(([key]) => key.replace(/.*(from|file)[-\w0]*$/, '$1'))).toEqual(
    reads.map(() => expect.stringMatching(/^(from|file)$/)),
  );
});

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import { ERROR_RULES } from '../../src/core/errors.ts';
import { allUsages } from '../../src/shell/command-line/command.ts';

const page = await readFile(resolve(import.meta.dirname, '../../docs/exit-codes.md'), 'utf8');

/** Error code to exit code, as the page's table has them. */
function documentedCodes(text: string): Record<string, number> {
  const rows = [...text.matchAll(/^\| (\d+) \|.*\|(.*)\|$/gm)];
  return Object.fromEntries(
    rows.flatMap(([, exit, errors = '']) =>
      [...errors.matchAll(/`([\w-]+)`/g)].map(([, code]) => [code, Number(exit)]),
    ),
  );
}

const actualCodes = Object.fromEntries(
  Object.entries(ERROR_RULES).map(([code, { exit }]) => [code, exit]),
);

test('docs/exit-codes.md says what the table of errors says', () => {
  expect(documentedCodes(page)).toEqual(actualCodes);
});

test('help names only exit codes of the page', () => {
  const named = allUsages(COMMANDS).flatMap(({ exits = {} }) => Object.keys(exits));
  expect(named.length).toBeGreaterThan(10);
  const known = new Set(Object.values(documentedCodes(page)));
  expect(named.filter((code) => !known.has(Number(code)))).toEqual([]);
});

test('a planted fault is found: a code that is missing, one that has moved', () => {
  expect(documentedCodes(page.replace('`no-space` ', ''))).not.toEqual(actualCodes);
  expect(documentedCodes(page.replace('| 5 |', '| 6 |'))).not.toEqual(actualCodes);
});

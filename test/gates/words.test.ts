import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readPages, readSourceFiles } from '../../scripts/checks/source-files.ts';
import { findWordFaults } from '../../scripts/checks/word-faults.ts';

const root = resolve(import.meta.dirname, '../..');

test('texts for users have no word that docs/style.md forbids', async () => {
  const files = [...(await readSourceFiles(root)), ...(await readPages(root))];
  expect(findWordFaults(files)).toEqual([]);
});

const faultsOf = (path: string, text: string) => findWordFaults([{ path, text }]);

test.each([
  ['README.md', 'Start\nit anew.', 'README.md:2'],
  ['src/shell/a.ts', "const a = 1;\nfail('is broken off');", 'src/shell/a.ts:2'],
  ['commands/a.ts', "help: `\nIt's said,\nwhoever reads`", 'commands/a.ts:1'],
  ['src/webhook/a.ts', "fail('somebody else')", 'src/webhook/a.ts:1'],
  ['components/a.tsx', 'text="many, so many"', 'components/a.tsx:1'],
  ['docs/decisions/0001-a.md', 'Surplus files go.', 'docs/decisions/0001-a.md:1'],
  ['src/config/a.ts', 'const a = 1;\n/** What is broken off. */', 'src/config/a.ts:2'],
  ['src/vfs/a.ts', '/** Begun anew. */', 'src/vfs/a.ts:1'],
])('a planted fault is found: %s %j', (path, text, where) => {
  expect(faultsOf(path, text)).toEqual([expect.stringContaining(where)]);
});

test.each([
  ['docs/style.md', 'Never: "anew"'],
  ['src/shell/a.ts', "if (next === 'meanwhile') return;"],
  ['test/a.ts', "test('it is told', run);"],
])('what no user reads is left alone: %s %j', (path, text) => {
  expect(faultsOf(path, text)).toEqual([]);
});

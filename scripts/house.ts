import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readSourceFiles } from './checks/source-files.ts';
import { countCapabilities, countLines, lineRows } from './house/count-lines.ts';
import { hopRow } from './house/hops.ts';
import { traceTransfers } from './house/transfers.ts';

/**
 * `npm run house`: the weight and shape of the program, as tables in Markdown: lines of code of each folder and of each
 * capability, without blank lines and comments, and how five transfers move through the source files, each the median
 * of five runs. `-- --write` replaces the tables in docs/architecture.md, which a gate compares.
 */
const root = resolve(import.meta.dirname, '..');
const PRODUCT = ['src', 'commands', 'components', 'installer'];

const files = await readSourceFiles(root, PRODUCT);
const transfers = await traceTransfers(root, 5);
const tables = [
  tableOf('Folder | Files | Lines | Code', lineRows(countLines(files))),
  tableOf('Capability | Files | Lines | Code', lineRows(countCapabilities(files))),
  tableOf(
    'Transfer | Functions | Files | Moves | Returns | Folder crossings',
    transfers.map(({ name, hops }) => hopRow(name, hops)),
  ),
];
console.log(tables.join('\n\n'));

if (process.argv.includes('--write')) {
  const path = resolve(root, 'docs/architecture.md');
  let page = await readFile(path, 'utf8');
  for (const table of tables) {
    // Of tables with one header, the last is the one of today.
    const start = page.lastIndexOf(table.slice(0, table.indexOf('\n')));
    if (start < 0) throw new Error(`docs/architecture.md has no table ${table.split('\n', 1)[0]}`);
    const end = page.indexOf('\n\n', start);
    page = page.slice(0, start) + table + page.slice(end < 0 ? page.trimEnd().length : end);
  }
  await writeFile(path, page);
}

function tableOf(header: string, rows: readonly string[]): string {
  return [`| ${header} |`, `|${'---|'.repeat(header.split('|').length)}`, ...rows].join('\n');
}

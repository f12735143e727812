import { resolve } from 'node:path';
import { readSourceFiles } from './checks/source-files.ts';
import { countLines } from './house/count-lines.ts';
import { traceTransfers } from './house/transfers.ts';

/**
 * `npm run house`: the weight and shape of the program, as two tables in Markdown: lines of code per folder, without
 * blank lines and comments, and how five transfers move through the source files, each the median of five runs.
 */
const root = resolve(import.meta.dirname, '..');
const PRODUCT = ['src', 'commands', 'components', 'installer'];

const files = await readSourceFiles(root, PRODUCT);
const rows = countLines(files);
console.log('| Folder | Files | Lines | Code |\n|---|---|---|---|');
for (const { name, files, lines, code } of rows)
  console.log(
    `| ${name} | ${files} | ${lines.toLocaleString('en')} | ${code.toLocaleString('en')} |`,
  );

console.log('\n| Transfer | Functions | Files | Moves | Returns | Folder crossings |');
console.log('|---|---|---|---|---|---|');
for (const { name, hops } of await traceTransfers(root, 5)) {
  const { functions, files, moves, returns, crossings } = hops;
  console.log(`| ${name} | ${functions} | ${files} | ${moves} | ${returns} | ${crossings} |`);
}

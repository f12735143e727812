import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readSourceFiles } from '../../scripts/checks/source-files.ts';
import { countCapabilities, countLines, lineRows } from '../../scripts/house/count-lines.ts';
import { hopRow } from '../../scripts/house/hops.ts';
import { traceTransfers } from '../../scripts/house/transfers.ts';

const root = resolve(import.meta.dirname, '../..');
const page = await readFile(resolve(root, 'docs/architecture.md'), 'utf8');
const weight = page.slice(page.indexOf('\n## Weight\n'));

/** Rows of the page's tables, by their names: of a name that comes again, the last one. */
const shown = new Map(weight.split('\n').map((row) => [nameIn(row), numbersIn(row)]));

function nameIn(row: string): string {
  return row.split(' | ')[0]?.slice(2) ?? '';
}

function numbersIn(row: string): readonly number[] {
  return row
    .split(' | ')
    .slice(1)
    .map((cell) => Number(cell.replaceAll(/[,| ]/g, '')));
}

/** Rows that the page shows otherwise, by more than a part of a number and a few. */
function wrongRows(rows: readonly string[], part: number, few: number): readonly string[] {
  return rows.filter((row) => {
    const numbers = shown.get(nameIn(row)) ?? [];
    return numbersIn(row).some((n, i) => !(Math.abs(n - (numbers[i] ?? -1)) <= n * part + few));
  });
}

test('docs/architecture.md shows the lines of each folder and capability, to 2 % and 20 lines', async () => {
  const files = await readSourceFiles(root, ['src', 'commands', 'components', 'installer']);
  const rows = lineRows([...countLines(files), ...countCapabilities(files)]);
  expect(rows.length).toBeGreaterThan(60);
  expect(wrongRows(rows, 0.02, 20), 'run "npm run house"').toEqual([]);
  const grown = files.map(({ path, text }) => ({ path, text: text.repeat(2) }));
  expect(wrongRows(lineRows(countCapabilities(grown)), 0.02, 20)).not.toEqual([]);
});

test('docs/architecture.md shows the functions and files that five transfers enter, nearly', async () => {
  const traces = await traceTransfers(root, 1);
  // What runs at the same time changes how often a transfer moves between files.
  const rows = traces.map(({ name, hops }) =>
    hopRow(name, hops).split(' | ').slice(0, 3).join(' | '),
  );
  // On a busy machine the list of running programs opens state.db before the transfer, by 24 functions.
  expect(wrongRows(rows, 0.1, 25), 'run "npm run house"').toEqual([]);
  expect(wrongRows(['| a download | 900 | 200'], 0.1, 25)).toHaveLength(1);
});

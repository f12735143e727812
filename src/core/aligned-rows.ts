const GAP = '  ';
const INDENT = '    ';

/**
 * Rows of cells as lines: two blanks between columns, each as wide as its widest cell; the last one is not filled. If
 * one is wider than `columns`, all are broken between cells instead, a cell that is too long between its words, and what
 * follows the first line is indented.
 *
 * @param numbers how many of the first columns are numbers, which end below each other
 */
export function alignedRows(
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
  numbers = 0,
): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, cell.length);
    });
  }
  const padded = (cell: string, at: number, { length }: readonly string[]) => {
    if (at < numbers) return cell.padStart(widths[at] ?? 0);
    return at === length - 1 ? cell : cell.padEnd(widths[at] ?? 0);
  };
  const lines = rows.map((row) => row.map(padded).join(GAP));
  return lines.every((line) => line.length <= columns)
    ? lines
    : rows.flatMap((row) => brokenRow(row, columns));
}

function brokenRow(row: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  const add = (text: string, gap: string) => {
    const longer = line === '' ? text : `${line}${gap}${text}`;
    if (line === '' || longer.length <= columns) {
      line = longer;
      return;
    }
    lines.push(line);
    line = INDENT + text;
  };
  for (const cell of row) {
    if (cell === '') continue;
    const isWhole = cell.length + INDENT.length <= columns;
    const [first = '', ...rest] = isWhole ? [cell] : cell.split(' ');
    if (!isWhole && line !== '') {
      lines.push(line);
      line = INDENT + first;
    } else add(first, GAP);
    for (const word of rest) add(word, ' ');
  }
  return [...lines, line];
}

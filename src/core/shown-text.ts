/** A number with its thousands apart: `10,007`. */
export const figure = (value: number): string => Math.round(value).toLocaleString('en-US');

/** A number of things by name: `1 file`, `10,007 files`, `2 entries`. */
export function counted(count: number, noun: string): string {
  const plural = /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${figure(count)} ${count === 1 ? noun : plural}`;
}

/** The first names of a list, and how many more there are: `a, b and 3 more`. */
export function firstNames(names: readonly string[], most = 10): string {
  const more = names.length - most;
  return names.slice(0, most).join(', ') + (more > 0 ? ` and ${figure(more)} more` : '');
}

/** Printable ASCII, which has no effect on terminals. */
const PLAIN = /^[\x20-\x7e]*$/;
const PLAIN_LINES = /^[\t\n\x20-\x7e]*$/;

/** Controls of 8 bits, also as bytes of names that are no UTF-8, and what else ends a line. */
const WIDE_CONTROLS = /[\x80-\x9f\u2028\u2029\ufff9-\ufffb]|[\udc80-\udc9f]/u;
/** Joiners in words and emoji. */
const JOINERS = /\u034f|\u200c|\u200d|[\u180b-\u180d\u180f\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/u;
/** Other invisible characters, such as marks that change the direction of writing, are not passed on. */
const UNSEEN = new RegExp(
  `${WIDE_CONTROLS.source}|(?!${JOINERS.source})\\p{Default_Ignorable_Code_Point}`,
  'gu',
);

const UNSEEN_OR_DEL = new RegExp(`\\x7f|${UNSEEN.source}`, 'gu');

/**
 * A line with control characters as symbols (`\n` is `␊`), and marks of direction and the like as `�`. For screens,
 * which also cannot show bytes that are no UTF-8.
 */
export const harmless = (text: string): string => harmlessLine(text.toWellFormed());

/** As `harmless`, for names in logs: their bytes stay unless a terminal would obey them. */
export function harmlessLine(text: string): string {
  return PLAIN.test(text) ? text : shown(text, /[\0-\x1f\x7f]/g);
}

/** As `harmlessLine` for a text of several lines: ends of lines and tabs stay. */
export function harmlessLines(text: string): string {
  return PLAIN_LINES.test(text) ? text : shown(text, /[\0-\x08\x0b-\x1f\x7f]/g);
}

/** JSON with all of that as escapes, which preserve the names. */
export function harmlessJson(json: string): string {
  if (PLAIN_LINES.test(json)) return json;
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(UNSEEN_OR_DEL, (c) => c.split('').map(escaped).join(''));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as content of HTML or XML, and of their attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

function shown(text: string, controls: RegExp): string {
  return text
    .replace(controls, (c) => (c === '\x7f' ? '␡' : String.fromCharCode(0x2400 + c.charCodeAt(0))))
    .replace(UNSEEN, '�');
}

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

import { usesColour } from '../log/uses-colour.ts';

export interface HelpStyle {
  /** Longest line, in columns. */
  readonly columns: number;
  /** Whether headings are bold. */
  readonly bold: boolean;
}

/** For files: no line is wrapped. */
export const UNWRAPPED: HelpStyle = { columns: Number.POSITIVE_INFINITY, bold: false };

/** The style for standard output: `COLUMNS`, or else the terminal, or else 80 columns; 20 to 100. */
export function helpStyle(
  stdout: { readonly isTTY?: boolean; readonly columns?: number },
  env: NodeJS.ProcessEnv,
  color: 'auto' | 'always' | 'never',
): HelpStyle {
  const isTerminal = stdout.isTTY === true;
  const columns = Number(env['COLUMNS']) || (isTerminal && stdout.columns) || 80;
  const bold = usesColour(color, env, isTerminal);
  return { columns: Math.max(20, Math.min(100, columns)), bold };
}

/** A heading: `Flags:`. */
export function heading(title: string, { bold }: HelpStyle): string {
  return bold ? `\x1b[1m${title}:\x1b[0m` : `${title}:`;
}

/**
 * The words of a paragraph in lines of at most `columns`; the first begins with `first`, the others with `indent`. A list
 * without blanks that is longer than a line is broken at its commas.
 */
export function fillText(text: string, columns: number, indent = '', first = indent): string[] {
  const isLong = (word: string) => indent.length + word.length > columns;
  const words = text.trim().split(/\s+/);
  const parts = words.map((word) => (isLong(word) ? word.split(/(?<=,)/) : [word]));
  return filled(parts, columns, indent, first);
}

function filled(
  words: readonly (readonly string[])[],
  columns: number,
  indent: string,
  first: string,
): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const parts of words) {
    for (const [at, part] of parts.entries()) {
      const gap = isEmpty || at > 0 ? '' : ' ';
      if (!isEmpty && line.length + gap.length + part.length > columns) {
        lines.push(line);
        line = indent + part;
      } else line += gap + part;
      isEmpty = false;
    }
  }
  return [...lines, line.trimEnd()];
}

/** A left side and its explanation. */
export type Row = readonly [left: string, right: string];

/**
 * Rows in two columns, the right one, of at least 16, wrapped with a hanging indent. A left side that is too long has its
 * own line; in windows of less than 60 columns all have.
 */
export function rowLines(rows: readonly Row[], { columns }: HelpStyle): string[] {
  const lengths = rows.map(([left]) => left.length);
  const widest = Math.min(columns - 4 - 16, Math.ceil(columns * 0.45));
  if (columns < 60 && Math.max(0, ...lengths) > widest) {
    return rows.flatMap(([left, right]) => [
      `  ${left.trim()}`,
      ...fillText(right, columns, '      '),
    ]);
  }
  const width = Math.max(0, ...lengths.filter((length) => length <= widest));
  const hanging = ' '.repeat(width + 4);
  return rows.flatMap(([left, right]) =>
    left.length > width
      ? [`  ${left}`, ...fillText(right, columns, hanging)]
      : fillText(right, columns, hanging, `  ${left}`.padEnd(width + 4)),
  );
}

/** The paragraphs of a description, and its literal lines, which begin with spaces. */
export function textBlocks(text: string) {
  return text
    .replace(/^\n+|\s+$/g, '')
    .split(/\n{2,}/)
    .map((part) => part.split('\n'))
    .map((lines) => ({ isLiteral: lines.every((line) => line.startsWith('  ')), lines }));
}

/** A description in lines of at most `columns`: paragraphs are filled, tables of two columns wrapped. */
export function descriptionLines(text: string, style: HelpStyle): string[] {
  const parts = textBlocks(text).map(({ isLiteral, lines }) => {
    if (!isLiteral) return fillText(lines.join(' '), style.columns);
    const rows = lines.map((line): Row => {
      const [, left = '', right = ''] = /^ +(\S.*?) {2,}(\S.*)$/.exec(line) ?? [];
      return [left, right];
    });
    return rows.some(([left]) => left === '') ? lines : rowLines(rows, style);
  });
  return parts.flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]));
}

/** A command line, continued with a backslash where it is too long for one line. */
export function commandLines(command: string, { columns }: HelpStyle): string[] {
  const words = command.split(' ').map((word) => [word]);
  const lines = filled(words, columns - 2, '      ', '  $ ');
  return lines.map((line, i) => (i < lines.length - 1 ? `${line} \\` : line));
}

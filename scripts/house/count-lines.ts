import { parseSync } from 'rolldown/utils';
import type { SourceFile } from '../checks/source-files.ts';

/** The weight of a folder: its files, their lines, and the lines that are neither blank nor only a comment. */
export interface FolderLines {
  readonly name: string;
  readonly files: number;
  readonly lines: number;
  readonly code: number;
}

/** The weight of each folder (of `src`, each folder in it), the largest first, and of all together at the end. */
export function countLines(files: readonly SourceFile[]): readonly FolderLines[] {
  const rows = countFolders(files, ({ path }) => {
    const [top = '', inner = '', ...rest] = path.split('/');
    return top === 'src' && rest.length > 0 ? `${top}/${inner}` : top;
  });
  return [...rows, weightOf('all', files)];
}

/** The weight of each capability, the largest first: its folder in `commands`. */
export function countCapabilities(files: readonly SourceFile[]): readonly FolderLines[] {
  const within = files.filter(({ path }) => /^commands\/.+\//.test(path));
  return countFolders(within, ({ path }) => path.split('/')[1] ?? '');
}

/** Rows of a table in Markdown. */
export function lineRows(rows: readonly FolderLines[]): readonly string[] {
  const shown = (count: number) => count.toLocaleString('en');
  return rows.map(
    ({ name, files, lines, code }) => `| ${name} | ${files} | ${shown(lines)} | ${shown(code)} |`,
  );
}

function countFolders(
  files: readonly SourceFile[],
  nameOf: (file: SourceFile) => string,
): readonly FolderLines[] {
  const rows = [...Map.groupBy(files, nameOf)].map(([name, found]) => weightOf(name, found));
  return rows.sort((a, b) => b.code - a.code);
}

function weightOf(name: string, files: readonly SourceFile[]): FolderLines {
  const sum = (count: (file: SourceFile) => number) =>
    files.reduce((total, file) => total + count(file), 0);
  const lines = sum(({ text }) => text.split('\n').length - 1);
  return { name, files: files.length, lines, code: sum(codeLines) };
}

/** Lines that hold something else than blanks and comments. */
function codeLines({ path, text }: SourceFile): number {
  let code = '';
  let from = 0;
  for (const { start, end } of parseSync(path, text).comments) {
    code += text.slice(from, start) + text.slice(start, end).replaceAll(/[^\n]/g, '');
    from = end;
  }
  code += text.slice(from);
  return code.split('\n').filter((line) => line.trim() !== '').length;
}

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
  const folders = Map.groupBy(files, ({ path }) =>
    path
      .split('/')
      .slice(0, path.startsWith('src/') && path.split('/').length > 2 ? 2 : 1)
      .join('/'),
  );
  const rows = [...folders].map(([name, found]) => weightOf(name, found));
  return [...rows.sort((a, b) => b.code - a.code), weightOf('all', files)];
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

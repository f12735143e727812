import { posix } from 'node:path';
import { isOwnEntry, isTrashDir } from '../core/own-names.ts';
import { parentPath } from '../core/remote-path.ts';

/** A line of a file of patterns or names. */
export interface ListLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

// Unicode's white space as Go's strings.TrimSpace has it; JavaScript's also holds U+FEFF.
const SPACE =
  '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const OUTER_SPACE = new RegExp(`^${SPACE}+|${SPACE}+$`, 'g');

/** All lines of a text, without their line ends (LF or CRLF). */
export function rawLines(text: string): ListLine[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => ({ text: line.replace(/\r$/, ''), number: index + 1 }));
}

/** The lines that say something: trimmed, without empty ones and those that start with `#` or `;`. */
export function ruleLines(text: string): ListLine[] {
  return rawLines(text)
    .map((line) => ({ ...line, text: line.text.replace(OUTER_SPACE, '') }))
    .filter((line) => !/^(?:$|[#;])/.test(line.text));
}

/** The names of a list that ends each with NUL (`find -print0`); empty ones are no names. */
export function nulLines(text: string): ListLine[] {
  const names = text.split('\0').filter((name) => name !== '');
  return names.map((name, index) => ({ text: name, number: index + 1 }));
}

/** The files a run is limited to (`--files-from`). */
export interface FileList {
  readonly files: ReadonlySet<string>;
  /** Every directory on the way to them. */
  readonly dirs: ReadonlySet<string>;
}

/** The list of these paths, without syncer's own names; slashes at either end do not matter. */
export function fileList(paths: readonly string[]): FileList {
  const files = new Set<string>();
  const dirs = new Set<string>();
  for (const path of paths) {
    const file = path.replace(/^\/+|\/+$/g, '');
    if (isOwnEntry({ kind: 'file', path: file }) || isTrashDir(parentPath(file))) continue;
    files.add(file);
    for (let dir = dirOf(file); dir !== '.' && !dirs.has(dir); dir = dirOf(dir)) dirs.add(dir);
  }
  return { files, dirs };
}

/** As Go's `path.Dir`: also without `.`, `..` and double slashes. */
const dirOf = (path: string): string => posix.join(posix.dirname(path), '.');

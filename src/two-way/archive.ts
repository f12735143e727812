import { createHash } from 'node:crypto';
import { AgreedFiles } from './agreed-files.ts';

/** What both sides had when they last agreed. */
export interface Archive {
  /** Identities of both roots: the archive of another pair is never used. */
  readonly roots: readonly [a: string, b: string];
  /** When the run ended, in milliseconds since the epoch. */
  readonly endedMs: number;
  /** By path on the first side. */
  readonly files: AgreedFiles;
  /** Directories that both sides had. */
  readonly dirs: ReadonlySet<string>;
  /** What runs have deleted because the other side had, by path on the first side; absent if nothing. */
  readonly deleted?: ReadonlyMap<string, DeletedFile>;
}

/** A file that a run has deleted; its time in seconds, if it had one. */
export interface DeletedFile {
  readonly size: number;
  readonly seconds?: number;
}

/** How many deletions an archive keeps. */
export const MOST_DELETED = 1000;

/** The first line of an archive. */
interface Head {
  readonly bisync: 1;
  readonly roots: readonly [string, string];
  readonly endedMs: number;
  /** Versions before skip it. */
  readonly deleted?: readonly (readonly [path: string, file: DeletedFile])[];
}

/** How many lines are written at a time. */
const LINES_AT_ONCE = 1000;

/**
 * The archive as lines of JSON, some at a time: a head, a line for each file and directory, and an end with their
 * number and the SHA-256 of everything before it, without which the archive counts as damaged.
 */
export function* archiveText({ roots, endedMs, files, dirs, deleted }: Archive): Generator<string> {
  const hash = createHash('sha256');
  let lines: string[] = [];
  const take = () => {
    const text = lines.join('');
    lines = [];
    hash.update(text);
    return text;
  };
  const head: Head = { bisync: 1, roots, endedMs, ...(deleted && { deleted: [...deleted] }) };
  lines.push(`${JSON.stringify(head)}\n`);
  for (const [path, marks] of files.texts()) {
    lines.push(`["f",${JSON.stringify(path)},${marks}]\n`);
    if (lines.length >= LINES_AT_ONCE) yield take();
  }
  for (const path of dirs) {
    lines.push(`${JSON.stringify(['d', path])}\n`);
    if (lines.length >= LINES_AT_ONCE) yield take();
  }
  yield take();
  yield `${JSON.stringify({ entries: files.size + dirs.size, sha256: hash.digest('hex') })}\n`;
}

/**
 * Reads an archive from pieces of its text. Throws an error that says what is wrong if it is damaged, cut short, of
 * another pair, or of a later version.
 */
export function readArchive(pieces: Iterable<string>, roots: Archive['roots']): Archive {
  const hash = createHash('sha256');
  const files = new AgreedFiles();
  const dirs = new Set<string>();
  let head: Partial<Head> | null | undefined;
  let rest = '';
  /** The end is known only when nothing comes after it. */
  let last = '';
  const take = (line: string) => {
    hash.update(line);
    if (head === undefined) head = parse(line) as Partial<Head> | null;
    else if (head?.bisync === 1) takeLine(line, files, dirs);
  };
  for (const piece of pieces) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (last !== '') take(last);
      last = `${line}\n`;
    }
  }
  const end = parse(last) as { sha256?: unknown } | null;
  if (rest !== '' || end?.sha256 !== hash.digest('hex')) throw damaged();
  if (head?.bisync !== 1) throw new Error('it was written by another version');
  if (head.roots?.[0] !== roots[0] || head.roots[1] !== roots[1]) {
    throw new Error('it belongs to other directories');
  }
  const { endedMs = 0, deleted } = head;
  return { roots, endedMs, files, dirs, ...(deleted && { deleted: new Map(deleted) }) };
}

const FILE = /^\["f",("(?:[^"\\]|\\.)*"),(.*)\]\n$/s;

function takeLine(line: string, files: AgreedFiles, dirs: Set<string>): void {
  const [, path, marks] = FILE.exec(line) ?? [];
  const parsed = parse(path ?? line) as unknown;
  if (path !== undefined && marks !== undefined) files.setText(String(parsed), marks);
  else if (Array.isArray(parsed) && parsed[0] === 'd') dirs.add(String(parsed[1]));
  else throw damaged();
}

function damaged(): Error {
  return new Error('it is damaged or cut short');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

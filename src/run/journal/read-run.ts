import { isUtf8 } from 'node:buffer';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { fnv1a } from '../../core/fnv1a.ts';
import { jsonObject } from '../../core/json-object.ts';
import { counted } from '../../core/shown-text.ts';
import type { RunSum } from '../../state/runs.ts';
import { openRegularFile } from '../../system/read-whole.ts';
import {
  type ChangeLine,
  type DirLine,
  type DoneLine,
  type FileMark,
  type PlaceLine,
  type RunLine,
  readMark,
} from './journal-line.ts';
import { JOURNAL_NAMES, unreadableHistory } from './kept-runs.ts';

/**
 * A change, and its result; without one it may or may not have been made. Its result knows best where the old file is
 * kept.
 */
export interface RunChange extends ChangeLine {
  readonly done?: Omit<DoneLine, 'n' | 'kept'>;
}

/** The file before a change, if it is known. */
export function knownOld({ old }: RunChange): FileMark | undefined {
  return old === 'unknown' ? undefined : old;
}

export interface RunChanges {
  readonly places: readonly PlaceLine[];
  /** Each directory once, or twice if its metadata is noted later. */
  readonly dirs: readonly DirLine[];
  /** In the order in which they were made. */
  readonly changes: readonly RunChange[];
  /** The journal is complete: the run was not interrupted. */
  readonly hasEnded: boolean;
  /** Lines that are damaged; a last line that a crash cut is none. */
  readonly unreadable: number;
  /** Where lines are missing, repeated, or not in their order. */
  readonly misplaced: number;
}

/**
 * Reads the journal of the run in a folder; `undefined` if it has none any more. Rejects with `other` and its path if it
 * cannot be read or is that of another run.
 */
export async function readChanges(folder: string): Promise<RunChanges | undefined> {
  const id = basename(folder);
  for (const name of JOURNAL_NAMES) {
    const path = join(folder, name);
    try {
      let source: Readable = (await openRegularFile(path)).createReadStream();
      if (name.endsWith('.zst')) {
        const unpacked = createZstdDecompress();
        source = source.on('error', (error) => unpacked.destroy(error)).pipe(unpacked);
      }
      const read = await parseJournal(source);
      const other = read.places.find((line) => (line?.run ?? id) !== id);
      if (other !== undefined) throw new Error(`it is the journal of the run ${other.run}`);
      return read;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw unreadableHistory(path, thrown);
    }
  }
  return undefined;
}

/** The start of a line: the sum of the rest, and its number in the file. */
const SUM = /^\{"sum":\[(\d+),(\d+)\],/;

async function parseJournal(source: Readable): Promise<RunChanges> {
  const places: PlaceLine[] = [];
  const dirs: DirLine[] = [];
  const changes = new Map<number, ChangeLine>();
  const results = new Map<number, Omit<DoneLine, 'n'>>();
  let hasEnded = false;
  let [unreadable, misplaced] = [0, 0];
  let last = 0;
  for await (const { text, isCut } of linesOf(source)) {
    const [whole = '', sum, written] = SUM.exec(text) ?? [];
    const rest = text.slice(whole.length);
    const number = Number(written);
    const isSound = Number(sum) === fnv1a(rest, number);
    const line = isSound ? jsonObject<RunLine>(`{${rest}`) : undefined;
    if (line === undefined || !isRunLine(line)) {
      if (!isCut) unreadable++;
      last++;
      continue;
    }
    if (number !== last + 1) misplaced++;
    last = Math.max(last + 1, number);
    if ('end' in line) hasEnded = true;
    else if ('done' in line) for (const n of line.done) results.set(n, { ok: true });
    else if ('do' in line) changes.set(line.n, withTimes(line));
    else if ('created' in line) {
      for (const [index, [path, size, time]] of line.created.entries()) {
        const [n, after] = [line.n + index, readMark({ size, time })];
        changes.set(n, { n, place: line.place, do: 'create', path, new: after });
      }
    } else if ('ok' in line) results.set(line.n, withTimes(line));
    else if ('dir' in line) dirs.push(line);
    else places[line.place] = line;
  }
  const inOrder = [...changes.values()].sort((a, b) => a.n - b.n);
  const all = inOrder.map((change): RunChange => {
    const done = results.get(change.n);
    return done === undefined ? change : { ...change, ...(done.kept && { kept: done.kept }), done };
  });
  return { places, dirs, changes: all, hasEnded, unreadable, misplaced };
}

function withTimes<T extends ChangeLine | DoneLine>(line: T): T {
  const { old, new: after } = line as Partial<ChangeLine>;
  return {
    ...line,
    ...(typeof old === 'object' && { old: readMark(old) }),
    ...(after && { new: readMark(after) }),
  };
}

function isRunLine(line: RunLine): boolean {
  if ('end' in line) return true;
  if ('done' in line) return Array.isArray(line.done);
  if ('ok' in line) return Number.isInteger(line.n);
  if (!Number.isInteger(line.place)) return false;
  if ('do' in line) return Number.isInteger(line.n) && typeof line.path === 'string';
  if ('created' in line) {
    const isFile = (file: unknown) =>
      Array.isArray(file) && typeof file[0] === 'string' && typeof file[1] === 'number';
    return Number.isInteger(line.n) && Array.isArray(line.created) && line.created.every(isFile);
  }
  return typeof ('dir' in line ? line.dir : line.name) === 'string';
}

/** The lines of a journal; `isCut`: the last one, without a newline. Lines that are not UTF-8 are empty. */
async function* linesOf(source: Readable): AsyncGenerator<{ text: string; isCut: boolean }> {
  let rest = '';
  try {
    for await (const chunk of source) {
      const lines = (rest + (chunk as Buffer).toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield { text: decoded(line), isCut: false };
    }
  } catch (thrown) {
    // What is compressed is damaged from here on.
    if (!(thrown as NodeJS.ErrnoException).code?.startsWith('Z')) throw thrown;
    yield { text: '', isCut: false };
  }
  if (rest !== '') yield { text: decoded(rest), isCut: true };
}

function decoded(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : '';
}

/**
 * What is wrong with the journal of a run, in a few words; `undefined` if nothing is. A run without a sum was
 * interrupted: its journal may end anywhere.
 */
export function journalDamage(
  { places, changes, unreadable, misplaced, hasEnded }: RunChanges,
  sum: RunSum | undefined,
): string | undefined {
  if (unreadable > 0) return `${counted(unreadable, 'line')} cannot be read`;
  const missing = changes.reduce((last, { n }) => Math.max(last, n), 0) - changes.length;
  if (missing > 0) return `${counted(missing, 'change')} missing`;
  const unknown = new Set(changes.map(({ place }) => place).filter((place) => !places[place]));
  if (unknown.size > 0) return `${counted(unknown.size, 'place')} missing`;
  if (misplaced > 0) return 'lines are missing, repeated or not in their order';
  return sum === undefined || hasEnded ? undefined : 'it ends early';
}

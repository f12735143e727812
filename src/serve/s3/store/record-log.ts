import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { replaceFileSync } from '../../../state/replace-file.ts';
import type { ObjectRecord, OldVersion } from './object-record.ts';

/** One line of the log: the last one about a key counts. */
export type LogLine =
  | { readonly put: ObjectRecord }
  | { readonly del: string }
  /** All versions of a key but the current one, newest first. */
  | { readonly old: string; readonly versions: readonly OldVersion[] };

/** The content of a log. */
export interface LoadedLog {
  readonly records: Map<string, ObjectRecord>;
  readonly history: Map<string, readonly OldVersion[]>;
  /**
   * The record that the last `put` replaced. A record is written just before its file is put in place: after a crash
   * between the two, this record still matches the file.
   */
  readonly replaced: ObjectRecord | undefined;
  /** Number of lines, more than needed if keys were written several times. */
  readonly lines: number;
  /** No line was unreadable. */
  readonly intact: boolean;
}

/** The current path of a file. */
type Place = () => string | Buffer;

/** Reads the log of a bucket; a missing one is empty. Skips a line that a crash truncated. */
export function loadLog(place: Place): LoadedLog {
  const records = new Map<string, ObjectRecord>();
  const history = new Map<string, readonly OldVersion[]>();
  let replaced: ObjectRecord | undefined;
  let lines = 0;
  let intact = true;
  for (const text of readLines(place)) {
    const line = parseLine(text);
    if (line === undefined) {
      intact = false;
      continue;
    }
    lines++;
    if ('put' in line) {
      replaced = records.get(line.put.key);
      records.set(line.put.key, line.put);
    } else if ('del' in line) records.delete(line.del);
    else if (line.versions.length === 0) history.delete(line.old);
    else history.set(line.old, line.versions);
  }
  return { records, history, replaced, lines, intact };
}

function* readLines(place: Place): Generator<string> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(place());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, from);
    const end = newline < 0 ? bytes.length : newline;
    if (end > from) yield bytes.toString('utf8', from, end);
    from = end + 1;
  }
}

function parseLine(text: string): LogLine | undefined {
  try {
    const line: LogLine = JSON.parse(text);
    const known = 'put' in line || 'del' in line || 'old' in line;
    return known ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Appends to the log of a bucket. */
export class RecordLog {
  readonly #place: Place;
  #fd: number | undefined;
  /** Lines written since the log was opened or rewritten. */
  appended = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Adds lines; when it returns they survive the end of the process. */
  append(...lines: LogLine[]): void {
    let text = '';
    if (this.#fd === undefined) {
      this.#fd = openSync(this.#place(), 'a', 0o600);
      // A crash may have left half a line: start a new one.
      text = '\n';
    }
    for (const line of lines) text += `${JSON.stringify(line)}\n`;
    const bytes = Buffer.from(text, 'utf8');
    try {
      // On a full disk a write can end half-way without an error: the next one then reports it.
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    } catch (error) {
      this.close();
      throw error;
    }
    this.appended += lines.length;
  }

  /** Replaces the log by these lines. */
  rewrite(lines: Iterable<LogLine>): void {
    this.close();
    const pieces = function* () {
      let text = '';
      for (const line of lines) {
        text += `${JSON.stringify(line)}\n`;
        if (text.length < 1_000_000) continue;
        yield text;
        text = '';
      }
      yield text;
    };
    replaceFileSync(this.#place(), pieces());
    this.appended = 0;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

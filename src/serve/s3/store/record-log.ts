import { type AppendLog, parseLine } from '../../../state/append-log.ts';
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

/** Reads the log of a bucket; a missing one is empty. Skips a line that a crash truncated. */
export function loadLog(log: AppendLog): LoadedLog {
  const records = new Map<string, ObjectRecord>();
  const history = new Map<string, readonly OldVersion[]>();
  let replaced: ObjectRecord | undefined;
  let lines = 0;
  let intact = true;
  for (const text of log.lines()) {
    const line = parseLine<LogLine>(text);
    if (line === undefined || !isLogLine(line)) {
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

function isLogLine(line: LogLine): boolean {
  return 'put' in line || 'del' in line || 'old' in line;
}

/** A line as it is written. */
export function textOf(line: LogLine): string {
  return `${JSON.stringify(line)}\n`;
}

import { closeSync, openSync, writeSync } from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import type { LogLevel } from '../../core/events.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { goErrno } from '../../go/go-errno.ts';
import type { Flags } from '../flags/flag-table.ts';
import { dumpList } from './dump-list.ts';
import { formatJsonRecord, formatTextRecord } from './format-record.ts';
import { type LogLayout, logPrefix } from './log-layout.ts';
import { causesOf, isShown, type LogRecord } from './log-record.ts';

/** The log of a run. */
export interface RunLog {
  /** It goes to a file of its own, not to the terminal. */
  readonly toFile: boolean;
  /** Whether records of this level are written; otherwise expensive records need not be built. */
  shows(level: LogLevel): boolean;
  /** Writes a record, without the secrets in its message and in the causes of its error. */
  write(record: LogRecord): void;
  /** The text without secrets. */
  hide(text: string): string;
  close(): void;
}

/** The flags of the log. */
export interface LogSettings {
  /** The lowest level that is written. */
  readonly level: LogLevel;
  readonly json: boolean;
  /** Its file; standard error by default. */
  readonly file: string | undefined;
  /** The start of text lines. */
  readonly layout: LogLayout;
}

/** A level of rclone; one that syncer does not use is the next louder one. */
export function toLogLevel(name: Flags['log-level']): LogLevel {
  return name === 'debug' || name === 'info' || name === 'notice' ? name : 'error';
}

/** Reads `-v`, `-q`, `--log-level`, `--log-file` and `--use-json-log`. Throws `usage` if they contradict each other. */
export function logSettings(flags: Flags, given: ReadonlySet<string>): LogSettings {
  const dumps = dumpList(flags).size > 0;
  const { quiet } = flags;
  const verbose = dumps && flags['log-level'] !== 'debug' ? 2 : flags.verbose;
  const level = given.has('log-level');
  if (verbose > 0 && quiet) throw new SyncerError('usage', "Can't set -v and -q");
  if (verbose > 0 && level) throw new SyncerError('usage', "Can't set -v and --log-level");
  if (quiet && level) throw new SyncerError('usage', "Can't set -q and --log-level");
  return {
    level:
      verbose >= 2
        ? 'debug'
        : verbose === 1
          ? 'info'
          : quiet
            ? 'error'
            : toLogLevel(flags['log-level']),
    json: flags['use-json-log'],
    file: flags['log-file'] || undefined,
    layout: { format: flags['log-format'], systemd: flags['log-systemd'], pid: process.pid },
  };
}

/**
 * Opens the log. Throws `usage` if the log file cannot be opened.
 *
 * @param print writes text to standard error, or above the progress block
 * @param hide removes secrets from a text
 */
export function openRunLog(
  settings: LogSettings,
  print: (text: string) => void,
  hide: (text: string) => string = (text) => text,
): RunLog {
  const { level: least, json, file, layout } = settings;
  const prefix = logPrefix(layout);
  const fd = file === undefined ? undefined : openLogFile(file);
  let isWritten = true;
  const writeTo = (log: number, text: string) => {
    if (!isWritten) return;
    try {
      writeSync(log, nameToBytes(text));
    } catch (thrown) {
      // A run does not end for lack of space for its log.
      isWritten = false;
      const why = (thrown as Error).message;
      print(`cannot write the log file ${file}, continuing without it: ${why}\n`);
    }
  };
  return {
    toFile: fd !== undefined,
    shows: (level) => isShown(level, least),
    hide,
    write(record) {
      if (!isShown(record.level, least)) return;
      const causes = least === 'debug' ? causesOf(record.error).map(hide) : [];
      const shown = record.showsSecrets ? record : { ...record, message: hide(record.message) };
      const text = json ? formatJsonRecord(shown, causes) : formatTextRecord(shown, causes, prefix);
      if (fd === undefined) print(text);
      else writeTo(fd, text);
    },
    close() {
      if (fd !== undefined) closeSync(fd);
    },
  };
}

function openLogFile(file: string): number {
  try {
    return openSync(file, 'a', 0o640);
  } catch (thrown) {
    throw new SyncerError('usage', `cannot open the log file ${file}: ${goErrno(thrown)}`, {
      path: file,
      cause: thrown,
    });
  }
}

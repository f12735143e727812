import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import type { LogLevel } from '../../core/events.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { counted } from '../../core/shown-text.ts';
import { goErrno } from '../../go/go-texts.ts';
import { openUnblocked, UnblockedLog } from '../../system/unblocked-log.ts';
import type { Flags } from '../flags/flag-table.ts';
import { dumpList } from './dump-list.ts';
import {
  causesOf,
  formatJsonRecord,
  formatTextRecord,
  isShown,
  type LogLayout,
  type LogRecord,
  logPrefix,
  readLogFormat,
} from './log-record.ts';
import type { LogFile, Rotation } from './rotating-file.ts';

export type RunLog = ReturnType<typeof openRunLog>;

export interface LogSettings {
  /** The lowest level that is written. */
  readonly level: LogLevel | 'off';
  readonly json: boolean;
  /** Its file; standard error by default. */
  readonly file: string | undefined;
  /** When its file is renamed and another one begun. */
  readonly rotation?: Rotation | undefined;
  /** The start of text lines. */
  readonly layout: LogLayout;
}

/** A level of rclone; one that syncer does not use is the next louder one. */
export function toLogLevel(name: Flags['log-level']): LogLevel {
  return name === 'debug' || name === 'info' || name === 'notice' ? name : 'error';
}

/** Reads `-v`, `-q`, `--log-level`, `--log-file` and `--use-json-log`. */
export function logSettings(flags: Flags): LogSettings {
  const format = readLogFormat(flags['log-format']);
  const file = flags['log-file'] || undefined;
  const maxSize = flags['log-file-max-size'];
  // The other flags of rotation count only with a size, as in rclone.
  const rotates = file !== undefined && maxSize !== undefined;
  return {
    level: levelOf(flags),
    json: flags['use-json-log'] || format.has('json'),
    file,
    rotation: rotates
      ? {
          maxSize,
          maxBackups: flags['log-file-max-backups'],
          maxAgeMs: flags['log-file-max-age'],
          compress: flags['log-file-compress'],
        }
      : undefined,
    layout: { format, systemd: flags['log-systemd'], pid: process.pid },
  };
}

function levelOf(flags: Flags): LogSettings['level'] {
  const verbose = dumpList(flags).size > 0 ? 2 : flags.verbose;
  if (verbose >= 1) return verbose >= 2 ? 'debug' : 'info';
  if (flags.quiet) return 'error';
  return flags['log-level'] === 'off' ? 'off' : toLogLevel(flags['log-level']);
}

/**
 * Opens the log. Throws `usage` if the log file cannot be opened.
 *
 * @param print writes text to standard error, or above the progress block
 * @param hide removes secrets from a text
 * @param openFile opens a log file in another way, to rotate it
 */
export function openRunLog(
  settings: LogSettings,
  print: (text: string) => void,
  hide: (text: string) => string = (text) => text,
  openFile: (path: string) => LogFile = plainFile,
) {
  const { level: least, json, file, layout } = settings;
  const prefix = logPrefix(layout);
  const pid = layout.format.has('pid') ? layout.pid : undefined;
  const showsLevel = !layout.format.has('nolevel');
  const formatted = (record: LogRecord, causes: readonly string[] = []) =>
    json
      ? formatJsonRecord(record, causes, pid)
      : formatTextRecord(record, causes, prefix, showsLevel);
  let lastMs = 0;
  const dropped = (count: number) => {
    const message = `${counted(count, 'line')} of the log dropped: its reader does not keep up`;
    return nameToBytes(formatted({ timeMs: lastMs, level: 'notice', message }));
  };
  const logFile = file === undefined ? undefined : openLogFile(file, openFile, dropped);
  let isWritten = true;
  const writeTo = (log: LogFile, text: string) => {
    try {
      if (isWritten) log.write(nameToBytes(text));
    } catch (thrown) {
      // A run does not end for lack of space for its log.
      isWritten = false;
      const why = (thrown as Error).message;
      print(`cannot write the log file ${file}, writing the log here: ${why}\n`);
    }
    if (!isWritten) print(text);
  };
  return {
    /** It goes to a file of its own, not to the terminal. */
    toFile: logFile !== undefined,
    /** Whether records of this level are written; otherwise expensive records need not be built. */
    shows: (level: LogLevel) => isShown(level, least),
    hide,
    /** Writes a record, without the secrets in its message and in the causes of its error. */
    write(record: LogRecord) {
      if (!isShown(record.level, least)) return;
      const causes = least === 'debug' ? causesOf(record.error).map(hide) : [];
      lastMs = record.timeMs;
      const shown = record.showsSecrets ? record : { ...record, message: hide(record.message) };
      const text = formatted(shown, causes);
      if (logFile === undefined) print(text);
      else writeTo(logFile, text);
    },
    close: () => logFile?.close(),
  };
}

function plainFile(path: string): LogFile {
  const fd = openSync(path, 'a', 0o640);
  return { write: (bytes) => writeSync(fd, bytes), close: () => closeSync(fd) };
}

function openLogFile(
  path: string,
  openFile: (path: string) => LogFile,
  dropped: (lines: number) => Uint8Array,
): LogFile {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFIFO() !== true) return openFile(path);
    // No run waits for the reader of a pipe.
    const fd = openUnblocked(path, 0o640);
    const log = new UnblockedLog(fd, dropped);
    return {
      write: (bytes) => log.write(bytes),
      close() {
        log.flush();
        closeSync(fd);
      },
    };
  } catch (cause) {
    const why = `cannot open the log file ${path}: ${goErrno(cause)}`;
    throw new SyncerError('usage', why, { path, cause });
  }
}

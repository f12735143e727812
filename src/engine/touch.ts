import { SyncerError } from '../core/errors.ts';
import { joinModTime, type ModTime } from '../core/mod-time.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { changeEachFile, type EachFile } from './each-file.ts';
import type { Run } from './run.ts';

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d{1,9}))?$/;

/**
 * Reads the time of `touch --timestamp`: `171030`, `2006-01-02T15:04:05`, `2006-01-02T15:04:05.123456789`, in UTC,
 * with `isLocal` in local time. Years of two digits are 1969 to 2068, as in Go. Throws `usage` for other text.
 */
export function parseTouchTime(text: string, isLocal: boolean): ModTime {
  const short = /^(\d\d)(\d\d)(\d\d)$/.exec(text);
  if (short !== null) {
    const [year = 0, month = 0, day = 0] = short.slice(1).map(Number);
    const found = timeOf([year + (year < 69 ? 2000 : 1900), month, day, 0, 0, 0], isLocal);
    if (found !== undefined) return joinModTime(found, 0);
  }
  // rclone 1.60.1 recognises a date and time by its length alone.
  const long = text.length < 19 ? null : DATE_TIME.exec(text);
  if (long !== null) {
    const found = timeOf(long.slice(1, 7).map(Number), isLocal);
    if (found !== undefined) return joinModTime(found, Number((long[7] ?? '').padEnd(9, '0')));
  }
  throw new SyncerError(
    'usage',
    `not a time for --timestamp: "${text}" (examples: 171030, 2006-01-02T15:04:05, 2006-01-02T15:04:05.123456789)`,
  );
}

/** Seconds since the epoch; `undefined` for days and hours that do not exist. */
function timeOf(parts: readonly number[], isLocal: boolean): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (day < 1 || date.getUTCDate() !== day) return undefined;
  if (isLocal) {
    date.setFullYear(year, month - 1, day);
    date.setHours(hour, minute, second, 0);
  } else {
    date.setUTCHours(hour, minute, second, 0);
  }
  return date.getTime() / 1000;
}

/**
 * Sets the modification time of files, `width` in parallel; resolves to their number. Rejects with `unsupported` if
 * the remote cannot set times.
 */
export async function touchFiles(
  run: Run,
  remote: Remote,
  pages: AsyncIterable<readonly FileEntry[]> | Iterable<readonly FileEntry[]>,
  { modTime, width }: { readonly modTime: ModTime; readonly width: number },
): Promise<number> {
  const { setModTime } = remote.can;
  if (setModTime === undefined) {
    throw new SyncerError('unsupported', `${remote.title} can't set modification times`);
  }
  const how: EachFile = { width, action: 'touch', doing: 'touch' };
  return changeEachFile(run, pages, how, (file) => setModTime(file, modTime, run.op));
}

import {
  closeSync,
  createReadStream,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Clock } from '../../core/context.ts';
import { formatByGoLayout } from '../../go/format-by-go-layout.ts';
import { replaceFile } from '../../state/replace-file.ts';

/** A file that the log is written to. */
export interface LogFile {
  write(bytes: Uint8Array): void;
  close(): void;
}

/** The flags of log rotation. */
export interface Rotation {
  /** In bytes; at least 1 MiB counts. */
  readonly maxSize: number;
  /** 0: all. */
  readonly maxBackups: number;
  /** In milliseconds; 0: any age. */
  readonly maxAgeMs: number;
  readonly compress: boolean;
}

const LEAST_SIZE = 1024 ** 2;
const STAMP_LAYOUT = '2006-01-02T15-04-05.000';
const STAMP = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

/**
 * A log file that is renamed to `name-2026-11-22T10-15-30.123.log` before it exceeds its size. Old files that are too
 * many or too old are deleted, others compressed. Throws if the file cannot be opened.
 */
export function openRotatingFile(path: string, rotation: Rotation, clock: Clock): LogFile {
  const most = Math.max(LEAST_SIZE, rotation.maxSize);
  const extension = extname(path);
  const stem = basename(path, extension);
  let fd = openSync(path, 'a', 0o640);
  let { size } = fstatSync(fd);
  let compressing: Promise<void> = Promise.resolve();
  const closed = new AbortController();

  const backups = () =>
    readdirSync(dirname(path))
      .flatMap((name) => {
        const isCompressed = name.endsWith(`${extension}.gz`);
        const end = isCompressed ? `${extension}.gz` : extension;
        if (!name.startsWith(`${stem}-`) || !name.endsWith(end)) return [];
        const stamp = name.slice(stem.length + 1, name.length - end.length);
        return STAMP.test(stamp) ? [{ path: join(dirname(path), name), stamp, isCompressed }] : [];
      })
      .sort((a, b) => (a.stamp < b.stamp ? 1 : -1));

  const tidy = () => {
    const found = backups();
    const stamps = [...new Set(found.map(({ stamp }) => stamp))];
    for (const backup of found) {
      const isExtra =
        rotation.maxBackups > 0 && stamps.indexOf(backup.stamp) >= rotation.maxBackups;
      const local = backup.stamp.replace(STAMP, '$1$2:$3:$4');
      const ageMs = clock.now() - new Date(local).getTime();
      if (isExtra || (rotation.maxAgeMs > 0 && ageMs > rotation.maxAgeMs)) {
        rmSync(backup.path, { force: true });
      } else if (rotation.compress && !backup.isCompressed) {
        compressing = compressing
          .then(() => compress(backup.path, closed.signal))
          .catch(() => undefined);
      }
    }
  };

  const rotate = () => {
    const stamp = formatByGoLayout(clock.now(), STAMP_LAYOUT);
    const old = join(dirname(path), `${stem}-${stamp}${extension}`);
    // Another run may have renamed it, and a name of the same millisecond is never replaced.
    const [named, open] = [statSync(path, { throwIfNoEntry: false }), fstatSync(fd)];
    if (named !== undefined && named.ino === open.ino && named.dev === open.dev) {
      if (statSync(old, { throwIfNoEntry: false }) !== undefined) return;
      renameSync(path, old);
    }
    const next = openSync(path, 'a', fstatSync(fd).mode & 0o777);
    closeSync(fd);
    fd = next;
    size = fstatSync(fd).size;
    tidy();
  };

  ifPossible(tidy);
  return {
    write(bytes) {
      if (size > 0 && size + bytes.length > most) ifPossible(rotate);
      size += bytes.length;
      writeSync(fd, bytes);
    },
    close() {
      closed.abort();
      closeSync(fd);
    },
  };
}

/** A log that cannot be rotated grows. */
function ifPossible(change: () => void): void {
  try {
    change();
  } catch {}
}

/**
 * Compresses a file. A run that ends earlier leaves the file as it is; the next one compresses it.
 */
async function compress(path: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { mode } = statSync(path);
  const compressed = createGzip();
  const compressing = pipeline(createReadStream(path), compressed, { signal });
  const mayReplace = () => compressing.then(() => !signal.aborted);
  const replacing = replaceFile(`${path}.gz`, compressed, { mode, mayReplace, isLasting: false });
  replacing.catch(() => compressed.destroy());
  const [isDone] = await Promise.all([replacing, compressing]);
  if (isDone) rmSync(path, { force: true });
}

import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { createZstdCompress } from 'node:zlib';
import { leftFiles, replaceFile } from '../../src/state/replace-file.ts';
import { makeFolder } from '../../src/system/make-folder.ts';
import { bytesOf } from './scan-files.ts';

/** A scan in the cache directory. */
export interface KeptScan {
  readonly path: string;
  readonly timeMs: number;
}

/** Bytes that all kept scans may take together. */
const MOST_BYTES = 1024 ** 3;

/** Numbers of zstd: the constants of Node would load its compression at each start. */
const [LEVEL, WINDOW_LOG] = [100, 101] as const;

/** Windows of 256 KiB: exports become no larger than by the default level, which takes 4 MiB and half as long again. */
const COMPRESSION = { [LEVEL]: 1, [WINDOW_LOG]: 18 };

/** What even the smallest file takes. */
const LEAST_BYTES = 4096;

/** The scans of one path in the cache directory: files in ncdu's format, compressed, `<hash of the path>.<time>.json.zst`. */
export class KeptScans {
  readonly #folder: string;
  readonly #id: string;
  readonly #mostBytes: number;

  /** @param key what is scanned, with all that changes what is seen of it */
  constructor(folder: string, key: string, mostBytes = MOST_BYTES) {
    this.#folder = folder;
    this.#id = createHash('sha256').update(key).digest('hex').slice(0, 32);
    this.#mostBytes = mostBytes;
  }

  /** The scans of this path, newest first. */
  async list(): Promise<readonly KeptScan[]> {
    return (await this.#files()).filter(({ id }) => id === this.#id);
  }

  /**
   * Writes a scan, in slices between which others have their turn, and deletes those that are not worth their space.
   * Nothing is kept where `isValid` fails before the end. Rejects with errors of the file system.
   */
  async keep(
    timeMs: number,
    pieces: Iterable<string | Uint8Array>,
    isValid: () => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    await makeFolder(this.#folder, 0o700);
    const path = join(this.#folder, `${this.#id}.${timeMs}.json.zst`);
    const compressed = createZstdCompress({ params: COMPRESSION });
    const sliced = async function* () {
      for (const piece of pieces) {
        if (!isValid()) return;
        yield bytesOf(piece);
        await turn();
      }
    };
    const compressing = pipeline(sliced, compressed, { signal });
    const mayReplace = () => compressing.then(isValid);
    const replacing = replaceFile(path, compressed, { mayReplace, isLasting: false });
    // Whichever fails ends the other.
    replacing.catch(() => compressed.destroy());
    const [isKept] = await Promise.all([replacing, compressing]);
    if (isKept) await this.#thin(timeMs);
  }

  async #thin(nowMs: number): Promise<void> {
    const files = await this.#files();
    const own = files.filter(({ id }) => id === this.#id);
    const times = own.map(({ timeMs }) => timeMs);
    const worth = thinnedScans(times, nowMs);
    const unwanted = own.filter(({ timeMs }) => !worth.has(timeMs));
    let bytes = 0;
    for (const file of files.filter((one) => !unwanted.includes(one))) {
      const size = (await stat(file.path).catch(() => undefined))?.size ?? 0;
      bytes += Math.max(LEAST_BYTES, size);
      if (bytes > this.#mostBytes) unwanted.push(file);
    }
    for (const { path } of unwanted) await rm(path, { force: true });
    for (const path of leftFiles(this.#folder)) await rm(path, { force: true });
  }

  /** All kept scans, newest first, with the hash of what was scanned. */
  async #files(): Promise<readonly (KeptScan & { readonly id: string })[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const files = names.flatMap((name) => {
      const [, id, time] = /^([0-9a-f]{32})\.(\d+)\.json\.zst$/.exec(name) ?? [];
      if (id === undefined) return [];
      return [{ id, timeMs: Number(time), path: join(this.#folder, name) }];
    });
    return files.sort((a, b) => b.timeMs - a.timeMs);
  }
}

const DAY_MS = 86_400_000;

/** The ages around which a scan is kept, in days. */
const AGES = [1, 7, 30, 91] as const;

/**
 * Which of the scans of a path stay, by their times: the newest, and in each span between two ages the oldest, so that
 * one about a day, a week, a month and a quarter old is there if scans are made often enough. Those of a time to come
 * stay: one of the clocks was wrong.
 */
export function thinnedScans(times: readonly number[], nowMs: number): ReadonlySet<number> {
  const newestFirst = times.filter((time) => time <= nowMs).sort((a, b) => b - a);
  const kept = new Set([...newestFirst.slice(0, 1), ...times.filter((time) => time > nowMs)]);
  let from = 0;
  for (const days of AGES) {
    const oldest = newestFirst.findLast((time) => {
      const age = nowMs - time;
      return age >= from && age < days * DAY_MS;
    });
    if (oldest !== undefined) kept.add(oldest);
    from = days * DAY_MS;
  }
  const beyond = newestFirst.find((time) => nowMs - time >= from);
  if (beyond !== undefined) kept.add(beyond);
  return kept;
}

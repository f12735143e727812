import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { createZstdCompress } from 'node:zlib';
import { findCacheDir } from '../../src/config/config-path.ts';
import { drained } from '../../src/core/body.ts';
import type { Context } from '../../src/core/context.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Remote } from '../../src/core/remote.ts';
import { type Filter, passAllFilter } from '../../src/filter/filter.ts';
import { parseDuration } from '../../src/go/quantities.ts';
import { fileForDirectory } from '../../src/run/remotes/file-or-directory.ts';
import { requestsAtOnce } from '../../src/run/remotes/remote-flags.ts';
import type {
  CommandCall,
  Environment,
  Remotes,
  StandardInput,
} from '../../src/shell/command-line/command.ts';
import { cannotUse } from '../../src/shell/flags/exclusions.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { shownText } from '../../src/shell/log/shown-words.ts';
import { VERSION } from '../../src/shell/version.ts';
import type { OlderScan } from '../../src/size-tree/browser-effects.ts';
import { type ExportHeader, ncduEntries, ncduHead } from '../../src/size-tree/export-ncdu.ts';
import { ROOT } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { leftFiles, replaceFile } from '../../src/state/replace-file.ts';
import { rootOf } from '../../src/system/fs-path.ts';
import { makeFolder } from '../../src/system/make-folder.ts';
import type { NCDU_FLAGS } from './command.ts';
import { bytesOf, readScan, scanBytes } from './scan-files.ts';
import type { Scanned } from './scan-tree.ts';

/** How long a save may go on after the screen is closed until it is mentioned, in milliseconds. */
const UNNOTICED_MS = 200;

/** What the kept scans need. */
type ScanHistoryNeeds = CommandCall<typeof NCDU_FLAGS> & StandardInput;

/** The kept scans of what is browsed: opened, written in the background, and chosen from. */
export class ScanHistory {
  readonly #invocation: ScanHistoryNeeds;
  readonly #title: string;
  readonly #kept: KeptScans | undefined;
  readonly #ending = new AbortController();
  #saving: Promise<void> = Promise.resolve();
  #isSaving = false;
  /** When the scan that is shown was made; scans from then on are the same. */
  #timeMs = Number.POSITIVE_INFINITY;

  /** @param kept absent where scans are not kept, and for a scan from a file */
  constructor(invocation: ScanHistoryNeeds, title: string, kept?: KeptScans) {
    this.#invocation = invocation;
    this.#title = title;
    this.#kept = kept;
  }

  /** Whether scans are kept; never with `--no-scan-cache`. */
  get saves(): boolean {
    return this.#kept !== undefined && !this.#invocation.flags['no-scan-cache'];
  }

  async newest(): Promise<KeptScan | undefined> {
    return this.saves ? newestOf(this.#kept, this.#invocation.context) : undefined;
  }

  /** Reads a kept scan into an empty tree. */
  async open({ path }: KeptScan, tree: SizeTree, signal: AbortSignal): Promise<void> {
    await readScan(path, () => this.#invocation.input(), tree, signal);
  }

  /**
   * Begins to keep a scan if it is complete; it is given up if the tree changes before the end. `false` if it is not
   * kept.
   */
  save(tree: SizeTree, entries: AsyncIterable<Buffer> | Iterable<Buffer> = ncduEntries(tree)) {
    const { version } = tree;
    const isExact = tree.excluded.size === 0 && tree.unknown(ROOT) === 0;
    return this.saveText({
      // Of a directory that cannot be listed at all, the scan knows that.
      isCut: !tree.isWhole(ROOT) || [...tree.failures()].some(([dir]) => tree.childCount(dir) > 0),
      bytes: isExact ? tree.size(ROOT) : undefined,
      async *export(header) {
        yield ncduHead(tree, header);
        yield* entries;
      },
      isValid: () => tree.version === version,
    });
  }

  /** The same while `write` writes an export, whose entries are made once for both. Rejects as `write` does. */
  async saveBeside(
    tree: SizeTree,
    header: ExportHeader,
    write: (pieces: AsyncIterable<Buffer>) => Promise<void>,
  ): Promise<void> {
    const entries = ncduEntries(tree);
    const saved = new PassThrough({ objectMode: true });
    if (!this.save(tree, saved)) saved.destroy();
    // A save that has failed reads no more.
    void this.#saving.finally(() => saved.destroy());
    const pass = async (piece: Buffer) => {
      if (!saved.destroyed && !saved.write(piece)) await drained(saved);
    };
    const pieces = async function* () {
      yield ncduHead(tree, header);
      for (let next = entries.next(); next.done !== true; next = entries.next()) {
        await pass(next.value);
        yield next.value;
      }
    };
    try {
      await write(pieces());
    } finally {
      // What could not be written is saved all the same.
      for (const piece of saved.destroyed ? [] : entries) await pass(piece);
      saved.end();
    }
  }

  /** The same for a scan in ncdu's format. */
  saveText(scan: {
    /** A listing failed before its end. */
    readonly isCut: boolean;
    /** Of all files together, if that is known. */
    readonly bytes: number | undefined;
    export(
      header: ExportHeader,
    ): AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
    isValid(): boolean;
  }): boolean {
    const { context } = this.#invocation;
    const kept = this.#kept;
    const timeMs = context.clock.now();
    this.#timeMs = timeMs;
    if (kept === undefined || !this.saves || this.#isSaving || scan.isCut) return false;
    this.#isSaving = true;
    const { bytes } = scan;
    const header = { version: VERSION, timeMs, title: this.#title };
    const pieces = scan.export({ ...header, ...(bytes === undefined ? {} : { bytes }) });
    const signal = AbortSignal.any([this.#ending.signal, context.signal]);
    this.#saving = kept
      .keep(timeMs, pieces, scan.isValid, signal)
      .catch((thrown) => {
        if (signal.aborted) return;
        context.emit(logText('notice', `The scan was not saved: ${toSyncerError(thrown).message}`));
      })
      .finally(() => {
        this.#isSaving = false;
      });
    return true;
  }

  /** Waits until the scan is written, and says so if that takes long; `isHasty` gives it up. */
  async close(isHasty = false): Promise<void> {
    if (isHasty) this.#ending.abort(new Error('the browser was left'));
    const { context } = this.#invocation;
    const mention = setTimeout(
      () => context.emit(logText('notice', 'Saving the scan; --no-scan-cache saves none')),
      UNNOTICED_MS,
    );
    await this.#saving;
    clearTimeout(mention);
  }

  /**
   * The scan that `--diff` names, an age, a date or a file; without it the newest before the one that is shown.
   * `undefined` if none was kept; rejects with `other` where it cannot be read.
   */
  async older(signal: AbortSignal): Promise<OlderScan | undefined> {
    const { context, flags } = this.#invocation;
    const { diff } = flags;
    const nowMs = context.clock.now();
    const age = diff === undefined ? 0 : ageOf(diff, nowMs);
    const stdin = () => this.#invocation.input();
    if (age === undefined) return readScan(diff as string, stdin, undefined, signal);
    const all = (await this.#kept?.list()) ?? [];
    const distance = ({ timeMs }: KeptScan) => Math.abs(nowMs - age - timeMs);
    const [nearest] = all
      .filter(({ timeMs }) => timeMs < this.#timeMs)
      .sort((a, b) => distance(a) - distance(b));
    if (nearest === undefined) return undefined;
    const { tree } = await readScan(nearest.path, stdin, undefined, signal);
    return { tree, timeMs: nearest.timeMs };
  }
}

/** What is scanned, with its scans of before. */
export interface Opened extends Scanned {
  readonly history: ScanHistory;
}

/** The paths to scan; `undefined` with `--import`. Throws `usage` where flags or arguments do not fit. */
export function scannedSpecs({ flags, args, context }: CommandCall<typeof NCDU_FLAGS>) {
  const { import: imported, diff } = flags;
  const isImported = imported !== undefined;
  if (isImported && args.length > 0) throw cannotUse('--import', 'a path', 'the file has its own');
  if (!isImported && args.length === 0)
    throw new SyncerError('usage', 'give a path to browse: remote:path');
  const isKnown = diff === undefined || ageOf(diff, context.clock.now()) !== undefined;
  if (!isKnown && !existsSync(diff)) {
    const forms = 'an age such as 30d, a date such as 2026-01-31, or the file of a scan';
    throw new SyncerError('usage', `--diff: "${diff}" is not ${forms}`);
  }
  return isImported ? undefined : args;
}

export const absolute = (spec: string): string =>
  spec === '' || spec === '.' ? resolve('.') : spec;

/** Opens what is to be browsed. Rejects with `not-a-directory` where it is a file. */
export async function openScanned(
  invocation: ScanHistoryNeeds & Environment & Remotes,
  spec: string,
  tree: SizeTree,
  signal: AbortSignal = invocation.context.signal,
): Promise<Opened> {
  const [{ remote, file }, filter] = await Promise.all([
    invocation.remotes.openPath(spec, undefined, { signal }),
    invocation.filter(),
  ]);
  if (file !== undefined) throw fileForDirectory(spec);
  const { flags } = invocation;
  const isAll = flags['ncdu-all'];
  if (isAll && remote.can.listKept === undefined) {
    throw new SyncerError('usage', `--all needs an S3 remote: ${remote.title} has no old versions`);
  }
  const isFast = flags['fast-list'] && !isAll && remote.can.listDirs !== undefined;
  // The format of saved scans does not tell old versions from current objects.
  const kept = isAll ? undefined : keptScansOf(invocation, remote, filter);
  const history = new ScanHistory(invocation, shownText(absolute(spec)), kept);
  return { remote, filter, atOnce: requestsAtOnce(flags, remote), tree, history, isAll, isFast };
}

/** Reads the scan that `--import` names. */
export async function readImported(invocation: ScanHistoryNeeds) {
  const scan = await readScan(invocation.flags.import ?? '', () => invocation.input());
  const title = shownText(scan.title);
  return { tree: scan.tree, title, history: new ScanHistory(invocation, title) };
}

async function newestOf(
  kept: KeptScans | undefined,
  context: Context,
): Promise<KeptScan | undefined> {
  const nowMs = context.clock.now();
  // Where the clock was set back, a scan may be of a time to come.
  return (await kept?.list())?.find(({ timeMs }) => timeMs <= nowMs);
}

/** The bytes of all files in the newest kept scan of a remote; `undefined` if there is none. */
export async function scannedSize(
  invocation: CommandCall & Environment,
  remote: Remote,
): Promise<{ readonly used: number; readonly measuredMs: number } | undefined> {
  const newest = await newestOf(keptScansOf(invocation, remote, passAllFilter), invocation.context);
  const used = newest && (await scanBytes(newest.path));
  return used === undefined ? undefined : { used, measuredMs: newest?.timeMs ?? 0 };
}

/** The age that `--diff` names, in milliseconds; `undefined` if it names a file. */
function ageOf(diff: string, nowMs: number): number | undefined {
  try {
    return parseDuration(diff, nowMs);
  } catch {
    return undefined;
  }
}

/** Where the scans of a remote are kept; `undefined` with filter rules, without a home, and for remotes in memory. */
function keptScansOf(
  { env, flags }: CommandCall & Environment,
  remote: Remote,
  filter: Filter,
): KeptScans | undefined {
  const cache = findCacheDir(env, flags['cache-dir']);
  const { name, storeId, traits } = remote;
  if (cache === undefined || !filter.passesAll || traits.inProcess === true) return undefined;
  const { 'copy-links': copyLinks, links, 'one-file-system': oneFileSystem } = flags;
  const ways = traits.onDisk ? [copyLinks, links, oneFileSystem] : [];
  // What is scanned, and all that changes what is seen of it.
  const key = JSON.stringify([name, storeId, rootOf(remote), ...ways]);
  return new KeptScans(join(cache, 'ncdu'), key);
}

/** A scan in the cache directory. */
interface KeptScan {
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
    pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
    isValid: () => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    await makeFolder(this.#folder, 0o700);
    const path = join(this.#folder, `${this.#id}.${timeMs}.json.zst`);
    const compressed = createZstdCompress({ params: COMPRESSION });
    const sliced = async function* () {
      for await (const piece of pieces) {
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
    // Both have ended then: nothing is left beside the scans.
    await Promise.allSettled([replacing, compressing]);
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

import { join } from 'node:path';
import { findCacheDir } from '../../src/config/config-path.ts';
import { toSyncerError } from '../../src/core/errors.ts';
import type { Remote } from '../../src/core/remote.ts';
import { type Filter, passAllFilter } from '../../src/filter/filter.ts';
import { parseDuration } from '../../src/go/quantities.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { VERSION } from '../../src/shell/version.ts';
import type { OlderScan } from '../../src/size-tree/browser-effects.ts';
import { type ExportHeader, exportNcdu } from '../../src/size-tree/export-ncdu.ts';
import { ROOT } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { rootOf } from '../../src/system/real-path.ts';
import type { NCDU_FLAGS } from './command.ts';
import { type KeptScan, KeptScans } from './kept-scans.ts';
import { readScan, scanBytes } from './scan-files.ts';

/** How long a save may go on after the screen is closed until it is mentioned, in milliseconds. */
const UNNOTICED_MS = 200;

/** The kept scans of what is browsed: opened, written in the background, and chosen from. */
export class ScanHistory {
  readonly #invocation: Invocation<typeof NCDU_FLAGS>;
  readonly #title: string;
  readonly #kept: KeptScans | undefined;
  readonly #ending = new AbortController();
  #saving: Promise<void> = Promise.resolve();
  #isSaving = false;
  /** When the scan that is shown was made; scans from then on are the same. */
  #timeMs = Number.POSITIVE_INFINITY;

  /** @param kept absent where scans are not kept, and for a scan from a file */
  constructor(invocation: Invocation<typeof NCDU_FLAGS>, title: string, kept?: KeptScans) {
    this.#invocation = invocation;
    this.#title = title;
    this.#kept = kept;
  }

  /** Whether scans are kept; never with `--no-scan-cache`. */
  get saves(): boolean {
    return this.#kept !== undefined && !this.#invocation.flags['no-scan-cache'];
  }

  async newest(): Promise<KeptScan | undefined> {
    return this.saves ? newestOf(this.#kept, this.#invocation) : undefined;
  }

  /** Reads a kept scan into an empty tree. */
  async open({ path }: KeptScan, tree: SizeTree, signal: AbortSignal): Promise<void> {
    await readScan(path, () => this.#invocation.input(), tree, signal);
  }

  /** Begins to keep a scan if it is complete; it is given up if the tree changes before the end. */
  save(tree: SizeTree): void {
    const { version } = tree;
    const isExact = tree.excluded.size === 0 && tree.unknown(ROOT) === 0;
    this.saveText({
      // Of a directory that cannot be listed at all, the scan knows that.
      isCut: !tree.isWhole(ROOT) || [...tree.failures()].some(([dir]) => tree.childCount(dir) > 0),
      bytes: isExact ? tree.size(ROOT) : undefined,
      export: (header) => exportNcdu(tree, header),
      isValid: () => tree.version === version,
    });
  }

  /** The same for a scan in ncdu's format. */
  saveText(scan: {
    /** A listing failed before its end. */
    readonly isCut: boolean;
    /** Of all files together, if that is known. */
    readonly bytes: number | undefined;
    export(header: ExportHeader): Generator<string | Uint8Array>;
    isValid(): boolean;
  }): void {
    const { context } = this.#invocation;
    const kept = this.#kept;
    const timeMs = context.clock.now();
    this.#timeMs = timeMs;
    if (kept === undefined || !this.saves || this.#isSaving || scan.isCut) return;
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

async function newestOf(
  kept: KeptScans | undefined,
  { context }: Invocation,
): Promise<KeptScan | undefined> {
  const nowMs = context.clock.now();
  // Where the clock was set back, a scan may be of a time to come.
  return (await kept?.list())?.find(({ timeMs }) => timeMs <= nowMs);
}

/** The bytes of all files in the newest kept scan of a remote; `undefined` if there is none. */
export async function scannedSize(
  invocation: Invocation,
  remote: Remote,
): Promise<{ readonly used: number; readonly measuredMs: number } | undefined> {
  const newest = await newestOf(keptScansOf(invocation, remote, passAllFilter), invocation);
  const used = newest && (await scanBytes(newest.path));
  return used === undefined ? undefined : { used, measuredMs: newest?.timeMs ?? 0 };
}

/** The age that `--diff` names, in milliseconds; `undefined` if it names a file. */
export function ageOf(diff: string, nowMs: number): number | undefined {
  try {
    return parseDuration(diff, nowMs);
  } catch {
    return undefined;
  }
}

/** Where the scans of a remote are kept; `undefined` with filter rules, without a home, and for remotes in memory. */
export function keptScansOf(
  { env, flags }: Invocation,
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

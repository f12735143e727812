import fs from 'node:fs';
import { join } from 'node:path';
import type { Watching, WatchPlan } from '../../core/changes.ts';
import { SyncerError } from '../../core/errors.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import type { Op } from '../../core/remote.ts';
import { joinPath, parentPath } from '../../core/remote-path.ts';
import { isPartialName } from '../../names/partial-name.ts';
import { fsPath } from '../../system/fs-path.ts';
import { fsError } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';

/** How many events Linux keeps for a process at least, unless it says otherwise; it drops what comes on top. */
const KEPT_EVENTS = 16_384;
/** The type of an overlay: when something in a directory of it changes first, that gets another time of birth. */
const OVERLAY = 0x79_4c_76_30;

/** Watches directories, by an inotify watch each, until the abort. Rejects with `directory-not-found`, `no-retry`. */
export async function watchDirs(disk: LocalDisk, plan: WatchPlan, op: Op): Promise<Watching> {
  const watcher = new DirWatcher(disk, plan, op.signal);
  op.signal.addEventListener('abort', () => watcher.close(), { once: true });
  await watcher.add('');
  return { dirs: watcher.size, assertSameRoot: () => watcher.assertSameRoot() };
}

class DirWatcher {
  readonly #disk: LocalDisk;
  readonly #plan: WatchPlan;
  readonly #signal: AbortSignal;
  readonly #watched = new Map<string, fs.FSWatcher>();
  /** Directories in each directory above a watched one. */
  readonly #below = new Map<string, Set<string>>();
  readonly #root: fs.BigIntStats | undefined;
  readonly #mostEvents = keptEvents() / 2;
  #events = 0;
  #lastEventMs = 0;

  constructor(disk: LocalDisk, plan: WatchPlan, signal: AbortSignal) {
    this.#disk = disk;
    this.#plan = plan;
    this.#signal = signal;
    this.#root = this.#look(disk.settings.root);
  }

  get size(): number {
    return this.#watched.size;
  }

  close(): void {
    for (const watcher of this.#watched.values()) watcher.close();
    this.#watched.clear();
    this.#below.clear();
  }

  assertSameRoot(): void {
    if (this.#isSameRoot()) return;
    const message = 'the root is another directory now: was it unmounted or replaced?';
    throw new SyncerError('fatal', `${this.#disk.title}: ${message}`);
  }

  /** A new directory often gets the number of one that was removed, but not its time of birth. */
  #isSameRoot(): boolean {
    const [was, is] = [this.#root, this.#look(this.#disk.settings.root)];
    if (is?.dev !== was?.dev || is?.ino !== was?.ino) return false;
    if (is?.birthtimeNs === was?.birthtimeNs) return true;
    try {
      return fs.statfsSync(fsPath(this.#disk.settings.root)).type === OVERLAY;
    } catch {
      return false;
    }
  }

  /** Watches the directory and all below it. What vanishes during that is left out. */
  async add(dir: string): Promise<void> {
    const waiting = [dir];
    for (let done = 1; ; done++) {
      const next = waiting.pop();
      if (next === undefined) return;
      if (done % 200 === 0) await new Promise(setImmediate);
      this.#signal.throwIfAborted();
      try {
        // First the watch, then the entries: what is created in between is in one of them.
        this.#watch(next);
        const native = this.#disk.dirPathOf(next);
        const how = { withFileTypes: true, encoding: 'buffer' } as const;
        for (const entry of fs.readdirSync(fsPath(native), how)) {
          const name = nameFromBytes(entry.name);
          const isDir =
            entry.isDirectory() || (entry.isSymbolicLink() && this.#isDir(join(native, name)));
          const path = joinPath(next, this.#disk.nameOf(name));
          if (isDir && this.#plan.keepDir(path)) waiting.push(path);
        }
      } catch (thrown) {
        this.#drop(next);
        if (next === '' || isLimit(thrown)) throw this.#failed(thrown, next);
      }
    }
  }

  #watch(dir: string): void {
    const earlier = this.#watched.get(dir);
    if (earlier !== undefined) this.#end(earlier);
    const path = fsPath(this.#disk.dirPathOf(dir));
    const watcher = fs.watch(path, 'buffer', (event, name) => {
      if (this.#watched.get(dir) === watcher) this.#onEvent(dir, event, name);
      else this.#countEvent();
    });
    watcher.on('error', (error) => this.#lost(dir, error));
    this.#watched.set(dir, watcher);
    for (let at = dir; at !== ''; at = parentPath(at)) {
      const siblings = this.#below.get(parentPath(at)) ?? new Set();
      if (siblings.has(at)) break;
      this.#below.set(parentPath(at), siblings.add(at));
    }
  }

  #isDir(native: string): boolean {
    return this.#look(native)?.isDirectory() === true;
  }

  /** What may not be looked at is not there. When that changes, the directory above has an event of it. */
  #look(native: string): fs.BigIntStats | undefined {
    try {
      return this.#disk.look(native);
    } catch {
      return undefined;
    }
  }

  #onEvent(dir: string, event: string, name: Buffer | null): void {
    if (this.#signal.aborted) return;
    const native = name === null ? '' : nameFromBytes(name);
    if (native === '' || !this.#isSameRoot()) this.#plan.onLost();
    else this.#countEvent();
    if (this.#signal.aborted) return;
    // No listing has it: a file that is being written, or by which a run tries whether two places are one.
    if (isPartialName(native)) return;
    this.#plan.onChange(dir, false);
    if (event !== 'rename') return;
    const path = joinPath(dir, this.#disk.nameOf(native));
    const wasDir = this.#watched.has(path);
    const isDir = this.#isDir(join(this.#disk.dirPathOf(dir), native));
    if (wasDir) this.#drop(path);
    if (!wasDir && !isDir) return;
    if (!this.#plan.keepDir(path)) return;
    this.#plan.onChange(path, true);
    if (!isDir) return;
    // Many take a while: a run may have looked at some of them before they were watched.
    this.add(path).then(
      () => this.#plan.onChange(path, true),
      (thrown) => this.#lost(path, thrown),
    );
  }

  /** Events may come so fast that the system drops some; Node does not report that. */
  #countEvent(): void {
    if (this.#signal.aborted) return;
    const nowMs = performance.now();
    // Those with shorter pauses may have waited together.
    if (nowMs - this.#lastEventMs > 1000) this.#events = 0;
    this.#lastEventMs = nowMs;
    if (++this.#events > this.#mostEvents) this.#plan.onLost();
  }

  /** Watches the directory and all below it no longer. */
  #drop(dir: string): void {
    this.#below.get(parentPath(dir))?.delete(dir);
    const doomed = [dir];
    for (let next = doomed.pop(); next !== undefined; next = doomed.pop()) {
      for (const below of this.#below.get(next) ?? []) doomed.push(below);
      this.#below.delete(next);
      const watcher = this.#watched.get(next);
      if (watcher === undefined) continue;
      this.#watched.delete(next);
      this.#end(watcher);
    }
  }

  /** Ends a watch when its waiting events have been counted; its end is one more. */
  #end(watcher: fs.FSWatcher): void {
    setImmediate(() => {
      watcher.close();
      this.#countEvent();
    });
  }

  #lost(dir: string, thrown: unknown): void {
    if (!this.#signal.aborted) this.#plan.onLost(this.#failed(thrown, dir));
  }

  #failed(thrown: unknown, path: string): SyncerError {
    if (!isLimit(thrown))
      return thrown instanceof SyncerError
        ? thrown
        : fsError(thrown, 'watch', this.#disk.dirPathOf(path));
    const many = `after ${this.#watched.size} directories`;
    const message = `cannot watch ${path}: the system allows no more watches (${many})`;
    const advice = 'raise the limit: sysctl fs.inotify.max_user_watches=1048576';
    return new SyncerError('no-retry', message, { path, advice, cause: thrown });
  }
}

function keptEvents(): number {
  try {
    const text = fs.readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8');
    return Number(text) || KEPT_EVENTS;
  } catch {
    return KEPT_EVENTS;
  }
}

function isLimit(thrown: unknown): boolean {
  return ['ENOSPC', 'EMFILE'].includes((thrown as NodeJS.ErrnoException).code ?? '');
}

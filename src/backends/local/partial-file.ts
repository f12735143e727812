import fs from 'node:fs';
import type { Context } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { OWN_NAMES } from '../../core/own-names.ts';
import type { Op } from '../../core/remote.ts';
import { isKeptPartial, isPartialName, isStale } from '../../names/partial-name.ts';
import { fsPath } from '../../system/fs-path.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import { parentOf } from './local-entry.ts';

/** Calls `make`, which creates the file at a temporary path; creates a missing directory first. */
export function withParents<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    if (!isFsError(thrown, 'ENOENT')) throw thrown;
    makeDirs(parentOf(path));
    return make();
  }
}

/** The names in a directory. Throws as `fs` does. */
export function namesIn(dir: string): string[] {
  return fs.readdirSync(fsPath(dir), 'buffer').map(nameFromBytes);
}

/** Creates a directory with its parents, where Node's own `mkdir` may never end (`/proc`). Throws `not-a-directory`. */
export function makeDirs(path: string, isAgain = false): void {
  try {
    // What is kept there may have been in a directory that others cannot read.
    const isTrash = path.endsWith(`/${OWN_NAMES.trash}`);
    fs.mkdirSync(fsPath(path), isTrash ? 0o700 : undefined);
  } catch (thrown) {
    if (isFsError(thrown, 'ENOENT') && !isAgain && parentOf(path) !== path) {
      makeDirs(parentOf(path));
      makeDirs(path, true);
      return;
    }
    if (!isFsError(thrown, 'EEXIST')) throw fsError(thrown, 'mkdir', path);
    // A link without a target exists, but is no directory.
    if (fs.statSync(fsPath(path), { throwIfNoEntry: false })?.isDirectory() === true) return;
    const message = `mkdir ${showPath(path)}: not a directory`;
    throw new SyncerError('not-a-directory', message, { path, cause: thrown });
  }
}

/** Deletes a temporary file; if that fails, it is left to `cleanUp`. */
export function discard(path: string): void {
  try {
    fs.unlinkSync(fsPath(path));
  } catch {
    // The error that led here is the one to report.
  }
}

/** This number of directories, listed or written to lately, is not searched again: more than wait for a transfer. */
const REMEMBERED = 16_384;

/**
 * Deletes temporary files of processes that have ended (`kill -9`, a crash) in the directories that this run lists,
 * once it changes something, and in those it writes to. A run that only reads deletes nothing.
 */
export class PartialSweeper {
  readonly #context: Pick<Context, 'emit'>;
  #found: string[] = [];
  #changes = false;
  #searched = new Set<string>();
  #searchedBefore = new Set<string>();
  /** Directories that did not exist: all below them are of this run. */
  #missing = new Set<string>();

  constructor(context: Pick<Context, 'emit'>) {
    this.#context = context;
  }

  /** A directory was listed: `found` has got its temporary files. */
  listed(dir: string): void {
    if (this.#searched.size >= REMEMBERED) {
      this.#searchedBefore = this.#searched;
      this.#searched = new Set();
    }
    this.#searched.add(dir);
  }

  /** A listing found a temporary file of any process. */
  found(path: string): void {
    if (this.#changes) this.#remove(path);
    else this.#found.push(path);
  }

  changing(): void {
    if (this.#changes) return;
    this.#changes = true;
    for (const path of this.#found.splice(0)) this.#remove(path);
  }

  /** A file is about to be written in a directory, which may be missing. */
  writing(dir: string): void {
    this.changing();
    if (this.#searched.has(dir) || this.#searchedBefore.has(dir)) return;
    if (this.#missing.size > 0) {
      for (let above = dir; above.length > 1; above = parentOf(above))
        if (this.#missing.has(above)) return;
    }
    this.listed(dir);
    let names: readonly string[];
    try {
      names = namesIn(dir);
    } catch (thrown) {
      if (!isFsError(thrown, 'ENOENT')) return;
      let top = dir;
      while (top.length > 1 && !fs.existsSync(fsPath(parentOf(top)))) top = parentOf(top);
      if (this.#missing.size >= REMEMBERED) this.#missing.clear();
      this.#missing.add(top);
      return;
    }
    for (const name of names) if (isPartialName(name)) this.#remove(`${dir}/${name}`);
  }

  /** Deletes a temporary file if no process can be writing it. */
  #remove(path: string): void {
    if (!isStale(path) || isKeptPartial(path)) return;
    discard(path);
    const about = { path: showPath(path), code: 'partial-deleted' } as const;
    this.#context.emit({ type: 'log', level: 'info', ...about });
  }
}

/** Permissions, without special bits, and owner of the file at `target`. Throws as `fs` does, and `not-a-file`. */
export function replacedFile(
  target: string,
  keepsLinks: boolean,
): Pick<fs.Stats, 'mode' | 'uid' | 'gid'> | undefined {
  const stats = fs.lstatSync(fsPath(target), { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  refuseDevice(target, stats, keepsLinks);
  if (!stats.isFile()) return undefined;
  return { mode: stats.mode & 0o777, uid: stats.uid, gid: stats.gid };
}

/** Throws `not-a-file` for a pipe, socket or device, or a link to one: a file must not replace `/dev/null`. */
export function refuseDevice(target: string, stats: fs.Stats, keepsLinks: boolean): void {
  let meant = stats;
  if (stats.isSymbolicLink()) {
    if (keepsLinks) return;
    try {
      meant = fs.statSync(fsPath(target));
    } catch {
      return;
    }
  }
  if (meant.isFile() || meant.isDirectory()) return;
  throw new SyncerError('not-a-file', `open ${showPath(target)}: is a pipe, socket or device`, {
    path: target,
    advice: 'choose another name, or delete it first',
  });
}

/** The mode of a new file, before the umask: only who may read the replaced one may; its owner if `isPrivate`. */
export function firstMode(target: string, isPrivate: boolean, { change }: Op): number {
  if (isPrivate) return 0o600;
  if (change?.replaces === 'nothing') return 0o666;
  try {
    return 0o600 | (0o666 & (replacedFile(target, true)?.mode ?? 0o666));
  } catch {
    // An error of the path is reported by the final rename.
    return 0o600;
  }
}

/** Sets the permissions of a new file, if the disk can: what was copied does not fail for them. */
export function giveMode(native: string, mode: number): void {
  try {
    fs.chmodSync(fsPath(native), mode);
  } catch {
    // The content counts more.
  }
}

/** Gives a file, or a link itself, an owner if permitted. */
export function giveTo(native: string, { uid, gid }: Pick<fs.Stats, 'uid' | 'gid'>): void {
  try {
    fs.lchownSync(fsPath(native), uid, gid);
  } catch {
    // Only root may change owners: this file belongs to its writer.
  }
}

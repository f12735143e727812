import fs from 'node:fs';
import type { Context } from '../../core/context.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { isFsError, showPath } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import { discard, parentOf } from './partial-file.ts';
import { isKeptPartial, isPartialName, isStale } from './partial-name.ts';

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
    if (this.#searched.has(dir) || this.#searchedBefore.has(dir) || this.#isNew(dir)) return;
    this.listed(dir);
    for (const name of this.#namesIn(dir)) if (isPartialName(name)) this.#remove(`${dir}/${name}`);
  }

  #isNew(dir: string): boolean {
    if (this.#missing.size === 0) return false;
    for (let above = dir; above.length > 1; above = parentOf(above))
      if (this.#missing.has(above)) return true;
    return false;
  }

  #namesIn(dir: string): string[] {
    try {
      return fs.readdirSync(fsPath(dir), 'buffer').map(nameFromBytes);
    } catch (thrown) {
      if (isFsError(thrown, 'ENOENT')) this.#addMissing(dir);
      return [];
    }
  }

  #addMissing(dir: string): void {
    let top = dir;
    while (top.length > 1 && !fs.existsSync(fsPath(parentOf(top)))) top = parentOf(top);
    if (this.#missing.size >= REMEMBERED) this.#missing.clear();
    this.#missing.add(top);
  }

  /** Deletes a temporary file if no process can be writing it. */
  #remove(path: string): void {
    if (!isStale(path) || isKeptPartial(path)) return;
    discard(path);
    const about = { path: showPath(path), code: 'partial-deleted' } as const;
    this.#context.emit({ type: 'log', level: 'info', ...about });
  }
}

import fs from 'node:fs';
import type { Context } from '../../core/context.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { leafName } from '../../core/remote-path.ts';
import { ownerState } from '../../kit/owner-state.ts';
import { isFsError, showPath } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import { discard, isPartialName, markOf } from './partial-file.ts';

/** How many recently written directories are not searched again. */
const REMEMBERED = 64;

/**
 * Deletes temporary files of processes that have ended (`kill -9`, a crash) in the directories that this run lists,
 * once it changes something; if it lists none, in those it writes to. A run that only reads deletes nothing.
 */
export class PartialSweeper {
  readonly #context: Pick<Context, 'emit'>;
  #found: string[] = [];
  #changes = false;
  #lists = false;
  #swept = new Set<string>();

  constructor(context: Pick<Context, 'emit'>) {
    this.#context = context;
  }

  listed(): void {
    this.#lists = true;
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
    if (this.#lists || this.#swept.has(dir)) return;
    if (this.#swept.size >= REMEMBERED) this.#swept.clear();
    this.#swept.add(dir);
    for (const name of namesIn(dir)) if (isPartialName(name)) this.#remove(`${dir}/${name}`);
  }

  #remove(path: string): void {
    if (!deleteIfStale(path)) return;
    const about = { path: showPath(path), code: 'partial-deleted' } as const;
    this.#context.emit({ type: 'log', level: 'info', ...about });
  }
}

function namesIn(dir: string): string[] {
  try {
    return fs.readdirSync(fsPath(dir), 'buffer').map(nameFromBytes);
  } catch {
    return [];
  }
}

/** A temporary file unchanged for this time is no longer written, in milliseconds. */
const OLD = 24 * 3_600_000;

/** Deletes a temporary file if no process can be writing it; returns whether it did. */
function deleteIfStale(path: string): boolean {
  if (!isStale(path)) return false;
  discard(path);
  return true;
}

/** Whether no process can still be writing a temporary file. For other machines only the file's age decides. */
export function isStale(path: string, ageMs: number = OLD): boolean {
  const state = ownerState(markOf(leafName(path)));
  return state === 'dead' || (state === 'elsewhere' && isOld(path, ageMs));
}

/** By the time of the last change of any kind: the modification time may already be that of the source. */
function isOld(path: string, ageMs: number): boolean {
  try {
    return Date.now() - fs.lstatSync(fsPath(path)).ctimeMs >= ageMs;
  } catch (thrown) {
    if (isFsError(thrown, 'ENOENT')) return false;
    throw thrown;
  }
}

import fs from 'node:fs';
import type { Context } from '../../core/context.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { showPath } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import { isPartialName } from './partial-file.ts';
import { removeIfStale } from './stale-partial.ts';

/** How many of the directories that were written to last are not looked through again. */
const REMEMBERED = 64;

/**
 * Removes temporary files that processes left which are no more (`kill -9`, a crash), where this run comes across them:
 * in the directories it lists, once it has begun to change something there; where it lists nothing, in the
 * directories it writes files to. A run that only reads removes nothing.
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

  /** A directory was listed. */
  listed(): void {
    this.#lists = true;
  }

  /** A listing came across a temporary file, of whomever. */
  found(path: string): void {
    if (this.#changes) this.#remove(path);
    else this.#found.push(path);
  }

  /** Something is about to be changed. */
  changing(): void {
    if (this.#changes) return;
    this.#changes = true;
    for (const path of this.#found.splice(0)) this.#remove(path);
  }

  /** A file is about to be written in a directory, which need not exist. */
  writing(dir: string): void {
    this.changing();
    if (this.#lists || this.#swept.has(dir)) return;
    if (this.#swept.size >= REMEMBERED) this.#swept.clear();
    this.#swept.add(dir);
    for (const name of namesIn(dir)) if (isPartialName(name)) this.#remove(`${dir}/${name}`);
  }

  #remove(path: string): void {
    if (!removeIfStale(path)) return;
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

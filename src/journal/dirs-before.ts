import type { ModTime } from '../core/mod-time.ts';
import type { Entry, Op, Page, Remote } from '../core/remote.ts';
import { parentPath } from '../core/remote-path.ts';

/**
 * The directories of a remote that existed before the run changed it, as far as its listings showed: undo deletes what
 * the run created, and restores times. Remotes without real directories have none.
 */
export class DirsBefore {
  readonly #remote: Remote;
  /** With the time before the run, if a listing had it. */
  readonly #times = new Map<string, ModTime | undefined>();
  /** Listed to the end: a directory that is missing here does not exist. */
  readonly #listed = new Set<string>();
  readonly #looking = new Map<string, Promise<readonly string[]>>();

  constructor(remote: Remote) {
    this.#remote = remote;
  }

  /** Learns a page of a listing. */
  learn(dir: string, { entries, cursor }: Page): void {
    this.#add(dir, undefined);
    for (const entry of entries) this.see(entry);
    if (cursor === undefined) this.#listed.add(dir);
  }

  /** Learns an entry that exists. */
  see(entry: Entry): void {
    if (entry.kind === 'dir') this.#add(entry.path, entry.modTime);
  }

  /** The time that a directory had before the run. */
  timeOf(dir: string): ModTime | undefined {
    return this.#times.get(dir);
  }

  /** Forgets a directory that is deleted or moved, with all below it. */
  forget(dir: string): void {
    for (const known of [...this.#times.keys()]) {
      if (known === dir || dir === '' || known.startsWith(`${dir}/`)) this.#times.delete(known);
    }
    for (const listed of [...this.#listed]) {
      if (listed === dir || dir === '' || listed.startsWith(`${dir}/`)) this.#listed.delete(listed);
    }
  }

  /**
   * The directories that have to be created for an entry of `dir`, parents first; `undefined` if there are none. From
   * then on they count as existing.
   */
  missing(dir: string, op: Op): Promise<readonly string[]> | undefined {
    if (this.#times.has(dir)) return undefined;
    const looking = this.#looking.get(dir);
    if (looking !== undefined) return looking.then(() => []);
    const found = this.#lookFor(dir, op);
    this.#looking.set(dir, found);
    return found.finally(() => this.#looking.delete(dir));
  }

  async #lookFor(dir: string, op: Op): Promise<readonly string[]> {
    const parent = parentPath(dir);
    if (!(dir !== '' && this.#listed.has(parent)) && (await this.#exists(dir, op))) {
      this.#add(dir, undefined);
      return [];
    }
    const above = dir === '' ? [] : await (this.missing(parent, op) ?? []);
    this.#add(dir, undefined);
    this.#listed.add(dir);
    return [...above, dir];
  }

  async #exists(dir: string, op: Op): Promise<boolean> {
    return (await this.#remote.stat(dir, op))?.kind === 'dir';
  }

  #add(dir: string, time: ModTime | undefined): void {
    if (!this.#times.has(dir) || time !== undefined) this.#times.set(dir, time);
  }
}

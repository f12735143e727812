import type { Metadata } from '../../core/entry-details.ts';
import type { ModTime } from '../../core/mod-time.ts';
import { isTrashDir } from '../../core/own-names.ts';
import type { Entry, Op, Page, Remote } from '../../core/remote.ts';
import { isWithin, parentPath } from '../../core/remote-path.ts';

/** Notes what a directory was before the run. */
type NoteDir = (dir: string, known: { modTime?: ModTime; metadata?: Metadata }) => void;

/** A directory that is created, and the number of its note. */
export interface MadeDir {
  readonly dir: string;
  readonly n: number;
}

/**
 * The directories of a remote that existed before the run changed it, as far as its listings showed: undo deletes what
 * the run created, and restores times. Remotes without real directories have none.
 */
export class DirsBefore {
  readonly #remote: Remote;
  readonly #note: NoteDir;
  /** With the time before the run, if a listing had it. */
  readonly #times = new Map<string, ModTime | undefined>();
  /** Listed to the end: a directory that is missing here does not exist. */
  readonly #listed = new Set<string>();
  readonly #looking = new Map<string, Promise<readonly MadeDir[]>>();
  /** Their time is noted, or unknown, or they are of the run. */
  readonly #touched = new Set<string>();
  /** As `#touched`, of their metadata. */
  readonly #described = new Set<string>();
  /** The run has created them. */
  readonly #made = new Set<string>();
  readonly #touching = new Map<string, Promise<void>>();

  /** @param note called with the time of a directory before its first change, and with metadata before they change */
  constructor(remote: Remote, note: NoteDir) {
    this.#remote = remote;
    this.#note = note;
  }

  learn(dir: string, { entries, cursor }: Page): void {
    this.#add(dir, undefined);
    for (let at = 0; at < entries.length; at++) this.see(entries[at] as Entry);
    if (cursor === undefined) this.#listed.add(dir);
  }

  /** Learns an entry that exists. */
  see(entry: Entry): void {
    if (entry.kind === 'dir') this.#add(entry.path, entry.modTime);
  }

  /** Forgets a directory that is deleted, and was empty. */
  forgetEmpty(dir: string): void {
    this.#times.delete(dir);
    this.#listed.delete(dir);
  }

  /** Forgets a directory that is deleted or moved, with all below it. Takes as long as there are directories. */
  forget(dir: string): void {
    for (const known of [this.#times, this.#listed]) {
      for (const each of known.keys()) if (isWithin(dir, each)) known.delete(each);
    }
  }

  /** Whether a directory exists, and its time is noted. */
  isNoted(dir: string): boolean {
    return this.#times.has(dir) && this.#touched.has(dir);
  }

  /** Whether the run has created a directory: undo deletes it, whatever its time is. */
  isMade(dir: string): boolean {
    return this.#made.has(dir);
  }

  /** Notes the time of a directory before its first change; of a root only if no request is needed. */
  touch(dir: string, op: Op): Promise<void> | undefined {
    if (this.#touched.has(dir)) return undefined;
    const touching = this.#touching.get(dir);
    if (touching !== undefined) return touching;
    const { can, traits } = this.#remote;
    const time = this.#times.get(dir);
    const isLookedFor = traits.onDisk || dir !== '';
    const isTrash = isTrashDir(dir);
    if (can.setDirModTime === undefined || time !== undefined || isTrash || !isLookedFor) {
      this.#touch(dir, isTrash ? undefined : time);
      return undefined;
    }
    const looking = this.#remote.stat(dir, op).then(
      (entry) => {
        this.#touching.delete(dir);
        this.#touch(dir, entry?.kind === 'dir' ? entry.modTime : undefined);
      },
      (thrown: unknown) => {
        this.#touching.delete(dir);
        throw thrown;
      },
    );
    this.#touching.set(dir, looking);
    return looking;
  }

  #touch(dir: string, time: ModTime | undefined): void {
    this.#touched.add(dir);
    if (time !== undefined) this.#note(dir, { modTime: time });
  }

  /** As `touch`; also notes the metadata, on disks. */
  async describe(dir: string, op: Op): Promise<void> {
    await this.touch(dir, op);
    const { can, traits } = this.#remote;
    if (!traits.onDisk || can.setDirMetadata === undefined || this.#described.has(dir)) return;
    this.#described.add(dir);
    const metadata = await can.readDirMetadata?.({ kind: 'dir', path: dir }, op, true);
    if (metadata !== undefined && !isTrashDir(dir)) this.#note(dir, { metadata });
  }

  /** Before something is created in `dir`: notes its time, or those to create for it, as `#missing`. */
  async enter(dir: string, note: (dir: string) => number, op: Op): Promise<readonly MadeDir[]> {
    const made = (await this.#missing(dir, note, op)) ?? [];
    await this.touch(dir, op);
    return made;
  }

  /** Notes the directories to create for an entry of `dir`, parents first; from then on they count as existing. */
  #missing(
    dir: string,
    note: (dir: string) => number,
    op: Op,
  ): Promise<readonly MadeDir[]> | undefined {
    if (this.#times.has(dir)) return undefined;
    const looking = this.#looking.get(dir);
    if (looking !== undefined) return looking.then(() => []);
    const found = this.#lookFor(dir, note, op);
    this.#looking.set(dir, found);
    return found.finally(() => this.#looking.delete(dir));
  }

  async exists(dir: string, op: Op): Promise<boolean> {
    if (this.#times.has(dir)) return true;
    const entry = await this.#remote.stat(dir, op);
    if (entry !== undefined) this.see(entry);
    return entry?.kind === 'dir';
  }

  async #lookFor(dir: string, note: (dir: string) => number, op: Op): Promise<readonly MadeDir[]> {
    const parent = parentPath(dir);
    const isNew = dir !== '' && this.#listed.has(parent);
    if (!isNew && (await this.exists(dir, op))) return [];
    const above = dir === '' ? [] : await (this.#missing(parent, note, op) ?? []);
    await (dir === '' ? undefined : this.touch(parent, op));
    this.#add(dir, undefined);
    this.#listed.add(dir);
    this.#touched.add(dir);
    this.#described.add(dir);
    this.#made.add(dir);
    return [...above, { dir, n: note(dir) }];
  }

  #add(dir: string, time: ModTime | undefined): void {
    if (!this.#times.has(dir) || time !== undefined) this.#times.set(dir, time);
  }
}

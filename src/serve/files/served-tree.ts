import { abortable } from '../../core/context.ts';
import type { HashName } from '../../core/hash-names.ts';
import { mapAtOnce } from '../../core/map-at-once.ts';
import { compareEntries } from '../../core/name-order.ts';
import type { DirEntry, Entry, FailedEntry, FileEntry, Op, Remote } from '../../core/remote.ts';
import { listDir } from '../../core/remote-calls.ts';
import { dirsAbove, isWithin, leafName, parentPath } from '../../core/remote-path.ts';
import { detailReader } from '../../listing/detail-reader.ts';
import { aboutEntry } from './metadata-files.ts';
import {
  linkedFile,
  readLinkTarget,
  shownLinkPath,
  storedEntry,
  storedLinkPath,
  targetEntry,
} from './served-links.ts';

/** Links that lead to links are followed this often, as on Linux. */
const MOST_LINKS = 40;

/** How a remote is shown to clients. */
export interface TreeOptions {
  /** Which entries exist for clients; `undefined` for all. */
  readonly isShown: ((entry: Entry) => boolean) | undefined;
  /** Modification times are neither read nor written. */
  readonly noModTime: boolean;
  /** Files have the time at which their server wrote them. */
  readonly useServerModTime: boolean;
  /** Hash for ETags, also if it must be computed. */
  readonly etagHash: HashName | undefined;
  /** Finds a missing name ignoring case. */
  readonly ignoresCase: boolean;
  /** Files of `served-links.ts` are shown as what they lead to. */
  readonly links: boolean;
  /** How many requests for details of a listing run in parallel. */
  readonly atOnce: number;
  readonly readOnly: boolean;
}

/** The entries of a directory in the order of their names, and what could not be read. */
export interface DirListing {
  readonly entries: readonly Entry[];
  readonly failed: readonly FailedEntry[];
}

/** A remote as clients of a server see it. */
export class ServedTree {
  readonly remote: Remote;
  readonly options: TreeOptions;
  readonly made = new MadeDirs();
  /** What a failed move may have left under its new name alone: no other move or copy deletes it as extra. */
  readonly spared = new Set<string>();
  /** Changes that run or wait. */
  readonly #changes = new Set<{ readonly paths: readonly string[]; readonly end: Promise<void> }>();

  constructor(remote: Remote, options: TreeOptions) {
    this.remote = remote;
    this.options = options;
  }

  /**
   * The entry at a path, `undefined` if there is none. Nothing is found through a symbolic link that the remote does not
   * list.
   */
  async find(path: string, op: Op): Promise<Entry | undefined> {
    if (path === '') return { kind: 'dir', path };
    const entry = await this.#at(path, op);
    if (entry !== undefined || !this.options.ignoresCase) return entry;
    return this.#likeNamed(path, op);
  }

  /** A directory as a whole. Rejects if it cannot be listed to its end. */
  async list(dir: string, op: Op): Promise<DirListing> {
    const entries: Entry[] = [];
    const failed: FailedEntry[] = [];
    for await (const page of listDir(this.remote, dir, op, (one) => failed.push(one))) {
      for (const entry of page) if (this.isShown(entry)) entries.push(entry);
    }
    let linked: readonly Entry[] = entries;
    if (this.options.links) {
      // Links stand under their own names, as far as they lead to files and no entry has the name.
      const taken = new Set(entries.map(({ path }) => path));
      linked = await mapAtOnce(entries, this.options.atOnce, async (entry) => {
        const shown = entry.kind === 'file' ? shownLinkPath(entry.path) : undefined;
        if (entry.kind === 'dir' || shown === undefined || taken.has(shown)) return entry;
        return (await this.#follow(entry, op)) ?? entry;
      });
    }
    const made = this.made.in(dir);
    const names = new Set(made.length === 0 ? [] : linked.map(({ path }) => leafName(path)));
    const unlisted = made.filter(({ path }) => !names.has(leafName(path)));
    const all = [...linked, ...unlisted].sort(compareEntries);
    return { entries: await this.#detailed(all, op), failed };
  }

  isShown(entry: Entry): boolean {
    return this.options.isShown?.(storedEntry(aboutEntry(entry))) ?? true;
  }

  /** The file with what is needed of it: its time, and the hash of ETags. */
  async detailed(file: FileEntry, op: Op): Promise<FileEntry> {
    const [entry] = await this.#detailed([file], op);
    return entry?.kind === 'file' ? entry : file;
  }

  /** Creates a directory; on a remote without empty directories until the server ends. */
  async makeDir(path: string, op: Op): Promise<void> {
    await this.remote.makeDir(path, op);
    if (!this.remote.traits.emptyDirs) this.made.add(path);
  }

  /**
   * Runs `change` after earlier changes of these paths, of directories above them and of what is below them: what it
   * finds there stays as it is, and what failed has been undone.
   */
  async inTurn<T>(paths: readonly string[], op: Op, change: () => Promise<T>): Promise<T> {
    // Some remotes, and `--ignore-case`, take different cases as the same name.
    const folded = paths.map((path) => path.toLowerCase());
    const overlaps = (one: string, other: string) => isWithin(one, other) || isWithin(other, one);
    const before = [...this.#changes].filter(({ paths: earlier }) =>
      earlier.some((one) => folded.some((other) => overlaps(one, other))),
    );
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const own = { paths: folded, end };
    this.#changes.add(own);
    try {
      for (const earlier of before) await abortable(earlier.end, op.signal);
      return await change();
    } finally {
      this.#changes.delete(own);
      resolve();
    }
  }

  async #at(path: string, op: Op): Promise<Entry | undefined> {
    const entry = await this.#stat(path, op);
    if (!this.options.links) return entry;
    const shown = entry?.kind === 'file' ? shownLinkPath(path) : undefined;
    if (entry?.kind === 'file' && shown !== undefined) {
      if ((await this.#stat(shown, op)) !== undefined) return entry;
      return (await this.#follow(entry, op)) === undefined ? entry : undefined;
    }
    return entry ?? this.#linkAt(path, op, MOST_LINKS);
  }

  /** The file that the link at a path leads to, under the name of the link. */
  async #linkAt(path: string, op: Op, most: number): Promise<FileEntry | undefined> {
    const stored = await this.#stat(storedLinkPath(path), op);
    return stored?.kind === 'file' ? this.#follow(stored, op, most) : undefined;
  }

  /** The file that a stored link leads to, under its name; `undefined` if that is no file here. */
  async #follow(stored: FileEntry, op: Op, most = MOST_LINKS): Promise<FileEntry | undefined> {
    const path = await readLinkTarget(this.remote, stored, op);
    if (path === undefined || most === 0) return undefined;
    const found = (await this.#stat(path, op)) ?? (await this.#linkAt(path, op, most - 1));
    return found?.kind === 'file' ? linkedFile(stored, targetEntry(found)) : undefined;
  }

  async #stat(path: string, op: Op): Promise<Entry | undefined> {
    const { remote } = this;
    for (const dir of dirsAbove(path).toReversed()) {
      if (!this.isShown({ kind: 'dir', path: dir })) return undefined;
      // A link to a directory is no entry, but the system would follow it.
      if (remote.traits.onDisk && (await remote.stat(dir, op))?.kind !== 'dir') return undefined;
    }
    const entry: Entry | undefined =
      (await remote.stat(path, op)) ?? (this.made.has(path) ? { kind: 'dir', path } : undefined);
    if (entry === undefined || !this.isShown(entry)) return undefined;
    return entry.kind === 'dir' ? entry : this.detailed(entry, op);
  }

  async #likeNamed(path: string, op: Op): Promise<Entry | undefined> {
    let found: Entry = { kind: 'dir', path: '' };
    for (const name of path.split('/')) {
      if (found.kind !== 'dir') return undefined;
      const { entries }: DirListing = await this.list(found.path, op);
      const named = (other: Entry) => leafName(other.path);
      const folded = name.toLowerCase();
      const next =
        entries.find((entry) => named(entry) === name) ??
        entries.find((entry) => named(entry).toLowerCase() === folded);
      if (next === undefined) return undefined;
      found = next;
    }
    return found;
  }

  async #detailed<E extends Entry>(entries: readonly E[], op: Op): Promise<readonly Entry[]> {
    const { noModTime, useServerModTime, etagHash, atOnce } = this.options;
    const complete = detailReader(
      this.remote,
      {
        modTime: !noModTime,
        mimeType: false,
        metadata: false,
        useServerModTime,
        hashes: etagHash === undefined ? [] : [etagHash],
      },
      op,
      (thrown) => {
        throw thrown;
      },
    );
    return mapAtOnce<Entry, Entry>(entries, atOnce, (entry) =>
      entry.kind === 'file' ? complete(entry) : entry,
    );
  }
}

/** How many are remembered; the oldest are forgotten. */
const MOST = 100_000;

/** Directories that clients created on a remote without empty directories, while the server runs. */
class MadeDirs {
  readonly #paths = new Set<string>();

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  add(path: string): void {
    this.#paths.add(path);
    const [oldest] = this.#paths;
    if (this.#paths.size > MOST && oldest !== undefined) this.#paths.delete(oldest);
  }

  /** The directories directly in `dir`. */
  in(dir: string): DirEntry[] {
    const here = [...this.#paths].filter((path) => path !== '' && parentPath(path) === dir);
    return here.map((path) => ({ kind: 'dir', path }));
  }

  /** Forgets a directory and those below it. */
  remove(dir: string): void {
    for (const path of this.#paths) if (isWithin(dir, path)) this.#paths.delete(path);
  }

  /** Copies a directory and those below it to another name. */
  copy(from: string, to: string): void {
    for (const path of [...this.#paths]) {
      if (isWithin(from, path)) this.add(to + path.slice(from.length));
    }
  }
}

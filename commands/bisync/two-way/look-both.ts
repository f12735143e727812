import { around } from '../../../src/core/around.ts';
import { hasCode } from '../../../src/core/errors.ts';
import { modTimeFromMs } from '../../../src/core/mod-time.ts';
import type { FileEntry, Op, Remote } from '../../../src/core/remote.ts';
import { isWithin, parentPath } from '../../../src/core/remote-path.ts';
import type { BothSides, FilePair } from '../../../src/engine/action.ts';
import { compareHashes, hashOf } from '../../../src/engine/compare-pair.ts';
import { fileAt } from '../../../src/engine/file-at.ts';
import type { FileWork } from '../../../src/engine/file-work.ts';
import { withModTime } from '../../../src/engine/mod-time-of.ts';
import { KnownFiles } from '../../../src/engine/place/own-source-check.ts';
import { checkPool, type TaskPool } from '../../../src/engine/task-pool.ts';
import { exceptDirectories } from '../../../src/engine/tree-listed.ts';
import { walkBoth } from '../../../src/engine/walk-both.ts';
import { type AgreedFile, AgreedFiles, type Archive } from './agreed-files.ts';
import {
  decideTwoWay,
  type MarkRules,
  markOf,
  otherSide,
  type PathFacts,
  SIDES,
  type Side,
  type TwoWayDecision,
} from './decide-two-way.ts';
import { WORDS } from './words.ts';

/** A path with something to do, and what is known about it. */
export interface FoundPath {
  /** In the archive. */
  readonly key: string;
  readonly a?: FileEntry | undefined;
  readonly b?: FileEntry | undefined;
  readonly decision: TwoWayDecision;
  /** Identifies the file under any name, if only one side has it and it is new. */
  readonly id?: string | undefined;
}

/** The names of both sides. */
export interface FoundTrees {
  /** The paths to decide about. */
  readonly todo: readonly FoundPath[];
  /** All files that a filter lets through. */
  readonly files: Readonly<Record<Side, ReadonlySet<string>>>;
  readonly dirs: Readonly<Record<Side, ReadonlySet<string>>>;
}

/** What a look at both sides has found. */
export interface BothTrees extends FoundTrees {
  /** Files that stay as they are, with fresh marks; and those about which nothing is known now. */
  readonly kept: AgreedFiles;
  /** Those of them that are shortcuts. */
  readonly shortcuts: Readonly<Record<Side, ReadonlySet<string>>>;
  /** How many files of the archive each side still has unchanged. */
  readonly unchanged: Readonly<Record<Side, number>>;
  /** One file of each directory, to recognise the side. */
  readonly known: Readonly<Record<Side, KnownFiles>>;
  /** What could not be listed. */
  readonly unlisted: Readonly<Record<Side, Unlisted>>;
  /** When the first listing began, on the clock of this machine. */
  readonly listedNs: bigint;
}

/** What both sides had, and what of a file is marked. */
export interface MarkGround {
  readonly archive: Archive;
  readonly rules: Readonly<Record<Side, MarkRules>>;
}

/**
 * Lists both sides and decides about every path. Errors are counted; below a directory that could not be listed
 * nothing is decided about files that only one side shows.
 *
 * @param work its source is the first side, its destination the second
 */
export async function lookAtBoth(work: FileWork, ground: MarkGround): Promise<BothTrees> {
  return new LookAtBoth(work, ground).look();
}

/** A file whose name another one of equal size and time has taken since; decided by size and time alone. */
interface DoubtfulPath extends PathFacts {
  readonly key: string;
  readonly ids: Readonly<Record<Side, string | undefined>>;
  readonly decision: TwoWayDecision;
}

/** A look at both sides while it goes on. */
class LookAtBoth {
  readonly #work: FileWork;
  readonly #archive: Archive;
  readonly #rules: MarkGround['rules'];
  readonly #checks: TaskPool;
  readonly #keyOfB: ReadonlyMap<string, string>;
  readonly #listedNs: bigint;
  readonly #unlisted = { a: new Unlisted(), b: new Unlisted() };
  readonly #files = { a: new Set<string>(), b: new Set<string>() };
  readonly #dirs = { a: new Set<string>(), b: new Set<string>() };
  readonly #shortcuts = { a: new Set<string>(), b: new Set<string>() };
  readonly #unchanged = { a: 0, b: 0 };
  readonly #known = { a: new KnownFiles(), b: new KnownFiles() };
  readonly #staying: AgreedFiles;
  readonly #found: FoundPath[] = [];
  readonly #doubtful: DoubtfulPath[] = [];
  readonly #todo: FoundPath[] = [];
  /** Keys of files about which nothing could be learned. */
  readonly #failures = new Set<string>();
  /** How many files both sides have shown. */
  #shown = 0;
  /** How many files of the archive no side has shown, if each has one name. */
  #unseen: number;

  constructor(work: FileWork, { archive, rules }: MarkGround) {
    const { run, options } = work;
    this.#work = work;
    this.#archive = archive;
    this.#rules = rules;
    this.#checks = checkPool(options, run);
    this.#keyOfB = archive.files.otherNames();
    this.#listedNs = modTimeFromMs(run.context.clock.now());
    this.#staying = new AgreedFiles(archive.files);
    this.#unseen = archive.files.size;
  }

  async look(): Promise<BothTrees> {
    await this.#list();
    await this.#checks.idle();
    await this.#decideDoubtful();
    await this.#checks.idle();
    await this.#lookForUnlisted();
    await this.#select();
    await this.#checks.idle();
    this.#forgetMissing();
    return {
      todo: this.#todo,
      kept: this.#staying,
      files: this.#files,
      dirs: this.#dirs,
      shortcuts: this.#shortcuts,
      unchanged: this.#unchanged,
      known: this.#known,
      unlisted: this.#unlisted,
      listedNs: this.#listedNs,
    };
  }

  /** Walks both sides in step; what can be decided by the listings is decided. */
  async #list(): Promise<void> {
    const { run, options, source, dest } = this.#work;
    const dirs = this.#dirs;
    await walkBoth(
      run,
      {
        source: this.#unlisted.a.around(source),
        dest: this.#unlisted.b.around(dest),
        destFilter: run.filter,
        destOnlyDirs: true,
        skipDest: false,
        normalize: !options.noUnicodeNormalization,
        ignoreCase: options.ignoreCaseSync,
        twoWay: true,
        width: options.checkers,
        cleans: run.consent.how === 'all' ? ['source', 'dest'] : [],
      },
      {
        isFull: this.#checks.isFull,
        files: async (pairs) => {
          this.#known.a.add(pairs);
          this.#known.b.add(pairs.map((pair) => (pair.dest ? { source: pair.dest } : {})));
          for (const pair of pairs) {
            const { source: a, dest: b } = pair;
            if (!this.#needsRequest(pair)) await this.#decide(pair);
            else await this.#check({ key: this.#keyOf(a, b), a, b }, () => this.#decide(pair));
          }
        },
        dirs: async (pairs) => {
          for (const { source: a, dest: b } of pairs) {
            if (a !== undefined) dirs.a.add(a.path);
            if (b !== undefined) dirs.b.add(b.path);
            if (a?.isShortcut === true) this.#shortcuts.a.add(a.path);
            if (b?.isShortcut === true) this.#shortcuts.b.add(b.path);
          }
        },
      },
    );
  }

  /** Whether the listings lack something that decides about the files. */
  #needsRequest({ source, dest }: FilePair): boolean {
    const { a, b } = this.#rules;
    const lacks = (file: FileEntry | undefined) =>
      file !== undefined && file.modTime === undefined && file.etag === undefined;
    return a.hash !== undefined || b.hash !== undefined || lacks(source) || lacks(dest);
  }

  /** Learns something about a file; if that fails, it stays as it was agreed. */
  #check(path: Pick<FoundPath, 'key' | 'a' | 'b'>, learn: () => Promise<unknown>): Promise<void> {
    return this.#checks.add(async () => {
      try {
        await learn();
      } catch (thrown) {
        this.#work.run.fail(thrown, (path.a ?? path.b)?.path ?? path.key, 'hash');
        this.#failures.add(path.key);
        this.#stayAsAgreed(path.key);
      }
    });
  }

  async #decide({ source, dest }: FilePair): Promise<void> {
    const { run } = this.#work;
    const rules = this.#rules;
    const [a, b] = await Promise.all([
      markable(this.#work.source, source, rules.a, run),
      markable(this.#work.dest, dest, rules.b, run),
    ]);
    const key = this.#keyOf(a, b);
    const agreed = this.#archive.files.get(key);
    const decision = decideTwoWay({ a, b, agreed }, rules);
    const ids = { a: idOf(this.#work.source, a), b: idOf(this.#work.dest, b) };
    if (a !== undefined) this.#files.a.add(a.path);
    // Hundreds of thousands stay: the text of a path is shared.
    if (b !== undefined) this.#files.b.add(b.path === a?.path ? a.path : b.path);
    if (agreed !== undefined) this.#unseen--;
    if (agreed !== undefined && decision.changes.a === 'none') this.#unchanged.a++;
    if (agreed !== undefined && decision.changes.b === 'none') this.#unchanged.b++;
    this.#shown++;
    // They look unchanged, but have a file with another identifier. A tag shows the content by itself.
    const replaced = SIDES.filter((side) => {
      const [mark, id] = [agreed?.[side], ids[side]];
      if (mark === undefined || mark.tag !== undefined || mark.hash !== undefined) return false;
      if ((side === 'a' ? a : b) === undefined || decision.changes[side] !== 'none') return false;
      return mark.id !== undefined && id !== undefined && mark.id !== id;
    });
    if (replaced.length > 0) {
      this.#doubtful.push({ key, a, b, agreed, replaced: new Set(replaced), ids, decision });
    } else if (decision.action.do !== 'nothing' || a === undefined || b === undefined) {
      const isNew = agreed === undefined && (a === undefined || b === undefined);
      // A first run has no names of before that may be found under others.
      const id = isNew && this.#archive.files.size > 0 ? (ids.a ?? ids.b) : undefined;
      this.#found.push({ key, a, b, decision, id });
      this.#staying.delete(key);
    } else this.#staying.set(key, agreedFile(a, b, this.#listedNs, rules, ids));
  }

  /** Decides by their contents about files that others of equal size and time have replaced. */
  async #decideDoubtful(): Promise<void> {
    const work = this.#work;
    const doubtful = this.#doubtful;
    // That many were restored from a backup, or are on a file system without lasting identifiers.
    const isPointless = doubtful.length >= 10 && doubtful.length > this.#shown / 2;
    const isEqual = async (pair: BothSides) =>
      isPointless || (await compareHashes(work, pair, work.ground.hash, work.run.op)) === 'same';
    for (const path of doubtful) {
      await this.#check(path, async () => {
        const { key, a, b, ids } = path;
        const looksEqual = path.decision.action.do === 'nothing';
        if (looksEqual && a && b && (await isEqual({ source: a, dest: b }))) {
          this.#staying.set(key, agreedFile(a, b, this.#listedNs, this.#rules, ids));
        } else {
          const decision = isPointless ? path.decision : decideTwoWay(path, this.#rules);
          this.#found.push({ key, a, b, decision });
          this.#staying.delete(key);
        }
      });
    }
  }

  /** Looks whether names that only one side shows hold something on the other side that listings omit. */
  async #lookForUnlisted(): Promise<void> {
    const { run, source, dest } = this.#work;
    for (const side of SIDES) {
      const other = otherSide(side);
      const isMissing = (path: FoundPath) => path[side] === undefined && path[other] !== undefined;
      const paths = this.#found.filter(isMissing).map(({ key }) => this.#pathOn(side, key));
      const news = [...this.#dirs[other]].filter((dir) => !this.#dirs[side].has(dir));
      const listed = { dirs: this.#dirs[side], files: this.#files[side] };
      const report = (path: string, what: string) =>
        run.log('notice', path, 'message', { text: WORDS.unlisted(side, what) });
      const remote = side === 'a' ? source : dest;
      await this.#unlisted[side].look(remote, [...news, ...paths], listed, report, run.op);
    }
  }

  /** Selects what is to be done of what was found: nothing about files that may exist although they are not listed. */
  async #select(): Promise<void> {
    const { run, source, dest } = this.#work;
    for (const path of this.#found) {
      const { key, a, b } = path;
      const { changes } = path.decision;
      const isUnknown =
        (a === undefined && this.#unlisted.a.covers(key)) ||
        (b === undefined && this.#unlisted.b.covers(this.#pathOn('b', key)));
      if (isUnknown) this.#stayAsAgreed(key);
      else if (run.filter.passesAll || (changes.a !== 'deleted' && changes.b !== 'deleted'))
        this.#todo.push(path);
      else {
        await this.#check(path, async () => {
          // A filter for sizes or times, or a marker file, may hide a file that is not listed.
          const [remote, side] = a === undefined ? [source, 'a' as const] : [dest, 'b' as const];
          const there = await fileAt(run, remote, this.#pathOn(side, key));
          if (there !== undefined) this.#stayAsAgreed(key);
          else this.#todo.push(path);
        });
      }
    }
  }

  /** Forgets files of the archive that no side has any more. */
  #forgetMissing(): void {
    // To read all of them once more takes a while.
    if (this.#unseen <= 0 && this.#keyOfB.size === 0) return;
    const { filter } = this.#work.run;
    for (const key of this.#archive.files.paths()) {
      const isListed = this.#files.a.has(key) || this.#files.b.has(this.#pathOn('b', key));
      if (isListed || this.#failures.has(key)) continue;
      const isUnknown = this.#unlisted.a.covers(key) || this.#unlisted.b.covers(key);
      if (!isUnknown && filter.keepPath(key)) this.#staying.delete(key);
    }
  }

  #keyOf(a: FileEntry | undefined, b: FileEntry | undefined): string {
    return a?.path ?? this.#keyOfB.get(b?.path ?? '') ?? b?.path ?? '';
  }

  #pathOn(side: Side, key: string): string {
    return side === 'a' ? key : (this.#archive.files.get(key)?.bPath ?? key);
  }

  #stayAsAgreed(key: string): void {
    const agreed = this.#archive.files.get(key);
    if (agreed !== undefined) this.#staying.set(key, agreed);
  }
}

/** What both sides have now, for the archive. */
export function agreedFile(
  a: FileEntry,
  b: FileEntry,
  listedNs: bigint,
  rules: Readonly<Record<Side, MarkRules>>,
  ids: Readonly<Record<Side, string | undefined>>,
): AgreedFile {
  return {
    a: markOf(a, listedNs, rules.a, ids.a),
    b: markOf(b, listedNs, rules.b, ids.b),
    ...(a.path === b.path ? {} : { bPath: b.path }),
  };
}

/** What identifies a file under any name; `undefined` if that is unknown. */
export function idOf(remote: Remote, file: FileEntry | undefined): string | undefined {
  return file && (file.id ?? remote.can.stamp?.(file)?.tag);
}

/** Whether a file has what its mark needs. */
export function isMarkable(file: FileEntry, { hash }: MarkRules): boolean {
  const shown = file.contentTag ?? file.etag ?? file.storedTime ?? file.modTime;
  return shown !== undefined && (hash === undefined || file.hashes?.[hash] !== undefined);
}

/** The file with what its mark needs: the hash that is compared, and a time unless a tag shows changes. */
export async function markable<F extends FileEntry | undefined>(
  remote: Remote,
  file: F,
  { hash: name }: MarkRules,
  { op }: { readonly op: Op },
): Promise<F> {
  if (file === undefined) return file;
  const hasTag = file.contentTag ?? file.etag ?? file.storedTime;
  const timed = hasTag === undefined ? await withModTime(remote, file, op) : file;
  if (name === undefined || timed.hashes?.[name] !== undefined) return timed as F;
  const hash = await hashOf(remote, timed, name, op);
  if (hash === undefined) return timed as F;
  return { ...timed, hashes: { ...timed.hashes, [name]: hash } } as F;
}

/** What could not be listed on one side: nothing is known of these paths. */
export class Unlisted {
  readonly #dirs = new Set<string>();
  readonly #paths = new Set<string>();

  /** Whether a path may exist although no listing has it. */
  covers(path: string): boolean {
    if (this.#paths.has(path)) return true;
    for (const dir of this.#dirs) if (isWithin(dir, path)) return true;
    return false;
  }

  get hasAny(): boolean {
    return this.#dirs.size + this.#paths.size > 0;
  }

  /**
   * Notes the names that hold something that listings omit: links that are not followed, pipes, devices.
   *
   * @param paths only the other side has listed them, directories before what is in them
   * @param listed whether this side has listed a directory, or a file whose place a name is
   * @param onFound called with each, and what it is, in words
   */
  async look(
    { can, traits: { linkSuffix } }: Remote,
    paths: readonly string[],
    listed: { readonly dirs: ReadonlySet<string>; readonly files: ReadonlySet<string> },
    onFound: (path: string, what: string) => void,
    op: Op,
  ): Promise<void> {
    for (const path of can.unlistedAt === undefined ? [] : paths) {
      const dir = parentPath(path);
      // Below a directory that is not there is nothing.
      if ((dir !== '' && !listed.dirs.has(dir)) || this.covers(path)) continue;
      const what = await can.unlistedAt?.(path, op);
      if (what === undefined) continue;
      // The name of a link, or of the file with the name of a link, was listed.
      const isListed =
        linkSuffix !== undefined &&
        [path + linkSuffix, linkPlace(path, linkSuffix)].some((name) => listed.files.has(name));
      if (isListed) continue;
      this.#dirs.add(path);
      onFound(path, what);
    }
  }

  /** The remote, whose failed listings are noted. */
  around(remote: Remote): Remote {
    return around(remote, 'failed-listings', {
      ...exceptDirectories(),
      listPage: (listPage) => async (dir, cursor, op) => {
        try {
          const page = await listPage(dir, cursor, op);
          for (const { path, kind } of page.failed ?? []) {
            (kind === 'dir' ? this.#dirs : this.#paths).add(path);
          }
          return page;
        } catch (thrown) {
          // A root that does not exist yet is an empty one.
          const isMissing = hasCode(thrown, 'directory-not-found', 'bucket-not-found');
          const isNew = dir === '' && cursor === undefined && isMissing;
          if (!isNew) this.#dirs.add(dir);
          throw thrown;
        }
      },
    });
  }
}

/** Where a file is on a side that shows links as files: a link has the name of its target there. */
export function linkPlace(path: string, suffix: string | undefined): string {
  return suffix !== undefined && path.endsWith(suffix) ? path.slice(0, -suffix.length) : path;
}

import { around } from '../../../src/core/around.ts';
import { hasCode } from '../../../src/core/errors.ts';
import { modTimeFromMs } from '../../../src/core/mod-time.ts';
import type { FileEntry, Op, Remote } from '../../../src/core/remote.ts';
import { isWithin, parentPath } from '../../../src/core/remote-path.ts';
import type { FilePair } from '../../../src/engine/action.ts';
import { compareHashes, hashOf } from '../../../src/engine/compare-pair.ts';
import { fileAt } from '../../../src/engine/file-at.ts';
import type { FileWork } from '../../../src/engine/file-work.ts';
import { withModTime } from '../../../src/engine/mod-time-of.ts';
import { KnownFiles } from '../../../src/engine/place/own-source-check.ts';
import { checkPool } from '../../../src/engine/task-pool.ts';
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

/** What a look at both sides has found. */
export interface BothTrees {
  readonly todo: readonly FoundPath[];
  /** Files that stay as they are, with fresh marks; and those about which nothing is known now. */
  readonly kept: AgreedFiles;
  /** All files that a filter lets through. */
  readonly files: Readonly<Record<Side, ReadonlySet<string>>>;
  readonly dirs: Readonly<Record<Side, ReadonlySet<string>>>;
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
export async function lookAtBoth(
  work: FileWork,
  { archive, rules }: MarkGround,
): Promise<BothTrees> {
  const { run, options } = work;
  const listedNs = modTimeFromMs(run.context.clock.now());
  const unlisted = { a: new Unlisted(), b: new Unlisted() };
  const files = { a: new Set<string>(), b: new Set<string>() };
  const dirs = { a: new Set<string>(), b: new Set<string>() };
  const shortcuts = { a: new Set<string>(), b: new Set<string>() };
  const unchanged = { a: 0, b: 0 };
  const known = { a: new KnownFiles(), b: new KnownFiles() };
  const kept = new AgreedFiles(archive.files);
  const found: FoundPath[] = [];
  const keyOfB = archive.files.otherNames();
  /** How many files of the archive no side has shown, if each has one name. */
  let unseen = archive.files.size;
  const checks = checkPool(options, run);
  const failures = new Set<string>();
  /** What is learned about a file; if that fails, it stays as it was agreed. */
  const check = (path: Pick<FoundPath, 'key' | 'a' | 'b'>, learn: () => Promise<unknown>) =>
    checks.add(async () => {
      try {
        await learn();
      } catch (thrown) {
        run.fail(thrown, (path.a ?? path.b)?.path ?? path.key, 'hash');
        failures.add(path.key);
        keepAgreed(path.key);
      }
    });
  const keyOf = (a: FileEntry | undefined, b: FileEntry | undefined) =>
    a?.path ?? keyOfB.get(b?.path ?? '') ?? b?.path ?? '';

  const take = async ({ source, dest }: FilePair) => {
    const [a, b] = await Promise.all([
      markable(work.source, source, rules.a, run),
      markable(work.dest, dest, rules.b, run),
    ]);
    const key = keyOf(a, b);
    const agreed = archive.files.get(key);
    const decision = decideTwoWay({ a, b, agreed }, rules);
    const ids = { a: idOf(work.source, a), b: idOf(work.dest, b) };
    if (a !== undefined) files.a.add(a.path);
    // Hundreds of thousands stay: the text of a path is shared.
    if (b !== undefined) files.b.add(b.path === a?.path ? a.path : b.path);
    if (agreed !== undefined) unseen--;
    if (agreed !== undefined && decision.changes.a === 'none') unchanged.a++;
    if (agreed !== undefined && decision.changes.b === 'none') unchanged.b++;
    taken++;
    // They look unchanged, but have a file with another identifier. A tag shows the content by itself.
    const replaced = SIDES.filter((side) => {
      const [mark, id] = [agreed?.[side], ids[side]];
      if (mark === undefined || mark.tag !== undefined || mark.hash !== undefined) return false;
      if ((side === 'a' ? a : b) === undefined || decision.changes[side] !== 'none') return false;
      return mark.id !== undefined && id !== undefined && mark.id !== id;
    });
    if (replaced.length > 0) {
      doubtful.push({ key, a, b, agreed, replaced: new Set(replaced), ids, decision });
    } else if (decision.action.do !== 'nothing' || a === undefined || b === undefined) {
      const isNew = agreed === undefined && (a === undefined || b === undefined);
      // A first run has no names of before that may be found under others.
      const id = isNew && archive.files.size > 0 ? (ids.a ?? ids.b) : undefined;
      found.push({ key, a, b, decision, id });
      kept.delete(key);
    } else kept.set(key, agreedFile(a, b, listedNs, rules, ids));
  };
  /** Paths where another file of equal size and time has taken the name since; decided by size and time alone. */
  const doubtful: (PathFacts & {
    readonly key: string;
    readonly ids: Readonly<Record<Side, string | undefined>>;
    readonly decision: TwoWayDecision;
  })[] = [];
  let taken = 0;
  const needsHash = rules.a.hash !== undefined || rules.b.hash !== undefined;
  const lacks = (file: FileEntry | undefined) =>
    file !== undefined && file.modTime === undefined && file.etag === undefined;
  const asks = ({ source, dest }: FilePair) => needsHash || lacks(source) || lacks(dest);
  await walkBoth(
    run,
    {
      source: unlisted.a.around(work.source),
      dest: unlisted.b.around(work.dest),
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
      isFull: checks.isFull,
      async files(pairs) {
        known.a.add(pairs);
        known.b.add(pairs.map(({ dest }) => (dest === undefined ? {} : { source: dest })));
        for (const pair of pairs) {
          const { source: a, dest: b } = pair;
          if (!asks(pair)) await take(pair);
          else await check({ key: keyOf(a, b), a, b }, () => take(pair));
        }
      },
      async dirs(pairs) {
        for (const { source, dest } of pairs) {
          if (source !== undefined) dirs.a.add(source.path);
          if (dest !== undefined) dirs.b.add(dest.path);
          if (source?.isShortcut === true) shortcuts.a.add(source.path);
          if (dest?.isShortcut === true) shortcuts.b.add(dest.path);
        }
      },
    },
  );
  await checks.idle();
  // That many were restored from a backup, or are on a file system without lasting identifiers.
  const isPointless = doubtful.length >= 10 && doubtful.length > taken / 2;
  for (const path of doubtful) {
    await check(path, async () => {
      const { key, a, b, ids } = path;
      const isEqual = async (pair: { source: FileEntry; dest: FileEntry }) =>
        isPointless || (await compareHashes(work, pair, work.ground.hash, run.op)) === 'same';
      const looksEqual = path.decision.action.do === 'nothing';
      if (looksEqual && a && b && (await isEqual({ source: a, dest: b }))) {
        kept.set(key, agreedFile(a, b, listedNs, rules, ids));
      } else {
        const decision = isPointless ? path.decision : decideTwoWay(path, rules);
        found.push({ key, a, b, decision });
        kept.delete(key);
      }
    });
  }
  await checks.idle();

  for (const side of SIDES) {
    const other = otherSide(side);
    const isMissing = (path: FoundPath) => path[side] === undefined && path[other] !== undefined;
    const paths = found.filter(isMissing).map((path) => pathOn(side, path));
    const news = [...dirs[other]].filter((dir) => !dirs[side].has(dir));
    const listed = { dirs: dirs[side], files: files[side] };
    const tell = (path: string, what: string) =>
      run.log('notice', path, 'message', { text: WORDS.unlisted(side, what) });
    const remote = side === 'a' ? work.source : work.dest;
    await unlisted[side].look(remote, [...news, ...paths], listed, tell, run.op);
  }
  const todo: FoundPath[] = [];
  for (const path of found) {
    const { key, a, b } = path;
    const { changes } = path.decision;
    const isUnknown =
      (a === undefined && unlisted.a.covers(key)) ||
      (b === undefined && unlisted.b.covers(pathOn('b', path)));
    if (isUnknown) keepAgreed(key);
    else if (run.filter.passesAll || (changes.a !== 'deleted' && changes.b !== 'deleted'))
      todo.push(path);
    else {
      await check(path, async () => {
        // A filter for sizes or times, or a marker file, may hide a file that is not listed.
        const [remote, side] =
          a === undefined ? [work.source, 'a' as const] : [work.dest, 'b' as const];
        if ((await fileAt(run, remote, pathOn(side, path))) !== undefined) keepAgreed(key);
        else todo.push(path);
      });
    }
  }
  await checks.idle();
  // To read all of them once more takes a while.
  for (const key of unseen > 0 || keyOfB.size > 0 ? archive.files.paths() : []) {
    const isListed = files.a.has(key) || files.b.has(pathOn('b', { key }));
    if (isListed || failures.has(key)) continue;
    const isUnknown = unlisted.a.covers(key) || unlisted.b.covers(key);
    if (!isUnknown && run.filter.keepPath(key)) kept.delete(key);
  }
  return { todo, kept, files, dirs, shortcuts, unchanged, known, unlisted, listedNs };

  function pathOn(side: Side, { key }: Pick<FoundPath, 'key'>): string {
    return side === 'a' ? key : (archive.files.get(key)?.bPath ?? key);
  }

  function keepAgreed(key: string): void {
    const agreed = archive.files.get(key);
    if (agreed !== undefined) kept.set(key, agreed);
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
    return around(remote, {
      listPage: async (dir, cursor, op) => {
        try {
          const page = await remote.listPage(dir, cursor, op);
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

import { alike, around, type Layer } from './around.ts';
import type { Spot } from './change-details.ts';
import type { Clock } from './context.ts';
import { SyncerError } from './errors.ts';
import type { Hashes } from './hash-names.ts';
import { type MemberOf, membersOf } from './members.ts';
import type { Capabilities, Entry, FileEntry, Op, Page, Remote } from './remote.ts';
import { mapPages } from './remote-calls.ts';

/** Where a page of a listing in the order of names comes from. */
export interface PageOf {
  readonly what: 'dir' | 'tree';
  readonly dir: string;
  readonly cursor: string | undefined;
  /** The listing has everything, not only a range. */
  readonly isWhole: boolean;
}

/** An operation that changes a file, but does not delete it. */
export type WriteKind = 'write' | 'copy' | 'move' | 'set-time' | 'set-tier';

/** A write that was begun. */
export interface BegunWrite {
  readonly kind: WriteKind;
  /** By `Clock.monotonic`. */
  readonly startMs: number;
  /** By `Clock.now`. */
  readonly sinceMs: number;
  /** The file that was there before, as far as it is known. */
  readonly replaced?: NonNullable<Op['change']>['replaces'] | undefined;
  /** The file that a move takes. */
  readonly from?: Spot<Remote> | undefined;
}

/** How hashes are computed, instead of by the remote alone. */
export interface HashOverrides {
  hash?(own: MemberOf<'hash'>): MemberOf<'hash'>;
  hashes?(own: MemberOf<'hashes'>): MemberOf<'hashes'>;
  hashMany?(own: MemberOf<'hashMany'>): MemberOf<'hashMany'>;
}

/** What learns from the responses of a remote, or adds to them. Absent members: it has no use for these. */
export interface Observer {
  /** The writes that it learns from. */
  readonly writes?: readonly WriteKind[];
  /** It adds to listings in the order of names; the remote has no others then. */
  readonly needsOrder?: true;
  /** Operations that it may carry out itself. */
  readonly overrides?: HashOverrides;
  /** A page of a listing with what is known of its entries; `of` is absent for one in any order. */
  page?(page: Page, of: PageOf | undefined): Page;
  /** The entry of a response about one path; `listed` is the one that was asked about. */
  saw?(entry: Entry, listed: FileEntry | undefined): Entry;
  /** What must be done before a write. */
  before?(): Promise<void> | undefined;
  wrote?(file: FileEntry, write: BegunWrite): void | Promise<void>;
  /** Whether a directory may be moved as a whole. */
  mayMoveDir?(from: Remote, dir: string): Promise<boolean>;
  /** The content of a file is not what was to be written. */
  wrong?(file: FileEntry): void;
  /** Undoes a write with a wrong result, instead of `takeBack`; without `write` the one that returned the file. */
  undo?(file: FileEntry, write: BegunWrite | undefined): Promise<void>;
  /** A file was deleted. */
  gone?(file: FileEntry): Promise<void>;
  /** A directory was purged. */
  goneBelow?(dir: string): Promise<void>;
  /** A reading of the content that began at `sinceMs`, by `Clock.now`, gave these hashes. */
  hashed?(file: FileEntry, hashes: Hashes, sinceMs: number): void;
  close?(): void;
}

/**
 * The remote with observers: one layer for all that is learned of a remote. Each response goes from the first observer
 * to the last. Operations that no observer has a use for stay those of the remote; the remote itself if there is none.
 */
export function observed(
  inner: Remote,
  observers: readonly (Observer | undefined)[],
  clock: Pick<Clock, 'now' | 'monotonic'>,
): Remote {
  const all = observers.filter((one) => one !== undefined);
  if (all.length === 0) return inner;
  const has = (member: keyof Observer) => all.some((one) => one[member] !== undefined);
  return around(inner, 'observers', {
    ...alike(membersOf('says'), 'passes'),
    ...observedListings(all, inner),
    ...observedEntries(all),
    ...observedChanges(all, inner, clock),
    ...observedHashes(all),
    close: has('close')
      ? (close) => async () => {
          for (const one of all) one.close?.();
          await close();
        }
      : 'passes',
  });
}

type Observers = readonly Observer[];

/** Listings, with what is known of their entries. */
function observedListings(all: Observers, inner: Remote) {
  const unseen = alike(
    ['listUsage', 'takeUsage', 'listKept', 'listUploads', 'listVersions'],
    'passes',
  );
  const needsOrder = all.some((one) => one.needsOrder === true);
  const listTreeUnordered = needsOrder ? 'hides' : 'passes';
  if (all.every((one) => one.page === undefined)) {
    const same = alike(['listPage', 'listTreePage', 'listDirs'], 'passes');
    return { ...unseen, ...same, listTreeUnordered } as const;
  }
  const page = (found: Page, of: PageOf | undefined) => {
    let known = found;
    for (const one of all) known = one.page?.(known, of) ?? known;
    return known;
  };
  return {
    ...unseen,
    listPage: () => async (dir, cursor, op) => {
      const of: PageOf = { what: 'dir', dir, cursor, isWhole: true };
      return page(await inner.listPage(dir, cursor, op), of);
    },
    listTreePage: (listTreePage) => async (dir, cursor, op, range) => {
      const of: PageOf = { what: 'tree', dir, cursor, isWhole: range === undefined };
      return page(await listTreePage(dir, cursor, op, range), of);
    },
    listTreeUnordered: needsOrder
      ? 'hides'
      : (listTreeUnordered) =>
          async function* (dir, atOnce, op) {
            for await (const entries of listTreeUnordered(dir, atOnce, op))
              yield page({ entries }, undefined).entries;
          },
    listDirs: (listDirs) => async (op) => {
      const dirs = await listDirs(op);
      return dirs && mapPages(dirs, (listed) => page(listed, undefined));
    },
  } as const satisfies Partial<Layer>;
}

/** Responses about one path, with what is known of its entry. */
function observedEntries(all: Observers) {
  const unseen = alike(
    [
      ...(['read', 'fetch', 'confirmSize', 'confirmHashes', 'readDirMetadata'] as const),
      ...(['foreignIn', 'unlistedAt', 'changes', 'watch', 'about', 'userInfo'] as const),
      ...(['place.anchor', 'place.lineage', 'place.views', 'inspection.findings'] as const),
      ...(['restoring.keeps', 'restoring.find', 'restoring.isInBin'] as const),
    ],
    'passes',
  );
  if (all.every((one) => one.saw === undefined))
    return { ...unseen, ...alike(['stat', 'details.read'], 'passes') };
  const saw = <E extends Entry>(entry: E, listed: FileEntry | undefined) => {
    let known: Entry = entry;
    for (let at = 0; at < all.length; at++) known = all[at]?.saw?.(known, listed) ?? known;
    return known as E;
  };
  return {
    ...unseen,
    stat: (stat) => async (path, op) => {
      const entry = await stat(path, op);
      return entry && saw(entry, undefined);
    },
    'details.read': (read) => async (file, op, asked) => saw(await read(file, op, asked), file),
  } as const satisfies Partial<Layer>;
}

/** Hashes that are computed, which observers may know or learn. */
function observedHashes(all: Observers) {
  const hashing = all.filter(({ hashed }) => hashed !== undefined);
  const noteHashes: Capabilities['noteHashes'] = (file, hashes, sinceMs) => {
    for (const one of hashing) one.hashed?.(file, hashes, sinceMs);
  };
  const overrides = all.flatMap((one) => one.overrides ?? []);
  return {
    hash: (own) => overrides.reduce((hash, one) => one.hash?.(hash) ?? hash, own),
    hashes: (own) => overrides.reduce((hashes, one) => one.hashes?.(hashes) ?? hashes, own),
    ...alike(['pieces.md5s', 'pieces.cuts'], 'passes'),
    hashMany: (own) => overrides.reduce((many, one) => one.hashMany?.(many) ?? many, own),
    noteHashes: hashing.length === 0 ? 'passes' : { adds: noteHashes },
  } as const satisfies Partial<Layer>;
}

/** An operation that writes a file, with the observers that learn from it; the remote's own if there are none. */
function writingWith<Args extends readonly unknown[], Written extends FileEntry | undefined>(
  all: readonly Observer[],
  clock: Pick<Clock, 'now' | 'monotonic'>,
  kind: WriteKind,
  own: (...args: Args) => Promise<Written>,
  aboutOf?: (...args: Args) => Pick<BegunWrite, 'replaced' | 'from'>,
): (...args: Args) => Promise<Written> {
  const learning = all.filter((one) => one.writes?.includes(kind));
  if (learning.length === 0) return own;
  return async (...args) => {
    const { replaced, from } = aboutOf?.(...args) ?? {};
    // By index: each small file passes here, in code that V8 has not optimized yet.
    for (let at = 0; at < learning.length; at++) {
      const waiting = learning[at]?.before?.();
      if (waiting !== undefined) await waiting;
    }
    const startMs = clock.monotonic();
    const write: BegunWrite = { kind, startMs, sinceMs: clock.now(), replaced, from };
    try {
      const written = await own(...args);
      if (written === undefined) return written;
      for (let at = 0; at < learning.length; at++) {
        const learned = learning[at]?.wrote?.(written, write);
        if (learned !== undefined) await learned;
      }
      return written;
    } catch (error) {
      if (error instanceof SyncerError && error.wrong !== undefined)
        for (const one of learning) await one.undo?.(error.wrong, write);
      throw error;
    }
  };
}

/** What changes something, with the observers that learn from it. */
function observedChanges(all: Observers, inner: Remote, clock: Pick<Clock, 'now' | 'monotonic'>) {
  const has = (member: keyof Observer) => all.some((one) => one[member] !== undefined);
  return {
    // Of files only what the server says next is believed.
    ...alike(
      [
        ...(['makeDir', 'deleteDir', 'setDirModTime', 'setDirMetadata', 'purgeUnlisted'] as const),
        ...(['deleteShortcut', 'linkFrom', 'publicLink', 'deleteLink', 'disconnect'] as const),
        ...(['restoring.restore', 'restoreKept', 'deleteKept', 'cleanUp', 'commands.run'] as const),
      ],
      'passes',
    ),
    write: () =>
      writingWith(all, clock, 'write', inner.write.bind(inner), (source, op) => ({
        replaced: source.replaces ?? op.change?.replaces,
      })),
    delete: has('gone')
      ? (own) => async (files, op, how) => {
          const failures = await own(files, op, how);
          for (const file of files)
            if (!failures.has(file)) for (const one of all) await one.gone?.(file);
          return failures;
        }
      : 'passes',
    copyFrom: (copyFrom) =>
      writingWith(all, clock, 'copy', copyFrom, (_from, _file, _path, op) => ({
        replaced: op.change?.replaces,
      })),
    moveFrom: (moveFrom) =>
      writingWith(all, clock, 'move', moveFrom, (from, file, _path, op) => ({
        replaced: op.change?.replaces,
        from: { remote: from, path: file.path },
      })),
    moveDirFrom: has('mayMoveDir')
      ? (moveDirFrom) => async (from, dir, path, op) => {
          for (const one of all) if ((await one.mayMoveDir?.(from, dir)) === false) return false;
          return moveDirFrom(from, dir, path, op);
        }
      : 'passes',
    setModTime: (setModTime) => writingWith(all, clock, 'set-time', setModTime),
    setTier: all.some(({ writes }) => writes?.includes('set-tier'))
      ? (setTier) =>
          writingWith(all, clock, 'set-tier', async (file, tier, op) => {
            await setTier(file, tier, op);
            return undefined;
          })
      : 'passes',
    purge: has('goneBelow')
      ? (purge) => async (dir, op) => {
          await purge(dir, op);
          for (const one of all) await one.goneBelow?.(dir);
        }
      : 'passes',
    takeBack: (takeBack) => async (file, failed, op) => {
      for (const one of all) one.wrong?.(file);
      const undoes = all.filter(({ undo }) => undo !== undefined);
      if (undoes.length === 0) await takeBack(file, failed, op);
      for (const one of undoes) await one.undo?.(file, undefined);
    },
  } as const satisfies Partial<Layer>;
}

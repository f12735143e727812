import type { Spot } from './change-details.ts';
import type { Clock, Context, MemoryBudget } from './context.ts';
import { SyncerError } from './errors.ts';
import type { Hashes } from './hash-names.ts';
import type { Capabilities, Entry, FileEntry, Op, Page, Remote } from './remote.ts';
import { mapPages } from './remote-calls.ts';

/** A layer's replacements for a remote's own methods; all capabilities if it changes any. */
export type Layer = Partial<Omit<Remote, 'name' | 'root' | 'storeId' | 'title' | 'traits'>>;

/** What a layer does instead of some operations; each gets the remote's own, and is only asked if there is one. */
export type Overrides = {
  readonly [Name in keyof Capabilities]?:
    | ((own: NonNullable<Capabilities[Name]>) => NonNullable<Capabilities[Name]>)
    | undefined;
};

/** The capabilities with these overrides. What a remote cannot do stays absent. */
export function overriding(can: Capabilities, overrides: Overrides): Capabilities {
  const changed: Record<string, unknown> = { ...can };
  for (const name of Object.keys(overrides) as (keyof Capabilities)[]) {
    const override = overrides[name] as ((own: unknown) => unknown) | undefined;
    if (override !== undefined && can[name] !== undefined) changed[name] = override(can[name]);
  }
  return changed;
}

const inside = new WeakMap<Remote, Remote>();

/** The remote with a layer around it. Anything the layer does not define is the remote's own. */
export function around(inner: Remote, layer: Layer): Remote {
  const { name, root, storeId, title, traits, can } = inner;
  const outer: Remote = {
    name,
    root,
    title,
    traits,
    can,
    ...(storeId === undefined ? {} : { storeId }),
    ...(inner.isTooLong && { isTooLong: inner.isTooLong.bind(inner) }),
    listPage: inner.listPage.bind(inner),
    stat: inner.stat.bind(inner),
    read: inner.read.bind(inner),
    write: inner.write.bind(inner),
    delete: inner.delete.bind(inner),
    makeDir: inner.makeDir.bind(inner),
    deleteDir: inner.deleteDir.bind(inner),
    close: inner.close.bind(inner),
    ...layer,
  };
  inside.set(outer, inner);
  return outer;
}

/** A remote and the layers below it, from the outermost to the remote that the backend opened. */
export function* layersOf(remote: Remote): Generator<Remote> {
  for (let at: Remote | undefined = remote; at !== undefined; at = inside.get(at)) yield at;
}

/** The remote that the backend opened. Operations between two remotes of one backend use these. */
export const innermost = (remote: Remote): Remote => [...layersOf(remote)].at(-1) ?? remote;

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

/** What learns from the responses of a remote, or adds to them. Absent members: it has no use for these. */
export interface Observer {
  /** The writes that it learns from. */
  readonly writes?: readonly WriteKind[];
  /** It adds to listings in the order of names; the remote has no others then. */
  readonly needsOrder?: true;
  /** Operations that it may carry out itself. */
  readonly overrides?: Overrides;
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
  const layer: { -readonly [Member in keyof Layer]: Layer[Member] } = {};
  const { listTreeUnordered: _, ...ordered } = inner.can;
  let can: Capabilities = has('needsOrder') ? ordered : inner.can;
  if (has('page')) {
    const page = (found: Page, of: PageOf | undefined) => {
      let known = found;
      for (const one of all) known = one.page?.(known, of) ?? known;
      return known;
    };
    layer.listPage = async (dir, cursor, op) => {
      const of: PageOf = { what: 'dir', dir, cursor, isWhole: true };
      return page(await inner.listPage(dir, cursor, op), of);
    };
    can = overriding(can, {
      listTreePage: (listTreePage) => async (dir, cursor, op, range) => {
        const of: PageOf = { what: 'tree', dir, cursor, isWhole: range === undefined };
        return page(await listTreePage(dir, cursor, op, range), of);
      },
      listTreeUnordered: (listTreeUnordered) =>
        async function* (dir, atOnce, op) {
          for await (const entries of listTreeUnordered(dir, atOnce, op))
            yield page({ entries }, undefined).entries;
        },
      listDirs: (listDirs) => async (op) => {
        const dirs = await listDirs(op);
        return dirs && mapPages(dirs, (listed) => page(listed, undefined));
      },
    });
  }
  if (has('saw')) {
    const saw = <E extends Entry>(entry: E, listed: FileEntry | undefined) => {
      let known: Entry = entry;
      for (let at = 0; at < all.length; at++) known = all[at]?.saw?.(known, listed) ?? known;
      return known as E;
    };
    layer.stat = async (path, op) => {
      const entry = await inner.stat(path, op);
      return entry && saw(entry, undefined);
    };
    can = overriding(can, {
      details: (details) => ({
        ...details,
        read: async (file, op, asked) => saw(await details.read(file, op, asked), file),
      }),
    });
  }
  layer.write = writingWith(all, clock, 'write', inner.write.bind(inner), (source, op) => ({
    replaced: source.replaces ?? op.change?.replaces,
  }));
  can = overriding(can, changingWith(all, clock));
  if (has('gone')) {
    layer.delete = async (files, op, how) => {
      const failures = await inner.delete(files, op, how);
      for (const file of files)
        if (!failures.has(file)) for (const one of all) await one.gone?.(file);
      return failures;
    };
  }
  for (const { overrides } of all) if (overrides) can = overriding(can, overrides);
  const hashing = all.filter(({ hashed }) => hashed !== undefined);
  if (hashing.length > 0) {
    const noteHashes: Capabilities['noteHashes'] = (file, hashes, sinceMs) => {
      for (const one of hashing) one.hashed?.(file, hashes, sinceMs);
    };
    can = { ...can, noteHashes };
  }
  if (has('close')) {
    layer.close = async () => {
      for (const one of all) one.close?.();
      await inner.close();
    };
  }
  return around(inner, { ...layer, can });
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

function changingWith(
  all: readonly Observer[],
  clock: Pick<Clock, 'now' | 'monotonic'>,
): Overrides {
  return {
    copyFrom: (copyFrom) =>
      writingWith(all, clock, 'copy', copyFrom, (_from, _file, _path, op) => ({
        replaced: op.change?.replaces,
      })),
    moveFrom: (moveFrom) =>
      writingWith(all, clock, 'move', moveFrom, (from, file, _path, op) => ({
        replaced: op.change?.replaces,
        from: { remote: from, path: file.path },
      })),
    moveDirFrom: all.some(({ mayMoveDir }) => mayMoveDir !== undefined)
      ? (moveDirFrom) => async (from, dir, path, op) => {
          for (const one of all) if ((await one.mayMoveDir?.(from, dir)) === false) return false;
          return moveDirFrom(from, dir, path, op);
        }
      : undefined,
    setModTime: (setModTime) => writingWith(all, clock, 'set-time', setModTime),
    setTier: all.some(({ writes }) => writes?.includes('set-tier'))
      ? (setTier) =>
          writingWith(all, clock, 'set-tier', async (file, tier, op) => {
            await setTier(file, tier, op);
            return undefined;
          })
      : undefined,
    purge: all.some(({ goneBelow }) => goneBelow !== undefined)
      ? (purge) => async (dir, op) => {
          await purge(dir, op);
          for (const one of all) await one.goneBelow?.(dir);
        }
      : undefined,
    takeBack: (takeBack) => async (file, failed, op) => {
      for (const one of all) one.wrong?.(file);
      const undoes = all.filter(({ undo }) => undo !== undefined);
      if (undoes.length === 0) await takeBack(file, failed, op);
      for (const one of undoes) await one.undo?.(file, undefined);
    },
  };
}

/** What a stream of content holds: chunks that were read and wait, in bytes. */
const STREAM = 2 * 1024 ** 2;

/** What a page of a listing takes, as text and as entries, in bytes. */
const LISTING_PAGE = 1024 ** 2;

/** Reads a file to its end with its share of the memory: for what is compared or hashed, and written nowhere. */
export async function readingWith<T>(
  { memory, signal }: Pick<Context, 'memory' | 'signal'>,
  streams: number,
  read: () => Promise<T>,
): Promise<T> {
  const share = await memory?.take(STREAM * streams, STREAM * streams, signal);
  try {
    return await read();
  } finally {
    share?.release();
  }
}

/**
 * The remote whose writes and listings wait for their share of the memory. No call takes one while it holds another,
 * so that none waits for itself.
 */
export function withMemory(remote: Remote, memory: MemoryBudget): Remote {
  const { can, traits } = remote;
  const listing = async (op: Op, list: () => Promise<Page>): Promise<Page> => {
    if (traits.onDisk) return list();
    const share = await memory.take(LISTING_PAGE, LISTING_PAGE, op.signal);
    try {
      return await list();
    } finally {
      share.release();
    }
  };
  return around(remote, {
    listPage: (dir, cursor, op) => listing(op, () => remote.listPage(dir, cursor, op)),
    async write(source, op) {
      const usual = Math.min(STREAM, source.size ?? STREAM);
      const { least, most } = can.writeMemory?.(source) ?? { least: usual, most: usual };
      const share = await memory.take(least, most, op.signal);
      try {
        return await remote.write(source, { ...op, room: share.bytes });
      } finally {
        share.release();
      }
    },
    can: overriding(can, {
      listTreePage: (listTreePage) => (dir, cursor, op, range) =>
        listing(op, () => listTreePage(dir, cursor, op, range)),
    }),
  });
}

import { createHash } from 'node:crypto';
import type { Clock } from '../../../../src/core/context.ts';
import { type ModTime, modTimeFromMs } from '../../../../src/core/mod-time.ts';
import { compareEntries } from '../../../../src/core/name-order.ts';
import type { DirEntry, Entry, FileEntry, Page, Remote } from '../../../../src/core/remote.ts';

/** One writing of an object. */
export interface Version {
  readonly content: string;
  readonly modTime: ModTime;
  /** By the store's clock, in milliseconds. */
  readonly writtenMs: number;
}

/** A machine's monotonic clock that goes on when it is told to, and a wall clock that may be wrong. */
export class TestClock implements Clock {
  monotonicMs = 0;
  wallMs = 1_600_000_000_000;
  now = () => this.wallMs;
  monotonic = () => this.monotonicMs;
  sleep = async () => {};
}

/** How a store is. */
export interface StoreRules {
  /** What its listings cut LastModified to, in milliseconds; answers to HEAD tell whole seconds. */
  readonly listedMs: 1 | 1000;
  readonly pageSize: number;
  readonly clock: TestClock;
  readonly withoutEtags?: boolean;
  /** How long an answer is on its way, in milliseconds. */
  readonly latencyMs: number;
}

const START_MS = 1_700_000_000_250;

/** A store that keeps times as S3 does, with every version of every object. It counts the requests for details. */
export class TimedStore {
  readonly rules: StoreRules;
  readonly versions = new Map<string, Version[]>();
  /** Also those that were undone. */
  readonly everWritten = new Map<string, Version[]>();
  details = 0;

  constructor(rules: StoreRules) {
    this.rules = rules;
  }

  get nowMs(): number {
    return START_MS + this.rules.clock.monotonicMs;
  }

  /** Writes as anybody may. */
  put(path: string, content: string, modTime: ModTime): void {
    const version = { content, modTime, writtenMs: this.nowMs };
    for (const all of [this.versions, this.everWritten]) {
      all.set(path, [...(all.get(path) ?? []), version]);
    }
  }

  /** Removes the last version: the one before is there again. */
  undo(path: string): void {
    this.versions.get(path)?.pop();
  }

  at(path: string): Version | undefined {
    return this.versions.get(path)?.at(-1);
  }

  /** The store as a remote; its traits are `traits`. */
  remote(traits: Remote['traits'] = TRAITS): Remote {
    const detailed = (path: string): FileEntry => {
      const version = this.at(path);
      if (version === undefined) throw new Error(`${path} is not there`);
      return {
        ...this.#listed(path, version, 1000),
        modTime: version.modTime,
        toldAt: modTimeFromMs(cut(this.nowMs, 1000)),
        mimeType: 'text/plain',
      };
    };
    const sent = (answer: FileEntry): FileEntry => {
      this.rules.clock.monotonicMs += this.rules.latencyMs;
      return answer;
    };
    const unused = async () => {
      throw new Error('not used here');
    };
    return {
      name: 'timed',
      root: 'bucket',
      title: 'Timed store',
      storeId: 'timed store',
      traits,
      can: {
        details: {
          read: async ({ path }) => {
            this.details++;
            return sent(detailed(path));
          },
        },
        setModTime: async (file, modTime) => {
          const { mimeType: _type, ...before } = detailed(file.path);
          this.put(file.path, this.at(file.path)?.content ?? '', modTime);
          const { storedTime: _stored, ...kept } = before;
          return sent({ ...kept, modTime });
        },
        listTreePage: async (_dir, cursor) => this.#page(this.#files(), cursor),
      },
      listPage: async (dir, cursor) => this.#page(this.#level(dir), cursor),
      stat: unused,
      read: unused,
      write: async (source) => {
        const body = await source.open(undefined, { signal: new AbortController().signal });
        this.put(source.path, String(body), source.modTime ?? 0n);
        const { storedTime: _stored, mimeType: _type, ...written } = detailed(source.path);
        return sent(written);
      },
      delete: unused,
      makeDir: unused,
      deleteDir: unused,
      close: async () => {},
    };
  }

  #listed(path: string, { content, writtenMs }: Version, cutMs: number): FileEntry {
    const etag = createHash('md5').update(content).digest('hex');
    const storedTime = modTimeFromMs(cut(writtenMs, cutMs));
    const about = this.rules.withoutEtags === true ? {} : { etag };
    return { kind: 'file', path, size: content.length, storedTime, ...about };
  }

  #files(): FileEntry[] {
    return [...this.versions]
      .flatMap(([path, versions]) => {
        const version = versions.at(-1);
        return version === undefined ? [] : [this.#listed(path, version, this.rules.listedMs)];
      })
      .sort(compareEntries);
  }

  #level(dir: string): Entry[] {
    const prefix = dir === '' ? '' : `${dir}/`;
    const below = this.#files().filter(({ path }) => path.startsWith(prefix));
    const dirs = new Map<string, DirEntry>();
    for (const { path } of below) {
      const slash = path.indexOf('/', prefix.length);
      if (slash >= 0) dirs.set(path.slice(0, slash), { kind: 'dir', path: path.slice(0, slash) });
    }
    const files = below.filter(({ path }) => !path.includes('/', prefix.length));
    return [...files, ...dirs.values()].sort(compareEntries);
  }

  #page(all: readonly Entry[], cursor: string | undefined): Page {
    const from = Number(cursor ?? 0);
    const to = from + this.rules.pageSize;
    const entries = all.slice(from, to);
    return to < all.length ? { entries, cursor: String(to) } : { entries };
  }
}

const TRAITS: Remote['traits'] = {
  hashes: ['md5'],
  slowHash: false,
  modTimePrecision: 1n,
  slowModTime: true,
  caseInsensitive: false,
  emptyDirs: false,
  sortedPages: true,
  bucketBased: true,
  onDisk: false,
};

function cut(ms: number, toMs: number): number {
  return Math.floor(ms / toMs) * toMs;
}

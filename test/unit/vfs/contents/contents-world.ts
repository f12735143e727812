import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { memoryRemote } from '../../../../src/backends/memory/memory-remote.ts';
import { MemoryTree } from '../../../../src/backends/memory/memory-tree.ts';
import { collectBody } from '../../../../src/core/body.ts';
import { type Clock, type MemoryBudget, systemClock } from '../../../../src/core/context.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';
import { QuickDisk } from '../../../../src/system/quick-disk.ts';
import { BlockBudget } from '../../../../src/vfs/contents/block-budget.ts';
import { CacheFolder } from '../../../../src/vfs/contents/cache-folder.ts';
import { Contents, type FileContents } from '../../../../src/vfs/contents/contents.ts';
import {
  type ContentsKit,
  Holds,
  KeptReaders,
  RequestBuffers,
  Uploaded,
} from '../../../../src/vfs/contents/contents-kit.ts';
import { DiskCache } from '../../../../src/vfs/contents/disk-cache.ts';
import type { ContentAccess, FileHandle } from '../../../../src/vfs/contents/file-contents.ts';
import { Journal } from '../../../../src/vfs/contents/journal.ts';
import { openContents } from '../../../../src/vfs/contents/open-contents.ts';
import type { VfsOptions } from '../../../../src/vfs/vfs-options.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { VFS_DEFAULTS } from '../../../support/vfs-defaults.ts';

export const op = { signal: new AbortController().signal };

/** Ways of opening. */
export const READ: ContentAccess = { read: true, write: false, truncate: false };
export const WRITE: ContentAccess = { ...READ, read: false, write: true };
export const CREATE: ContentAccess = { ...WRITE, truncate: true };
export const UPDATE: ContentAccess = { ...READ, write: true };

/** A remote in memory that minds versions, and contents above it that can be opened again and again. */
export class ContentsWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'syncer-contents-'));
  readonly tree = new MemoryTree();
  readonly plain: Remote = memoryRemote({ name: 'mem', tree: this.tree });
  readonly events: SyncerEvent[] = [];
  remote: Remote = strict(this.plain);
  cacheDir = join(this.folder, 'cache');
  boot = 'boot 1';
  clock: Clock = systemClock;
  /** Absent: the memory of the process is not limited. */
  memory: MemoryBudget | undefined;
  #opened: FileContents[] = [];
  #copies = 0;

  constructor() {
    onTestFinished(async () => {
      for (const contents of this.#opened) await contents.close().catch(() => undefined);
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  async open(options: Partial<VfsOptions> = {}): Promise<FileContents> {
    const all = {
      ...VFS_DEFAULTS,
      cacheDir: this.cacheDir,
      cacheMode: 'full' as const,
      writeBack: 3_600_000,
      readWait: 0,
      ...options,
    };
    const { clock } = this;
    const emit = (event: SyncerEvent) => void this.events.push(event);
    const { memory } = this;
    const context = { signal: op.signal, clock, emit, ...(memory && { memory }) };
    const contents = await openContents(this.remote, all, this.cacheDir, context, this.boot);
    this.#opened.push(contents);
    return contents;
  }

  /** What is on the disk at this moment, as if the program had been killed: the next `open` finds that. */
  crash(): void {
    const copy = join(this.folder, `copy-${++this.#copies}`);
    try {
      cpSync(this.cacheDir, copy, { recursive: true });
    } catch (thrown) {
      // A thread has renamed or deleted what was being copied.
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
      this.crash();
      return;
    }
    this.cacheDir = copy;
  }

  /** Puts a file on the remote, past the mount. */
  async put(path: string, content: Uint8Array | string, modTime = 1n): Promise<FileEntry> {
    const body = Buffer.from(content);
    const open = async () => body;
    return this.plain.write({ path, size: body.length, modTime, seekable: true, open }, op);
  }

  /** What the remote has. */
  async get(path: string): Promise<Buffer | undefined> {
    const entry = await this.plain.stat(path, op);
    if (entry?.kind !== 'file') return undefined;
    return collectBody(await this.plain.read(entry, undefined, op), op.signal);
  }

  async entry(path: string): Promise<FileEntry | undefined> {
    const entry = await this.plain.stat(path, op);
    return entry?.kind === 'file' ? entry : undefined;
  }

  logLines(): string[] {
    return this.events.flatMap((event) =>
      event.type === 'log' ? [`${event.level}: ${event.path ?? ''}: ${messageOf(event)}`] : [],
    );
  }
}

/** A clock whose waits below a minute pass at once. */
export const hastyClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms < 50_000 ? 0 : ms, signal),
};

/** Refuses to read another version than the one that was asked for, as real stores do. */
function strict(remote: Remote): Remote {
  return remoteBut(remote, {
    read: async (file, range, at) => {
      const now = await remote.stat(file.path, at);
      if (now?.kind === 'file' && now.hashes?.md5 !== file.hashes?.md5) {
        const { SyncerError } = await import('../../../../src/core/errors.ts');
        throw new SyncerError('source-changed', `${file.path} was replaced`);
      }
      return remote.read(file, range, at);
    },
  });
}

/** Writes and closes a file. */
export async function writeFile(
  contents: FileContents,
  path: string,
  content: Uint8Array | string,
  entry?: FileEntry,
): Promise<void> {
  const file = await contents.open(path, entry, CREATE, op);
  await file.write(0, Buffer.from(content), op);
  await closeFile(file);
}

/** As close(2) does. */
export async function closeFile(file: FileHandle): Promise<void> {
  try {
    await file.flush(op);
  } finally {
    await file.release(op);
  }
}

/** All that is in a file. */
export async function readAll(contents: FileContents, path: string, entry?: FileEntry) {
  const file = await contents.open(path, entry, READ, op);
  try {
    return Buffer.from(await file.read(0, file.size(), op));
  } finally {
    await closeFile(file);
  }
}

/**
 * The contents of a mount with its parts, opened on what is in `cacheDir` now: so that a test can see the files of the
 * cache. Nothing of an earlier run is resumed.
 */
export function openParts(world: ContentsWorld, remote: Remote, options: Partial<VfsOptions> = {}) {
  const context = { signal: op.signal, clock: hastyClock, emit: () => {} };
  const disk = new QuickDisk(hastyClock);
  const folder = new CacheFolder(world.cacheDir, remote);
  folder.make();
  const journal = new Journal(folder.journal, disk);
  const kit: ContentsKit = {
    remote,
    options: { ...VFS_DEFAULTS, cacheDir: world.cacheDir, cacheMode: 'full', ...options },
    context,
    budget: new BlockBudget(0, 0),
    buffers: new RequestBuffers(),
    holds: new Holds(() => cache.uploads.goOn()),
    disk,
    readers: new KeptReaders(hastyClock, 0),
    uploaded: new Uploaded(),
    mimeType: () => '',
  };
  const cache: DiskCache = new DiskCache(kit, folder, journal, world.boot);
  const contents = new Contents(kit, cache, () => journal.close());
  return { contents, cache, journal };
}

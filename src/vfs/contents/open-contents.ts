import { open } from 'node:fs/promises';
import type { Context } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { systemMimeTypes } from '../../names/mime-types.ts';
import { loadLibc } from '../../system/libc.ts';
import { machineBoot } from '../../system/owner-state.ts';
import { QuickDisk } from '../../system/quick-disk.ts';
import type { VfsOptions } from '../vfs-options.ts';
import { BlockBudget } from './block-budget.ts';
import { CacheFolder } from './cache-folder.ts';
import { Contents, type FileContents } from './contents.ts';
import { type ContentsKit, Holds, KeptReaders, RequestBuffers, Uploaded } from './contents-kit.ts';
import { DiskCache } from './disk-cache.ts';
import { diskError } from './disk-error.ts';
import { Journal, type JournalRecord } from './journal.ts';

/** `LOCK_EX | LOCK_NB` */
const EXCLUSIVE_AT_ONCE = 6;
/** How many readers without a disk cache can have their full read-ahead. */
const FULL_READERS = 4;

/**
 * Opens the contents of a mount. Uploads of an earlier run continue in the background. With cache mode `off` there is
 * a cache only for these, if no other mount uses it. Rejects with `locked` if another mount uses the cache of this
 * remote, and with errors of its disk.
 *
 * @param cacheDir absolute path of the directory for the caches of all remotes
 * @param boot identifies this boot of the machine
 */
export async function openContents(
  remote: Remote,
  options: VfsOptions,
  cacheDir: string,
  context: Context,
  boot = machineBoot().boot,
): Promise<FileContents> {
  const { bufferSize } = options;
  const { ofMount = Number.POSITIVE_INFINITY } = context.memory ?? {};
  const readAhead = Math.min(bufferSize * FULL_READERS, ofMount);
  let letGo = () => {};
  const kit: ContentsKit = {
    remote,
    options,
    context,
    budget: new BlockBudget(readAhead, Math.min(bufferSize, readAhead)),
    buffers: new RequestBuffers(),
    holds: new Holds(() => letGo()),
    disk: new QuickDisk(context.clock),
    readers: new KeptReaders(context.clock, options.handleCaching),
    uploaded: new Uploaded(),
    mimeType: systemMimeTypes(),
  };
  const folder = new CacheFolder(cacheDir, remote);
  const opened = await openCache(kit, folder);
  if (opened === undefined) return new Contents(kit, undefined);
  const { journal, unlock } = opened;
  const cache = new DiskCache(kit, folder, journal, boot);
  letGo = () => cache.uploads.goOn();
  const stop = new AbortController();
  const recovery = decideRecovery(journal.records.values(), boot);
  const { pending, clean } = recovery;
  // Changes nothing on disk yet.
  for (const record of clean) cache.know(record);
  for (const record of pending) cache.uploads.schedule(cache.restore(record), options.writeBack);
  if (pending.length > 0) {
    const fields = { count: pending.length };
    context.emit({ type: 'log', level: 'notice', code: 'uploads-resumed', fields });
  }
  const background = inBackground(kit, cache, folder, recovery, stop.signal);
  const closed = async () => {
    stop.abort();
    await background;
    await cache.secure().catch(() => undefined);
    await journal.close();
    await unlock();
  };
  return new Contents(kit, cache, closed);
}

async function openCache(kit: ContentsKit, folder: CacheFolder) {
  const isOff = kit.options.cacheMode === 'off';
  if (isOff && !hasPending(folder, kit.disk)) return undefined;
  try {
    folder.make();
    const lock = await lockCache(folder.lock, kit.remote.title);
    const journal = new Journal(folder.journal, kit.disk, lock.renew);
    return { journal, unlock: lock.unlock };
  } catch (thrown) {
    if (!isOff) throw diskError(thrown, folder.path);
    const fields = { why: toSyncerError(thrown) };
    kit.context.emit({ type: 'log', level: 'notice', code: 'uploads-not-resumed', fields });
    return undefined;
  }
}

function hasPending(folder: CacheFolder, disk: QuickDisk): boolean {
  try {
    const records = new Journal(folder.journal, disk).records.values();
    return [...records].some(({ state }) => state !== 'clean');
  } catch {
    return false;
  }
}

/** Deletes what is useless, then cleans the cache from time to time. */
async function inBackground(
  kit: ContentsKit,
  cache: DiskCache,
  folder: CacheFolder,
  { doubtful, useless }: ReturnType<typeof decideRecovery>,
  signal: AbortSignal,
): Promise<void> {
  const { clock, emit } = kit.context;
  try {
    for (const { id, path, state } of doubtful) {
      const kept = await folder.setAside(id, path);
      if (kept === undefined) continue;
      const wasOpen = state === 'open';
      const fields = { why: wasOpen ? 'open' : 'crash', kept } as const;
      const event = { code: 'upload-refused', fields } as const;
      emit({ type: 'log', level: wasOpen ? 'notice' : 'error', path, ...event });
    }
    for (const { id } of useless) await folder.removeData(id);
    await cache.journal.drop([...doubtful, ...useless].map(({ id }) => id));
    const isKnown = (id: string) => cache.isKnown(id);
    // Files that were never uploaded may be among them.
    const nameless = cache.journal.isDamaged ? await folder.unknown(isKnown) : [];
    for (const id of nameless) {
      const kept = await folder.setAside(id, 'unknown');
      if (kept === undefined) continue;
      const fields = { why: 'journal', kept } as const;
      emit({ type: 'log', level: 'error', code: 'upload-refused', fields });
    }
    await folder.sweep(isKnown, clock.now());
    const { cachePollInterval } = kit.options;
    while (!signal.aborted) {
      await cache.clean();
      await cache.secure();
      if (cachePollInterval <= 0) return;
      await clock.sleep(cachePollInterval, signal);
    }
  } catch (thrown) {
    if (signal.aborted) return;
    const fields = { why: toSyncerError(thrown) };
    emit({ type: 'log', level: 'error', code: 'cache-not-cleaned', fields });
  }
}

/** Locks a cache directory for this process, also against a crash. Rejects with `locked`. */
async function lockCache(path: string, remote: string) {
  let file = await lockFile(path, remote);
  return {
    /** Locks it again if another program has deleted the file of the lock. Rejects with `locked`. */
    renew: async () => {
      if ((await file.stat()).nlink > 0) return;
      const next = await lockFile(path, remote);
      await file.close();
      file = next;
    },
    unlock: () => file.close(),
  };
}

async function lockFile(path: string, remote: string) {
  const file = await open(path, 'a', 0o600);
  try {
    const flock = (await loadLibc()).func('flock', 'int', ['int', 'int']);
    if (flock(file.fd, EXCLUSIVE_AT_ONCE) !== 0) {
      throw new SyncerError('locked', `another mount of ${remote} uses the same cache`, {
        advice: 'use another cache with --cache-dir, or unmount the other',
      });
    }
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/**
 * Decides about every record. Records of the same boot are valid; of an earlier boot only those that hold their
 * content or are safe. The newest record of a path counts.
 */
function decideRecovery(records: Iterable<JournalRecord>, boot: string) {
  const byPath = new Map<string, JournalRecord>();
  const doubtful: JournalRecord[] = [];
  const useless: JournalRecord[] = [];
  for (const record of [...records].sort((a, b) => a.number - b.number)) {
    const isThere =
      record.safe === true || record.content !== undefined || (record.boot === boot && boot !== '');
    if (record.state === 'open' || (record.state === 'pending' && !isThere)) doubtful.push(record);
    else if (!isThere) useless.push(record);
    else {
      const older = byPath.get(record.path);
      if (older !== undefined) useless.push(older);
      byPath.set(record.path, record);
    }
  }
  const counted = [...byPath.values()];
  return {
    /** Closed and not uploaded. */
    pending: counted.filter(({ state }) => state === 'pending'),
    /** Usable instead of the remote's content while that is the same. */
    clean: counted.filter(({ state }) => state === 'clean'),
    /** Never closed, or possibly half written at a power cut. */
    doubtful,
    /** To be deleted. */
    useless,
  };
}

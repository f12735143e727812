import fs from 'node:fs';
import { promisify } from 'node:util';
import type { Op, WriteSource } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import type {
  UploadRecord,
  UploadRecords,
  UploadRecordsAccess,
} from '../../core/upload-records.ts';
import { isPartialName } from '../../names/partial-name.ts';
import { fsPath } from '../../system/fs-path.ts';
import { mayContinue, type NewUpload, resumable } from '../resumed-uploads.ts';
import type { PartialFile } from './commit-partial.ts';
import { showPath } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { discard, parentOf } from './partial-file.ts';
import { partLength, type WriteProgress } from './write-parts.ts';

const syncData = promisify(fs.fdatasync);

/** How often the disk is asked to write what has arrived, in milliseconds: what a power cut costs at most. */
const SYNC_MS = 5000;

/** In `UploadHead.store`: paths are of this machine. */
const DISK = 'disk';

/** A download that another run can continue. */
export interface KeptDownload extends WriteProgress {
  readonly partial: PartialFile;
  /** How many bytes are there. */
  total(): number;
  /** The open file of an earlier run. */
  readonly fd: number | undefined;
  /** The file that is written from now on. */
  writes(fd: number): void;
  /** Records what is written, once it is on the disk. */
  sync(): Promise<void>;
  /** Resolves when the file is no longer used here. Never rejects. */
  settle(): Promise<void>;
  /** The file has its name. */
  end(): Promise<void>;
  /** The write failed: keeps the file for the next attempt or run if enough is there, or deletes it. */
  fail(thrown: unknown, op: Op): Promise<void>;
}

/**
 * The download of a large file that an earlier run began, or a new one that can be continued; `undefined` where nothing
 * identifies the source or proves the whole content at the end.
 */
export async function openKept(
  disk: LocalDisk,
  downloads: UploadRecordsAccess,
  source: WriteSource & { readonly size: number },
  target: string,
  streams: number,
): Promise<KeptDownload | undefined> {
  const { size, hashes = {} } = source;
  if (Object.keys(hashes).length === 0) return;
  const partSize = streams > 1 ? partLength(source, streams) : size;
  const wanted = { store: DISK, path: target, size, partSize, options: '' };
  const head = resumable(source, downloads, wanted);
  if (head === undefined) return;
  const records = await downloads.open();
  // Their files are old, too: the next run that writes to their directories deletes them.
  for (const old of await records.takeOld(DISK)) await old.delete();
  const found = await reopen(disk, source, head, records);
  return found ?? begin(disk, source, head, records);
}

async function begin(
  disk: LocalDisk,
  { path }: WriteSource,
  head: NewUpload,
  records: UploadRecords,
): Promise<KeptDownload> {
  const partial = { path: disk.newPartial(head.path, true), target: head.path };
  const record = await records.create({ ...head, id: partial.path });
  return keptDownload(disk, { path, partial, record, before: new Map() });
}

/** The newest file that can be continued, under a name of this process; the others are deleted. */
async function reopen(
  disk: LocalDisk,
  { path }: WriteSource,
  head: NewUpload,
  records: UploadRecords,
): Promise<KeptDownload | undefined> {
  const { emit } = disk.context;
  let found: KeptDownload | undefined;
  for (const record of await records.take(head.store, head.path)) {
    const { id, source, size, partSize } = record.head;
    const isOurs = parentOf(id) === parentOf(head.path) && isPartialName(leafName(id));
    const isSame = source === head.source && size === head.size && partSize === head.partSize;
    if (isOurs && isSame && found === undefined)
      found = await takeOver(disk, path, record, head, records);
    else if (isOurs) discard(id);
    await record.delete();
    if (!isSame) {
      emit({ type: 'log', level: 'info', path, code: 'download-restarted' });
    }
  }
  if (found !== undefined) {
    const bytes = found.total();
    const fields = { bytes, percent: Math.floor((100 * bytes) / head.size) };
    emit({ type: 'log', level: 'info', path, code: 'download-resumed', fields });
  }
  return found;
}

async function takeOver(
  disk: LocalDisk,
  path: string,
  { head: { id }, parts }: UploadRecord,
  head: NewUpload,
  records: UploadRecords,
): Promise<KeptDownload | undefined> {
  const partial = { path: disk.newPartial(head.path, true), target: head.path };
  let fd: number;
  try {
    fs.renameSync(fsPath(id), fsPath(partial.path));
    fd = fs.openSync(fsPath(partial.path), fs.constants.O_RDWR | fs.constants.O_NOFOLLOW);
  } catch {
    discard(partial.path);
    return undefined;
  }
  const stats = fs.fstatSync(fd);
  if (!stats.isFile() || stats.nlink !== 1 || stats.uid !== process.getuid?.()) {
    fs.closeSync(fd);
    discard(partial.path);
    return undefined;
  }
  const done = new Map<number, number>();
  for (const { number, size } of parts) {
    const offset = number * head.partSize;
    const length = Math.min(head.partSize, head.size - offset);
    // What the record has is on the disk, unless another program has shortened the file.
    if (size <= length && offset + size <= stats.size) done.set(number, size);
  }
  const record = await records.create({ ...head, id: partial.path });
  for (const [number, size] of done) await record.add({ number, size, etag: '', md5: '' });
  return keptDownload(disk, { path, partial, record, fd, before: done });
}

function keptDownload(
  disk: LocalDisk,
  {
    path,
    partial,
    record,
    fd,
    before,
  }: {
    readonly path: string;
    readonly partial: PartialFile;
    readonly record: UploadRecord;
    readonly fd?: number;
    readonly before: ReadonlyMap<number, number>;
  },
): KeptDownload {
  const { clock, emit } = disk.context;
  const now = new Map(before);
  const recorded = new Map(before);
  let file = fd;
  let lastMs = clock.monotonic();
  let syncing: Promise<void> = Promise.resolve();
  const total = () => [...now.values()].reduce((sum, bytes) => sum + bytes, 0);
  const sync = async () => {
    const seen = [...now].filter(([part, bytes]) => recorded.get(part) !== bytes);
    if (file === undefined || seen.length === 0) return;
    try {
      await syncData(file);
    } catch {
      return;
    }
    for (const [number, size] of seen) {
      recorded.set(number, size);
      await record.add({ number, size, etag: '', md5: '' });
    }
  };
  const syncNext = () => {
    lastMs = clock.monotonic();
    syncing = syncing.then(sync);
    return syncing;
  };
  return {
    partial,
    fd,
    total,
    writes(opened) {
      file = opened;
    },
    done: (part) => before.get(part) ?? 0,
    written(part, bytes) {
      now.set(part, (now.get(part) ?? 0) + bytes);
      if (clock.monotonic() - lastMs >= SYNC_MS) void syncNext();
    },
    sync: syncNext,
    settle: () => syncing,
    end: () => record.delete(),
    async fail(thrown, op) {
      const bytes = [...recorded.values()].reduce((sum, size) => sum + size, 0);
      const mayKeep = mayContinue(bytes, disk.downloads, thrown, op);
      if (mayKeep && (await record.release())) {
        const { size: of } = record.head;
        const fields = { bytes, of, at: showPath(partial.path) };
        emit({ type: 'log', level: 'notice', path, code: 'download-kept', fields });
        return;
      }
      discard(partial.path);
      await record.delete();
    },
  };
}

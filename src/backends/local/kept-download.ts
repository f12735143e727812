import fs from 'node:fs';
import { promisify } from 'node:util';
import type { Hashes } from '../../core/hash-names.ts';
import type { FileEntry, Op, WriteSource } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import type {
  UploadRecord,
  UploadRecords,
  UploadRecordsAccess,
} from '../../core/upload-records.ts';
import { isPartialName } from '../../names/partial-name.ts';
import { fsPath } from '../../system/fs-path.ts';
import { mayContinue, type NewUpload, resumable } from '../resumed-uploads.ts';
import { commitPartial, openNew, type PartialFile } from './commit-partial.ts';
import { fsError, showPath } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { parentOf } from './local-entry.ts';
import { discard } from './partial-file.ts';
import { partLength, type WriteProgress } from './write-parts.ts';

/** How often the disk is asked to write what has arrived, in milliseconds: what a power cut costs at most. */
const SYNC_MS = 5000;
/** In `UploadHead.store`: paths are of this machine. */
const DISK = 'disk';

/** A download that another run can continue. */
interface KeptDownload {
  readonly partial: PartialFile;
  readonly fd: number;
  readonly record: UploadRecord;
  /** How many bytes an earlier run has written of each part. */
  readonly before: ReadonlyMap<number, number>;
}

/** Writes a large file by `fill`, or continues one; `undefined` where nothing identifies its source or proves it. */
export async function writeKept(
  disk: LocalDisk,
  downloads: UploadRecordsAccess,
  source: WriteSource & { readonly size: number },
  target: string,
  streams: number,
  op: Op,
  fill: (fd: number, progress: WriteProgress) => Promise<Hashes>,
): Promise<FileEntry | undefined> {
  const { path, size, hashes = {} } = source;
  if (Object.keys(hashes).length === 0) return;
  const partSize = streams > 1 ? partLength(source, streams) : size;
  const wanted = { store: DISK, path: target, size, partSize, options: '' };
  const head = resumable(source, downloads, wanted);
  if (head === undefined) return;
  const records = await downloads.open();
  // Their files are old, too: the next run that writes to their directories deletes them.
  for (const old of await records.takeOld(DISK)) await old.delete();
  let kept = await reopen(disk, path, head, records);
  if (kept === undefined) {
    const partial = { path: disk.newPartial(target, true), target };
    const fd = openNew(partial, source, op);
    const record = await records.create({ ...head, id: partial.path });
    kept = { partial, fd, record, before: new Map() };
  }
  const { partial, fd, record, before } = kept;
  const { clock, emit } = disk.context;
  const now = new Map(before);
  const recorded = new Map(before);
  let lastMs = clock.monotonic();
  let syncing: Promise<void> = Promise.resolve();
  const syncNow = async () => {
    const seen = [...now].filter(([part, bytes]) => recorded.get(part) !== bytes);
    if (seen.length === 0) return;
    try {
      await promisify(fs.fdatasync)(fd);
    } catch {
      return;
    }
    for (const [number, size] of seen) {
      recorded.set(number, size);
      await record.add({ number, size, etag: '', md5: '' });
    }
  };
  /** Records what is written, once it is on the disk. */
  const sync = () => {
    lastMs = clock.monotonic();
    syncing = syncing.then(syncNow);
    return syncing;
  };
  const progress: WriteProgress = {
    done: (part) => before.get(part) ?? 0,
    written(part, bytes) {
      now.set(part, (now.get(part) ?? 0) + bytes);
      if (clock.monotonic() - lastMs >= SYNC_MS) void sync();
    },
  };
  try {
    let found: Hashes;
    try {
      found = await fill(fd, progress);
      op.signal.throwIfAborted();
    } catch (thrown) {
      await sync();
      throw thrown;
    } finally {
      await syncing;
      fs.closeSync(fd);
    }
    const written = await commitPartial(disk, partial, source, found, op);
    await record.delete();
    return written;
  } catch (thrown) {
    const bytes = total(recorded);
    if (mayContinue(bytes, downloads, thrown, op) && (await record.release())) {
      const fields = { bytes, of: size, at: showPath(partial.path) };
      emit({ type: 'log', level: 'notice', path, code: 'download-kept', fields });
    } else {
      discard(partial.path);
      await record.delete();
    }
    op.signal.throwIfAborted();
    throw fsError(thrown, 'write', target);
  }
}

function total(parts: ReadonlyMap<number, number>): number {
  return [...parts.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** The newest file that can be continued, under a name of this process; the others are deleted. */
async function reopen(disk: LocalDisk, path: string, head: NewUpload, records: UploadRecords) {
  const { emit } = disk.context;
  let found: KeptDownload | undefined;
  for (const record of await records.take(head.store, head.path)) {
    const { id, source, size, partSize } = record.head;
    const isOurs = parentOf(id) === parentOf(head.path) && isPartialName(leafName(id));
    const isSame = source === head.source && size === head.size && partSize === head.partSize;
    if (isOurs && isSame && found === undefined)
      found = await takeOver(disk, record, head, records);
    else if (isOurs) discard(id);
    await record.delete();
    if (!isSame) emit({ type: 'log', level: 'info', path, code: 'download-restarted' });
  }
  if (found !== undefined) {
    const bytes = total(found.before);
    const fields = { bytes, percent: Math.floor((100 * bytes) / head.size) };
    emit({ type: 'log', level: 'info', path, code: 'download-resumed', fields });
  }
  return found;
}

async function takeOver(
  disk: LocalDisk,
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
  return { partial, fd, record, before: done };
}

import { createWriteStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { bodyChunks } from '../../core/body.ts';
import { SyncerError } from '../../core/errors.ts';
import { type ModTime, modTimeFromMs } from '../../core/mod-time.ts';
import { foldName } from '../../core/name-order.ts';
import type { FileEntry, Op, WriteSource } from '../../core/remote.ts';
import { mayBeCopy } from '../../core/remote-calls.ts';
import { contentCheck } from '../../hashes/content-hasher.ts';
import { loadSetTimes } from '../../system/set-times.ts';
import { SMALL } from './call-queue.ts';
import { fileAt, type RcloneAccess, remotePath, statAt, whyNotWritten } from './rclone-access.ts';
import { badAnswer } from './rclone-answers.ts';

/** A file as rclone gets it. */
export interface RcloneSpot {
  readonly fs: string;
  readonly path: string;
}

/** How a file is copied. */
interface CopyHow {
  readonly verb: 'copyfile' | 'movefile';
  /** Of the file, in bytes; -1 if unknown. */
  readonly size: number;
  /** The time of the file, which the copy has, too. */
  readonly modTime?: ModTime | undefined;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** The path as the user writes it, for messages. */
  readonly about: string;
}

/** How a file of the remote is written. */
interface WriteHow extends Omit<CopyHow, 'about'> {
  readonly replaces: NonNullable<Op['change']>['replaces'];
  /** Whether the remote must show the file afterwards: what it was made of may be gone soon. */
  readonly looks: boolean;
}

let groups = 0;

/** The last of the writes to each path, by remote and path: rclone takes two at once for a damaged one. */
const writing = new Map<string, Promise<unknown>>();

/** Copies or moves a file to `path` of the remote, and proves its content. One of unknown size is looked up. */
export async function copyFile(
  access: RcloneAccess,
  from: RcloneSpot,
  to: RcloneSpot,
  how: WriteHow,
  op: Op,
  path: string,
): Promise<FileEntry> {
  const { size, modTime, replaces } = how;
  // rclone need not look where nothing is.
  const config = replaces === 'nothing' ? { ...how.config, NoCheckDest: true } : how.config;
  const carry = (changed?: object) =>
    carryFile(access, from, to, { ...how, config: { ...config, ...changed }, about: path }, op);
  return inTurn(to, async () => {
    if (typeof replaces !== 'object')
      await access.seenDirs?.refuseClash(path, op, replaces !== 'nothing');
    await carry().catch(async (thrown: unknown) => {
      op.signal.throwIfAborted();
      throw await whyNotWritten(access, path, thrown, op);
    });
    if (typeof replaces === 'object' && (await hides(access, how, replaces, op, path))) {
      if (how.verb === 'copyfile') await carry({ Inplace: true });
      if (await hides(access, how, replaces, op, path)) {
        const text = `${path}: the remote has the new file and goes on showing the old one`;
        const advice = 'look for the file in each upstream of the union';
        throw new SyncerError('corrupted', text, { path, advice });
      }
    }
    const keepsTime = access.precision !== undefined;
    const isKnown = size >= 0 && (!keepsTime || modTime !== undefined);
    const file: FileEntry = {
      kind: 'file',
      path,
      size,
      ...(keepsTime && modTime !== undefined ? { modTime } : {}),
    };
    // Of a quoted name it is seen whether rclone stores it so.
    const isQuoted = path.includes('‛');
    if (isKnown && !isQuoted && !how.looks) return file;
    const found = await lookForCopy(access, from, to, how, file, op);
    return isKnown && !isQuoted ? file : found;
  });
}

/** The file that a copy or move has left at a path. Rejects with `bad-answer` if the remote does not show it. */
async function lookForCopy(
  access: RcloneAccess,
  from: RcloneSpot,
  to: RcloneSpot,
  { verb, replaces }: WriteHow,
  file: FileEntry,
  op: Op,
): Promise<FileEntry> {
  const { path } = file;
  const found = await statAt(access, path, op);
  const old = typeof replaces === 'object' ? replaces : undefined;
  const copy = access.copyConfig['IgnoreSize'] === true ? { ...file, size: -1 } : file;
  const done = verb === 'movefile' ? 'moved' : 'copied';
  const refused = badAnswer({ name: `operations/${verb}`, path }, `the file was not ${done}`);
  if (found?.kind !== 'file' || !mayBeCopy(found, copy, old)) throw refused;
  // What is there may be the old file: then the other one is still at its place.
  const isRename = verb === 'movefile' && foldName(from.path) !== foldName(to.path);
  if (isRename && old !== undefined) {
    const source = await statAt({ ...access, root: '' }, from.path, op);
    if (source !== undefined) throw refused;
  }
  return found;
}

/** Whether a union still shows the old file, beside a copy that went to another upstream. */
async function hides(
  access: RcloneAccess,
  { size, modTime }: Pick<CopyHow, 'size' | 'modTime'>,
  old: FileEntry,
  op: Op,
  path: string,
): Promise<boolean> {
  const { Overlay: isAround, PartialUploads: renames } = access.features;
  if (!isAround || !renames || (size === old.size && modTime === old.modTime)) return false;
  const shown = await fileAt(access, path, op);
  return shown.size === old.size && shown.modTime === old.modTime;
}

/** Writes to one path one after another. */
async function inTurn<T>({ fs, path }: RcloneSpot, write: () => Promise<T>): Promise<T> {
  const key = `${fs}\0${path}`;
  const before = writing.get(key);
  const own = before === undefined ? write() : before.then(write, write);
  const settled = own.catch(() => undefined);
  writing.set(key, settled);
  try {
    return await own;
  } finally {
    if (writing.get(key) === settled) writing.delete(key);
  }
}

/** Copies or moves a file from anywhere that rclone can read to anywhere it can write; rclone proves the copy. */
export async function carryFile(
  { rclone, copyConfig }: RcloneAccess,
  from: RcloneSpot,
  to: RcloneSpot,
  { verb, size, config, about }: CopyHow,
  op: Op,
): Promise<void> {
  const { onCopied, signal } = op;
  // The progress of a large copy is asked for.
  const group = size >= 8 * 1024 * 1024 && onCopied !== undefined ? `syncer${++groups}` : undefined;
  const changed = { ...copyConfig, ...config };
  const input = { srcFs: from.fs, srcRemote: from.path, dstFs: to.fs, dstRemote: to.path };
  await rclone.heedLimit(signal);
  const name = `operations/${verb}`;
  const more = { _config: Object.keys(changed).length === 0 ? undefined : changed, _group: group };
  const call =
    size >= 0 && size <= SMALL
      ? rclone.copies.add({ name, input, config: changed, signal, path: about })
      : rclone.copies.beside(rclone.call(name, { ...input, ...more }, { signal, path: about }));
  if (onCopied === undefined) {
    await call;
    return;
  }
  let copied = 0;
  const timer = group === undefined ? undefined : setInterval(() => void ask(), 250);
  const ask = async () => {
    rclone.heedLimit(signal).catch(() => undefined);
    const asked = rclone.call('core/stats', { group, short: true }, { signal });
    const stats = await asked.catch(() => undefined);
    const told = stats?.['bytes'];
    const bytes = typeof told === 'number' ? Math.min(told, size) : 0;
    if (bytes > copied) onCopied(bytes - copied);
    copied = Math.max(copied, bytes);
  };
  try {
    await call;
    if (size > copied) onCopied(size - copied);
    copied = size;
  } finally {
    clearInterval(timer);
    if (group !== undefined)
      rclone.call('core/stats-delete', { group }, { signal }).catch(() => undefined);
  }
}

let files = 0;

/** A new name in the directory of rclone. */
export const newSpoolName = (): string => `file${++files}`;

/** Writes content by a file beside the socket of rclone: only a copy of a file keeps its time and is proved. */
export async function writeBySpool(access: RcloneAccess, source: WriteSource, op: Op) {
  const to = remotePath(access, source.path);
  const folder = await access.rclone.folder();
  const name = newSpoolName();
  const spooled = join(folder, name);
  try {
    const size = await spool(source, spooled, op);
    const { metadata, modTime = modTimeFromMs(Date.now()) } = source;
    (await loadSetTimes())(spooled, modTime);
    const keepsMetadata = metadata !== undefined && access.features['WriteMetadata'] === true;
    const config = keepsMetadata ? { Metadata: true, MetadataSet: metadata } : undefined;
    const replaces = source.replaces ?? op.change?.replaces;
    const how = { verb: 'copyfile', size, modTime, config, replaces, looks: true } as const;
    const target = { fs: access.fs, path: to };
    const { signal } = op;
    return await copyFile(access, { fs: folder, path: name }, target, how, { signal }, source.path);
  } catch (thrown) {
    op.signal.throwIfAborted();
    // It goes with the rclone whose directory it is in.
    if (existsSync(folder)) throw thrown;
    throw new SyncerError('network', 'rclone has ended', { path: source.path, cause: thrown });
  } finally {
    await rm(spooled, { force: true });
  }
}

/** Writes the content to a file, and proves it. Resolves to its size in bytes. */
async function spool(source: WriteSource, path: string, op: Op): Promise<number> {
  const check = contentCheck(source);
  const body = await source.open(undefined, op);
  try {
    await pipeline(
      async function* () {
        for await (const chunk of bodyChunks(body, op.signal)) {
          check.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(path, { mode: 0o644, flags: 'wx' }),
    );
  } catch (thrown) {
    op.signal.throwIfAborted();
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
    const why = `no space in the temporary directory for ${source.path}, which goes through a file there`;
    throw new SyncerError('no-space', `${why}: set TMPDIR to a directory with more`, {
      path: source.path,
      cause: thrown,
    });
  }
  return check.finish().size;
}

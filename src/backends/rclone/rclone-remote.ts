import type { ReadStream } from 'node:fs';
import { open as openFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, SyncerError } from '../../core/errors.ts';
import { HASH_NAMES } from '../../core/hash-names.ts';
import type { Body, FileEntry, Op, ReadRange, Remote } from '../../core/remote.ts';
import { deleteOneByOne } from '../../core/remote-calls.ts';
import { joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import type { Traits } from '../../core/traits.ts';
import type { OpenParams } from '../backend.ts';
import { bodyAsStream } from '../http/answer.ts';
import { SMALL } from './call-queue.ts';
import {
  callAt,
  entriesIn,
  fileAbove,
  isUnclear,
  listOptions,
  type RcloneAccess,
  rejectFile,
  remotePath,
  statAt,
} from './rclone-access.ts';
import { badAnswer } from './rclone-answers.ts';
import { rcloneCapabilities } from './rclone-capabilities.ts';
import { carryFile, newSpoolName, writeBySpool } from './rclone-copy.ts';
import { RcloneProcess } from './rclone-process.ts';
import { SeenDirs } from './seen-dirs.ts';

/** Opens a remote through rclone, which is started for the first one of a run; asks what the remote can. */
export async function open(params: OpenParams): Promise<Remote> {
  const { rclone: settings, context, name, root, shared, mayDiffer } = params;
  if (settings === undefined)
    throw new SyncerError('config', `"${name}": rclone cannot be started here`);
  const make = () => new RcloneProcess(settings, context);
  const rclone = shared?.(`rclone ${settings.key}`, make) ?? make();
  rclone.use();
  try {
    const fs = root.startsWith('/') ? `${settings.spec}/` : settings.spec;
    const info = await rclone.info(fs, context.signal);
    const hashes = HASH_NAMES.filter((hash) => info.hashes.includes(hash));
    // rclone's `ModTimeNotSupported`: a hundred years, in nanoseconds.
    const keepsTimes = info.precision < 100 * 365 * 24 * 3600 * 1e9;
    const precision = keepsTimes ? BigInt(info.precision) : undefined;
    const below = root.replace(/^\/+/, '');
    const access: RcloneAccess = {
      rclone,
      name,
      type: settings.type,
      fs,
      root: below,
      features: info.features,
      hashes,
      precision,
      copyConfig: {
        ...(mayDiffer?.checksum ? { IgnoreChecksum: true } : {}),
        ...(mayDiffer?.size ? { IgnoreSize: true } : {}),
      },
      listsMetadata: params.listsMetadata === true,
    };
    const { Overlay: isAround, CanHaveEmptyDirectories: hasDirs } = info.features;
    const seenDirs = new SeenDirs((path, op) => statAt(access, path, op));
    const known = isAround === true && hasDirs === true ? { ...access, seenDirs } : access;
    return rcloneRemote(known, titleOf(plainTitle(info.title, settings.spec), below));
  } catch (thrown) {
    await rclone.release();
    throw thrown;
  }
}

/** rclone marks a name whose options come from variables (`my{hqHuu}:`), which are those that syncer sets for it. */
function plainTitle(title: string, spec: string): string {
  const name = spec.replace(/:$/, '');
  return title.replace(/\{[\w-]{5}\}:/g, (mark, at: number) =>
    title.slice(0, at).endsWith(name) ? ':' : mark,
  );
}

/** rclone's description of a remote, with the path of the root. */
function titleOf(description: string, root: string): string {
  if (root === '') return description;
  if (description.endsWith("'")) return `${description.slice(0, -1)}${root}'`;
  return description.endsWith(':') ? description + root : `${description} ${root}`;
}

function rcloneRemote(access: RcloneAccess, title: string): Remote {
  const { rclone, name, fs, features } = access;
  const traits: Traits = {
    hashes: access.hashes,
    slowHash: features['SlowHash'] === true,
    modTimePrecision: access.precision,
    slowModTime: features['SlowModTime'] === true,
    caseInsensitive: features['CaseInsensitive'] === true,
    emptyDirs: features['CanHaveEmptyDirectories'] === true,
    sortedPages: true,
    // A crypt over a bucket says so, too, and its top is no list of buckets.
    bucketBased: features['BucketBased'] === true && features['Overlay'] !== true,
    onDisk: false,
    carries: { smallUpTo: SMALL },
  };
  return {
    name,
    root: fs.endsWith('/') ? `/${access.root}` : access.root,
    title,
    traits,
    can: {
      ...rcloneCapabilities(access, traits),
      confirmSize: (file, op) => confirmEmpty(access, file, op),
    },

    async listPage(dir, _cursor, op) {
      const opt = listOptions(access, false);
      try {
        const page = await entriesIn(access, dir, opt, op);
        const { entries } = page;
        // Of a file some servers list nothing, others the file below itself.
        const isOdd = entries.length === 0 || entries[0]?.path === joinPath(dir, leafName(dir));
        if (isOdd && entries.length < 2) await rejectFile(access, dir, op);
        return page;
      } catch (thrown) {
        // An object store has no such prefix: it is empty there. The root is not, because rclone says the same of a
        // bucket that is missing, and a missing source must not empty the destination.
        const mayLackPrefix = dir !== '' && features['CanHaveEmptyDirectories'] !== true;
        if (mayLackPrefix && hasCode(thrown, 'directory-not-found')) return { entries: [] };
        return readablePart(access, dir, thrown, op);
      }
    },

    async stat(path, op) {
      if (remotePath(access, path) === '') return { kind: 'dir', path };
      return statAt(access, path, op);
    },

    async read(file, range, op) {
      // Of a file that a service lists without a size, rclone says 0, and a copy of it is an error.
      const hasNoEnd = file.size <= 0 && range === undefined;
      // The address of a remote ends at its first bracket.
      const read = hasNoEnd || fs.includes(']') ? readCopy : readRange;
      return read(access, file, range, op);
    },

    async write(source, op) {
      return writeBySpool(access, source, op);
    },

    async delete(files, op) {
      const { signal } = op;
      const name = 'operations/deletefile';
      return deleteOneByOne(files, op, async ({ path }) => {
        const input = { fs, remote: remotePath(access, path) };
        await rclone.deletions.add({ name, input, config: {}, signal, path });
      });
    },

    async makeDir(dir, op) {
      try {
        // Some servers say that it is done where a file is in the way.
        await Promise.all([dir, parentPath(dir)].map((path) => rejectFile(access, path, op)));
        await callAt(access, 'operations/mkdir', dir, op);
      } catch (thrown) {
        op.signal.throwIfAborted();
        throw isUnclear(thrown) ? await fileAbove(access, dir, thrown, op) : thrown;
      }
    },

    async deleteDir(dir, op) {
      await rejectFile(access, dir, op);
      try {
        await callAt(access, 'operations/rmdir', dir, op);
      } catch (thrown) {
        op.signal.throwIfAborted();
        if (hasCode(thrown, 'not-empty', 'access-denied', 'network')) throw thrown;
        // The words of services differ, so a look says what is there.
        const { entries, failed } = await entriesIn(access, dir, {}, op).catch((other: unknown) => {
          throw hasCode(other, 'directory-not-found') ? other : thrown;
        });
        if (entries.length === 0 && failed === undefined) throw thrown;
        const text = `${dir}: directory not empty`;
        throw new SyncerError('not-empty', text, { path: dir, cause: thrown });
      }
    },

    close: () => rclone.release(),
  };
}

/** Of a directory of a crypt with names that cannot be decrypted the others; it counts as incomplete. */
async function readablePart(access: RcloneAccess, dir: string, thrown: unknown, op: Op) {
  const message = thrown instanceof SyncerError ? thrown.message : '';
  const found = /(\d+) undecryptable name errors\. first error: (.*?): undecryptable/.exec(message);
  if (found === null) throw thrown;
  const [, count, name = ''] = found;
  const lenient = { ...access, fs: access.fs.replace(/:(\/?)$/, ',strict_names=false:$1') };
  const opt = listOptions(access, false);
  const page = await entriesIn(lenient, dir, opt, op).catch(() => {
    throw thrown;
  });
  const path = joinPath(dir, name);
  const what = count === '1' ? 'a name' : `${count} names`;
  const why = 'the password is another one, or it was never encrypted';
  const error = new SyncerError('unreadable', `${what} cannot be decrypted: ${why}`, {
    path,
    advice: 'with --crypt-strict-names=false such names are left out without an error',
  });
  return { entries: page.entries, failed: [{ path, error }, ...(page.failed ?? [])] };
}

async function readRange(
  access: RcloneAccess,
  file: FileEntry,
  range: ReadRange | undefined,
  op: Op,
): Promise<Body> {
  const { path, size } = file;
  const from = range?.offset ?? 0;
  const isEmpty = range?.length === 0 || (size >= 0 && from >= size && size > 0);
  if (isEmpty) return Buffer.alloc(0);
  const end = range?.length === undefined ? '' : from + range.length - 1;
  const header = range === undefined ? undefined : `bytes=${from}-${end}`;
  const how = { signal: op.signal, path };
  const remote = remotePath(access, path);
  const opened = access.rclone.open(access.fs, remote, header, how);
  const answer = await opened.catch((thrown: unknown) => {
    if (hasCode(thrown, 'network', 'timed-out')) throw thrown;
    op.signal.throwIfAborted();
    return undefined;
  });
  // A copy is made of names that an address cannot have, and says why a file cannot be read.
  if (answer === undefined) return readCopy(access, file, range, op);
  if (answer.status === 416) {
    answer.discard();
    return Buffer.alloc(0);
  }
  if (header !== undefined && from > 0 && answer.status !== 206) {
    answer.discard();
    throw new SyncerError('unsupported', `${path}: ranges of this file cannot be read`, { path });
  }
  const explain = (error: Error) => access.rclone.whyCut(error, remote, path);
  return bodyAsStream(answer, answer.announcedLength, undefined, explain);
}

/** Reads a copy of the whole file, which rclone has proved: the end of a file of unknown size is known only then. */
async function readCopy(
  access: RcloneAccess,
  file: FileEntry,
  range: ReadRange | undefined,
  op: Op,
): Promise<ReadStream> {
  const folder = await access.rclone.folder();
  const name = newSpoolName();
  const from = { fs: access.fs, path: remotePath(access, file.path) };
  const how = { verb: 'copyfile', size: -1, about: file.path } as const;
  await carryFile(access, from, { fs: folder, path: name }, how, op);
  const stored = join(folder, name);
  const start = range?.offset ?? 0;
  const end = range?.length === undefined ? Number.POSITIVE_INFINITY : start + range.length - 1;
  const copied = await openFile(stored).catch(() => {
    // rclone says that it has copied the file, and has not.
    throw badAnswer({ name: 'operations/copyfile', path: file.path }, 'there is no copy');
  });
  const body = copied.createReadStream({ start, end });
  body.on('close', () => void rm(stored, { force: true }));
  return body;
}

/** See `Capabilities.confirmSize`. Rejects if a file that is listed as empty has content. */
async function confirmEmpty(access: RcloneAccess, file: FileEntry, op: Op): Promise<FileEntry> {
  if (file.size === 0) (await readCopy(access, file, undefined, op)).destroy();
  return file;
}

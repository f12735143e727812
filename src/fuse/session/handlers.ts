import { releaseBuffer } from '../../core/buffers.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import {
  type EntryPlace,
  type MountOps,
  NAME_LENGTH,
  type OpenFlags,
  type RenameRule,
} from '../../vfs/mount-ops.ts';
import { DirBlock, readSetAttributes } from '../wire/attributes.ts';
import type { InitAnswer } from '../wire/init.ts';
import { OPCODE, type RequestReader } from '../wire/request-reader.ts';
import type { Answers, DirStreams } from './answers.ts';
import type { FuseCall } from './calls-in-flight.ts';
import { ERRNO } from './errno.ts';

export interface HandlerParts {
  readonly ops: MountOps;
  readonly answers: Answers;
  readonly dirs: DirStreams;
  /** Handles of the files open for writing. */
  readonly writers: Set<number>;
  /** The features agreed on with the kernel. */
  agreed: Pick<InitAnswer, 'writeBackCache'>;
}

/**
 * Handles one type of request. It reads the request before it first waits: the buffer then takes the next one. A
 * rejection becomes the response's errno.
 */
type Handler = (parts: HandlerParts, call: FuseCall, request: RequestReader) => Promise<unknown>;

const KIND_MASK = 0o170000;
const REGULAR = 0o100000;

/** How mknod(2) creates a file: opened and closed again. */
const MADE: OpenFlags = { read: false, write: true, truncate: false, exclusive: true };

/** No backend keeps hard links or special files: other file systems without them return EPERM. */
const noLinks: Handler = async ({ answers }, call) => answers.error(call, ERRNO.EPERM);

/**
 * Never requested again: from then on the kernel returns EOPNOTSUPP itself; otherwise it would ask before the first
 * write to a file.
 */
const noXattrs: Handler = async ({ answers }, call) => answers.error(call, ERRNO.ENOSYS);

/** The longest target of a symbolic link, in bytes: PATH_MAX without the zero. */
const TARGET_LIMIT = 4095;
/** Bit of `struct fuse_getattr_in`: requested through an open file. */
const GETATTR_HANDLE = 1;

/** Handlers by opcode: for names, open files, directories, and attributes of files and of the file system. */
export const HANDLERS: Readonly<Record<number, Handler>> = {
  async [OPCODE.lookup]({ ops, answers }, call, request) {
    const name = checkedName(request, 0);
    try {
      const attributes = await ops.lookup(call.node, name, call);
      if (!answers.entry(call, attributes)) ops.forget(attributes.inode, 1);
    } catch (thrown) {
      if (!hasCode(thrown, 'file-not-found')) throw thrown;
      answers.missing(call);
    }
  },
  async [OPCODE.makeDir]({ ops, answers }, call, request) {
    const attributes = await ops.makeDir(call.node, checkedName(request, 8), call);
    if (!answers.entry(call, attributes)) ops.forget(attributes.inode, 1);
  },
  async [OPCODE.unlink]({ ops, answers }, call, request) {
    await ops.unlink(call.node, request.name(0), call);
    answers.done(call);
  },
  async [OPCODE.removeDir]({ ops, answers }, call, request) {
    await ops.removeDir(call.node, request.name(0), call);
    answers.done(call);
  },
  [OPCODE.rename]: (parts, call, request) => rename(parts, call, request, 8, 0),
  [OPCODE.rename2]: (parts, call, request) => rename(parts, call, request, 16, request.u32(8)),
  async [OPCODE.makeNode]({ ops, answers }, call, request) {
    if ((request.u32(0) & KIND_MASK) !== REGULAR) return answers.error(call, ERRNO.EPERM);
    const file = await ops.create(call.node, checkedName(request, 16), MADE, call);
    try {
      await ops.flush(file.handle, call);
    } finally {
      await ops.release(file.handle, call);
    }
    if (!answers.entry(call, file.attributes)) ops.forget(file.attributes.inode, 1);
  },
  async [OPCODE.symlink]({ ops, answers }, call, request) {
    if (ops.makeLink === undefined) return answers.error(call, ERRNO.EPERM);
    const name = checkedName(request, 0);
    const at = request.nameEnd(0) + 1;
    const target = Buffer.from(request.bytes(at, request.nameEnd(at) - at));
    const attributes = await ops.makeLink(call.node, name, target, call);
    if (!answers.entry(call, attributes)) ops.forget(attributes.inode, 1);
  },
  async [OPCODE.readLink]({ ops, answers }, call) {
    const target = await ops.readLink?.(call.node, call);
    if (target === undefined) return answers.error(call, ERRNO.EINVAL);
    if (target.length > TARGET_LIMIT) return answers.error(call, ERRNO.ENAMETOOLONG);
    answers.data(call, target);
  },
  [OPCODE.link]: noLinks,

  async [OPCODE.open]({ ops, answers, writers }, call, request) {
    const flags = readOpenFlags(request.u32(0));
    const file = await ops.open(call.node, flags, call);
    if (!answers.opened(call, file)) await ops.release(file.handle, call);
    else if (flags.write) writers.add(file.handle);
  },
  async [OPCODE.create]({ ops, answers, writers }, call, request) {
    const flags = readOpenFlags(request.u32(0));
    const file = await ops.create(call.node, checkedName(request, 16), flags, call);
    if (answers.created(call, file)) {
      if (flags.write) writers.add(file.handle);
      return;
    }
    await ops.release(file.handle, call);
    ops.forget(file.attributes.inode, 1);
  },
  async [OPCODE.read]({ ops, answers }, call, request) {
    const length = request.u32(16);
    try {
      const data = await ops.read(request.u64(0), request.u64(8), length, call);
      answers.data(call, data.length > length ? data.subarray(0, length) : data);
      // The kernel has its copy.
      if (Buffer.isBuffer(data)) releaseBuffer(data);
    } catch (thrown) {
      if (!hasCode(thrown, 'unsupported')) throw thrown;
      answers.error(call, ERRNO.ESPIPE);
    }
  },
  async [OPCODE.write]({ ops, answers, agreed }, call, request) {
    const length = request.u32(16);
    const isAppended = goesToEnd(request.u32(20), request.u32(32), agreed);
    const at = isAppended ? 'end' : request.size(8);
    const data = request.bytes(40, length);
    try {
      await ops.write(request.u64(0), at, data, call);
      answers.written(call, length);
    } catch (thrown) {
      if (!hasCode(thrown, 'unsupported')) throw thrown;
      answers.error(call, ERRNO.ESPIPE);
    }
  },
  async [OPCODE.flush]({ ops, answers }, call, request) {
    await ops.flush(request.u64(0), call);
    answers.done(call);
  },
  async [OPCODE.sync]({ ops, answers }, call, request) {
    await ops.sync(request.u64(0), call);
    answers.done(call);
  },
  async [OPCODE.release]({ ops, answers, writers }, call, request) {
    const handle = request.u64(0);
    try {
      await ops.release(handle, call);
    } finally {
      writers.delete(handle);
    }
    answers.done(call);
  },

  async [OPCODE.openDir]({ ops, answers }, call) {
    const handle = await ops.openDir(call.node, call);
    if (!answers.openedDir(call, handle)) ops.releaseDir(handle);
  },
  [OPCODE.readDir]: (parts, call, request) => readDir(parts, call, request, false),
  [OPCODE.readDirPlus]: (parts, call, request) => readDir(parts, call, request, true),
  async [OPCODE.releaseDir]({ dirs, answers }, call, request) {
    dirs.close(request.u64(0));
    answers.done(call);
  },
  async [OPCODE.syncDir]({ answers }, call) {
    answers.done(call);
  },

  async [OPCODE.getAttributes]({ ops, answers }, call, request) {
    const handle = request.u32(0) & GETATTR_HANDLE ? request.u64(8) : undefined;
    answers.attributes(call, await ops.getAttributes(call.node, handle, call));
  },
  async [OPCODE.setAttributes]({ ops, answers }, call, request) {
    const { change, handle } = readSetAttributes(request, () => BigInt(Date.now()) * 1_000_000n);
    answers.attributes(call, await ops.setAttributes(call.node, change, handle, call));
  },
  async [OPCODE.statFs]({ ops, answers }, call) {
    answers.space(call, await ops.space(call));
  },
  [OPCODE.setXattr]: noXattrs,
  [OPCODE.getXattr]: noXattrs,
  [OPCODE.listXattr]: noXattrs,
  [OPCODE.removeXattr]: noXattrs,
};

/** Flags of renameat2(2). */
const RENAME = { noReplace: 1 } as const;

async function rename(
  { ops, answers }: HandlerParts,
  call: FuseCall,
  request: RequestReader,
  at: number,
  flags: number,
): Promise<void> {
  if ((flags & ~RENAME.noReplace) !== 0) return answers.error(call, ERRNO.EINVAL);
  const from: EntryPlace = { parent: call.node, name: request.name(at) };
  const to: EntryPlace = {
    parent: request.u64(0),
    name: checkedName(request, request.nameEnd(at) + 1),
  };
  const rule: RenameRule = flags & RENAME.noReplace ? 'no-replace' : 'replace';
  try {
    await ops.rename(from, to, rule, call);
  } catch (thrown) {
    // mv(1) and others then copy and delete.
    if (hasCode(thrown, 'unsupported')) return answers.error(call, ERRNO.EXDEV);
    throw thrown;
  }
  answers.done(call);
}

/** The name at a position, if it is not too long. */
function checkedName(request: RequestReader, at: number): string {
  if (request.nameEnd(at) - at > NAME_LENGTH) {
    throw new SyncerError('name-invalid', 'the name is too long', { nameFault: 'length' });
  }
  return request.name(at);
}

/** The kernel's positions after `.` and after `..`; the file system's positions come after them. */
const AFTER_DOTS = 2;

async function readDir(
  { ops, answers, dirs }: HandlerParts,
  call: FuseCall,
  request: RequestReader,
  plus: boolean,
): Promise<void> {
  const handle = request.u64(0);
  const from = request.u64(8);
  const size = request.u32(16);
  // The buffer is shared with other responses: no waiting once the block is started.
  let entry = await dirs.at(handle, Math.max(from - AFTER_DOTS, 0), call);
  const block = new DirBlock(answers.buffer, size, plus, answers.validMs);
  if (from === 0) block.addDots('.', call.node, 1);
  if (from <= 1) block.addDots('..', call.node, AFTER_DOTS);
  const told: number[] = [];
  while (entry !== undefined && block.add(entry, entry.next + AFTER_DOTS)) {
    if (entry.isRough !== true) told.push(entry.attributes.inode);
    entry = dirs.advance(handle);
  }
  if (answers.raw(call, block.length) && plus) for (const inode of told) ops.remember(inode);
}

/** Flags of open(2) on x64 and arm64. */
const O = {
  accessMode: 3,
  write: 1,
  readWrite: 2,
  exclusive: 0o200,
  truncate: 0o1000,
  append: 0o2000,
};

/** Reads the flags of open(2). */
function readOpenFlags(flags: number): OpenFlags {
  const mode = flags & O.accessMode;
  return {
    read: mode !== O.write,
    write: mode === O.write || mode === O.readWrite,
    truncate: (flags & O.truncate) !== 0,
    exclusive: (flags & O.exclusive) !== 0,
  };
}

/** `FUSE_WRITE_CACHE` of `struct fuse_write_in.write_flags`: the bytes come from the page cache, not from a write(2). */
const FROM_CACHE = 1;

/**
 * Whether a write is at the end of the file instead of its offset. A page of a mapping has its place; a kernel that
 * gathers writes has found the end itself (libfuse, `writeback_cache`).
 *
 * @param openFlags those of the descriptor now, which fcntl(2) may have changed
 */
function goesToEnd(
  writeFlags: number,
  openFlags: number,
  { writeBackCache }: Pick<InitAnswer, 'writeBackCache'>,
): boolean {
  return !writeBackCache && (writeFlags & FROM_CACHE) === 0 && (openFlags & O.append) !== 0;
}

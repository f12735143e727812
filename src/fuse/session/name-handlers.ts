import { hasCode, SyncerError } from '../../core/errors.ts';
import { NAME_LENGTH } from '../../vfs/change/check-name.ts';
import type { EntryPlace, OpenFlags, RenameRule } from '../../vfs/mount-ops.ts';
import { OPCODE, type RequestReader } from '../wire/request-reader.ts';
import type { FuseCall } from './calls-in-flight.ts';
import { ERRNO } from './errno.ts';
import type { Handler, HandlerParts, HandlerTable } from './request-loop.ts';

const KIND_MASK = 0o170000;
const REGULAR = 0o100000;

/** How mknod(2) creates a file: opened and closed again. */
const MADE: OpenFlags = {
  read: false,
  write: true,
  truncate: false,
  exclusive: true,
};

/** No backend keeps hard links or special files: other file systems without them return EPERM. */
const noLinks: Handler = async ({ answers }, call) => answers.error(call, ERRNO.EPERM);

/** The longest target of a symbolic link, in bytes: PATH_MAX without the zero. */
const TARGET_LIMIT = 4095;

/** Handlers for names. */
export const NAME_HANDLERS: HandlerTable = {
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
export function checkedName(request: RequestReader, at: number): string {
  if (request.nameEnd(at) - at > NAME_LENGTH) {
    throw new SyncerError('name-invalid', 'the name is too long', { nameFault: 'length' });
  }
  return request.name(at);
}

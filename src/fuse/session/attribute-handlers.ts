import { OPCODE } from '../wire/opcodes.ts';
import { readSetAttributes } from '../wire/set-attributes.ts';
import { ERRNO } from './errno.ts';
import type { Handler, HandlerTable } from './handler.ts';

/** Bit of `struct fuse_getattr_in`: requested through an open file. */
const GETATTR_HANDLE = 1;

/**
 * Never requested again: from then on the kernel returns EOPNOTSUPP itself; otherwise it would ask before the first
 * write to a file.
 */
const noXattrs: Handler = async ({ answers }, call) => answers.error(call, ERRNO.ENOSYS);

/** Handlers for attributes of files and of the file system. */
export const ATTRIBUTE_HANDLERS: HandlerTable = {
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

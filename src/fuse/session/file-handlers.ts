import { hasCode } from '../../core/errors.ts';
import { giveBack } from '../../kit/used-again.ts';
import { OPCODE } from '../wire/opcodes.ts';
import { goesToEnd, readOpenFlags } from '../wire/open-flags.ts';
import { ERRNO } from './errno.ts';
import type { HandlerTable } from './handler.ts';
import { checkedName } from './name-handlers.ts';

/** Handlers for open files. */
export const FILE_HANDLERS: HandlerTable = {
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
      if (Buffer.isBuffer(data)) giveBack(data);
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
};

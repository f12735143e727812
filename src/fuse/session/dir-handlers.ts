import { DirBlock } from '../wire/dir-block.ts';
import { OPCODE } from '../wire/opcodes.ts';
import type { RequestReader } from '../wire/request-reader.ts';
import type { FuseCall } from './calls-in-flight.ts';
import type { HandlerParts, HandlerTable } from './handler.ts';

/** The kernel's positions after `.` and after `..`; the file system's positions come after them. */
const AFTER_DOTS = 2;

/** Handlers for directories. */
export const DIR_HANDLERS: HandlerTable = {
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
};

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
  if (answers.block(call, block) && plus) for (const inode of told) ops.remember(inode);
}

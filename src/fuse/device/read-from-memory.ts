import type { ReadFromMemory } from '../../vfs/contents/read-from-memory.ts';
import type { SystemCalls } from './libc.ts';

/** Only what needs no disk. */
const RWF_NOWAIT = 8;

/** Reads of files that never wait for a disk; `undefined` where the system cannot do that. */
export function readFromMemory({ preadv2, address }: SystemCalls): ReadFromMemory | undefined {
  if (preadv2 === undefined) return undefined;
  const vector = Buffer.alloc(16);
  return (fd, buffer, offset) => {
    vector.writeBigUInt64LE(address(buffer), 0);
    vector.writeUInt32LE(buffer.length, 8);
    return Math.max(0, preadv2(fd, vector, 1, offset, RWF_NOWAIT));
  };
}

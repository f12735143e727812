import type { Libc } from './libc.ts';

const SCM_RIGHTS = 1;
const MSG_CMSG_CLOEXEC = 0x40000000;

/**
 * Takes the descriptor that the other end of a unix socket sends with one byte. `undefined` where it is closed without
 * having sent any. The structures are those of 64-bit Linux.
 */
export async function receiveDescriptor(libc: Libc, socket: number): Promise<number | undefined> {
  const byte = Buffer.alloc(8);
  const control = Buffer.alloc(24);
  const vector = Buffer.alloc(16);
  vector.writeBigUInt64LE(libc.address(byte), 0);
  vector.writeBigUInt64LE(1n, 8);
  const message = Buffer.alloc(56);
  message.writeBigUInt64LE(libc.address(vector), 16);
  message.writeBigUInt64LE(1n, 24);
  message.writeBigUInt64LE(libc.address(control), 32);
  message.writeBigUInt64LE(BigInt(control.length), 40);
  const length = await new Promise<number>((resolve, reject) => {
    libc.recvmsg.async(socket, message, MSG_CMSG_CLOEXEC, (error: unknown, result: number) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
  // The addresses above do not keep the buffers alive by themselves.
  const isKept = byte.length + vector.length > 0;
  const hasDescriptor = isKept && length > 0 && control.readInt32LE(12) === SCM_RIGHTS;
  return hasDescriptor ? control.readInt32LE(16) : undefined;
}

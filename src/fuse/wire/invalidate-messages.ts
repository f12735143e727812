import { nameToBytes } from '../../core/name-bytes.ts';
import { nameToKernel } from './kernel-names.ts';
import { REPLY_HEADER, ReplyBuffer } from './reply-buffer.ts';

/** `enum fuse_notify_code`. */
const NOTIFY = { invalidateInode: 2, invalidateEntry: 3 };

/** The message that drops the kernel's cached content and attributes of an inode. */
export function invalidateInodeMessage(inode: number): Buffer {
  const reply = new ReplyBuffer(24);
  reply.u64(0, inode);
  reply.u64(8, 0);
  reply.u64(16, -1);
  return reply.finish(0, 24, 0, -NOTIFY.invalidateInode);
}

/** The message that drops a cached name in a directory. */
export function invalidateEntryMessage(parent: number, name: string): Buffer {
  const bytes = nameToBytes(nameToKernel(name));
  const size = 16 + bytes.length + 1;
  const reply = new ReplyBuffer(size);
  reply.u64(0, parent);
  reply.u32(8, bytes.length);
  reply.u32(12, 0);
  const message = reply.finish(0, size, 0, -NOTIFY.invalidateEntry);
  message.set(bytes, REPLY_HEADER + 16);
  return message;
}

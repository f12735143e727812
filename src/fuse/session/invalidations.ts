import { nameToBytes } from '../../core/name-bytes.ts';
import type { Invalidations } from '../../vfs/mount-ops.ts';
import type { Device } from '../device/fuse-device.ts';
import { REPLY_HEADER, ReplyBuffer } from '../wire/reply-buffer.ts';
import { nameToKernel } from '../wire/request-reader.ts';

/**
 * Sends notifications to the kernel in order, from another thread: the kernel holds one until requests about the same
 * directory are answered. Without a mount there is nothing to invalidate.
 */
export class KernelInvalidations implements Invalidations {
  #device: Device | undefined;
  #isSending = false;
  readonly #queue: Buffer[] = [];

  /** From now on notifications are sent to this device. */
  attach(device: Device): void {
    this.#device = device;
  }

  inode(inode: number): void {
    void this.#send(invalidateInodeMessage(inode));
  }

  entry(parent: number, name: string): void {
    void this.#send(invalidateEntryMessage(parent, name));
  }

  async #send(message: Buffer): Promise<void> {
    const device = this.#device;
    if (device === undefined) return;
    this.#queue.push(message);
    if (this.#isSending) return;
    this.#isSending = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      await device.notify(next);
    }
    this.#isSending = false;
  }
}

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

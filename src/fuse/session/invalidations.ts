import type { Invalidations } from '../../vfs/mount-ops.ts';
import type { Device } from '../device/fuse-device.ts';
import { invalidateEntryMessage, invalidateInodeMessage } from '../wire/invalidate-messages.ts';

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
    this.#add(invalidateInodeMessage(inode));
  }

  entry(parent: number, name: string): void {
    this.#add(invalidateEntryMessage(parent, name));
  }

  #add(message: Buffer): void {
    if (this.#device === undefined) return;
    this.#queue.push(message);
    if (!this.#isSending) void this.#send(this.#device);
  }

  async #send(device: Device): Promise<void> {
    this.#isSending = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      await device.notify(next);
    }
    this.#isSending = false;
  }
}

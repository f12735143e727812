import type { Invalidations } from '../../vfs/mount-ops.ts';
import type { Device } from '../device/device.ts';
import { invalidateEntryMessage, invalidateInodeMessage } from '../wire/notifications.ts';

/** Notifications to the kernel, which can be asked for before there is a mount. */
export interface KernelInvalidations extends Invalidations {
  /** From now on they go to this device. */
  attach(device: Device): void;
  detach(): void;
}

/**
 * Sends notifications one after the other from another thread: the kernel holds one up until requests about the same
 * directory are answered, and the thread that answers must not wait for it. Those that are asked for before a mount is
 * attached have nothing to invalidate.
 */
export function createInvalidations(): KernelInvalidations {
  let device: Device | undefined;
  let isSending = false;
  const queue: Buffer[] = [];

  const send = async () => {
    if (isSending) return;
    isSending = true;
    for (let message = queue.shift(); message !== undefined; message = queue.shift()) {
      await device?.notify(message);
    }
    isSending = false;
  };
  const add = (message: Buffer) => {
    if (device === undefined) return;
    queue.push(message);
    void send();
  };

  return {
    inode: (inode) => add(invalidateInodeMessage(inode)),
    entry: (parent, name) => add(invalidateEntryMessage(parent, name)),
    attach: (to) => {
      device = to;
    },
    detach: () => {
      device = undefined;
      queue.length = 0;
    },
  };
}

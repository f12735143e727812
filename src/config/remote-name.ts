import { SyncerError } from '../core/errors.ts';

/** The rule for names of remotes in words, for messages. It is that of newer rclones, so that their files work. */
export const remoteNameRule =
  'a remote name has letters, digits, "_", "-", ".", "+", "@" and spaces only, and neither begins with "-" or a space nor ends with a space';

/** Whether a remote may have this name. */
export function isRemoteName(name: string): boolean {
  return /^[\w\p{L}\p{N}.+@ -]+$/u.test(name) && !/^[ -]| $/.test(name);
}

/** Throws `usage` with the rule where a remote may not have this name. */
export function checkRemoteName(name: string): void {
  if (!isRemoteName(name)) {
    throw new SyncerError('usage', `"${name}" is no name for a remote: ${remoteNameRule}`);
  }
}

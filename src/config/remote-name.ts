import { SyncerError } from '../core/errors.ts';

/** The rule for names of remotes, for messages: that of newer rclone versions, so that their files work. */
export const remoteNameRule =
  'names may contain letters, digits, spaces and _ - . + @, but cannot start with "-" or a space, or end with a space';

/** Whether a remote may have this name. */
export function isRemoteName(name: string): boolean {
  return /^[\w\p{L}\p{N}.+@ -]+$/u.test(name) && !/^[ -]| $/.test(name);
}

/** Throws `usage` with the rule for an invalid name. */
export function checkRemoteName(name: string): void {
  if (!isRemoteName(name)) {
    throw new SyncerError('usage', `invalid remote name "${name}": ${remoteNameRule}`);
  }
}

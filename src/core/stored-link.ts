/** The end of the names of files that contain the target of a symbolic link, as in rclone. */
export const LINK_SUFFIX = '.rclonelink';

/** Whether a path is that of a stored link: a name in front of the suffix. */
export function isStoredLink(path: string): boolean {
  const start = path.length - LINK_SUFFIX.length;
  return start > 0 && path[start - 1] !== '/' && path.endsWith(LINK_SUFFIX);
}

/** The path of the link that is stored at a path of `isStoredLink`. */
export function linkPathOf(stored: string): string {
  return stored.slice(0, -LINK_SUFFIX.length);
}

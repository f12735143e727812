import type { Entry } from './remote.ts';
import { leafName } from './remote-path.ts';

/**
 * Names of syncer's own entries among those of the user: the trash is a directory, the others are files. No command
 * lists, copies, counts or deletes them, at any depth (`src/names/hide-own-names.ts`). A command whose root is one shows
 * what is in it.
 */
export const OWN_NAMES = {
  guard: '.syncer-guard',
  trash: '.syncer-trash',
  lock: '.syncer-lock',
} as const;

/** The name of a file by which a run determines whether two places are one, with the mark of its process. */
export const TRIAL_NAME = /^syncer-partial-([0-9a-z]+-[0-9a-z]+-[0-9a-z]+)-[0-9a-z]+$/;

/** What decides whether an entry is one of the user's. */
export interface ShownEntry {
  readonly kind: Entry['kind'];
  readonly path: string;
  readonly size?: number;
}

/**
 * Whether an entry is a file by which a run determines whether two places are one: an empty one with such a name. A
 * killed run leaves it behind.
 */
export function isTrialEntry({ kind, path, size }: ShownEntry): boolean {
  return kind === 'file' && size === 0 && isTrialPath(path);
}

/** Whether a path is that of a trial file: it is no file of the user. */
export function isTrialPath(path: string): boolean {
  return path.includes('syncer-partial-') && TRIAL_NAME.test(leafName(path));
}

/** Whether an entry is one of `OWN_NAMES`: the trash is a directory, the others are files. */
export function isOwnEntry({ kind, path }: ShownEntry): boolean {
  if (!path.includes('.syncer-')) return false;
  const name = leafName(path);
  if (kind === 'dir') return name === OWN_NAMES.trash;
  return name === OWN_NAMES.guard || name === OWN_NAMES.lock;
}

/** Whether a directory is a trash or in one. */
export function isTrashDir(dir: string): boolean {
  return dir.includes(OWN_NAMES.trash) && dir.split('/').includes(OWN_NAMES.trash);
}

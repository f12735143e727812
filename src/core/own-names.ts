import { leafName } from './remote-path.ts';

/**
 * Names of syncer's own files and directories among those of the user. No command lists, copies, counts or deletes
 * them, at any depth (`src/kit/hide-own-names.ts`). A command whose root is one shows what is in it.
 */
export const OWN_NAMES = {
  guard: '.syncer-guard',
  trash: '.syncer-trash',
  lock: '.syncer-lock',
} as const;

const NAMES: ReadonlySet<string> = new Set(Object.values(OWN_NAMES));

/** The name of a file by which a run determines whether two places are one, with the mark of its process. */
export const TRIAL_NAME = /^syncer-partial-([0-9a-z]+-[0-9a-z]+-[0-9a-z]+)-[0-9a-z]+$/;

/** Whether a path is that of a trial file: it is no file of the user. */
export function isTrialPath(path: string): boolean {
  return path.includes('syncer-partial-') && TRIAL_NAME.test(leafName(path));
}

/** Whether the last segment of a path is one of `OWN_NAMES`. */
export function isOwnName(path: string): boolean {
  return path.includes('.syncer-') && NAMES.has(leafName(path));
}

/** Whether a path is one of `OWN_NAMES` or below one. */
export function isOwnPath(path: string): boolean {
  return path.includes('.syncer-') && path.split('/').some((name) => NAMES.has(name));
}

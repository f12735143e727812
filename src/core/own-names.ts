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

/** Whether the last segment of a path is one of `OWN_NAMES`. */
export function isOwnName(path: string): boolean {
  return path.includes('.syncer-') && NAMES.has(leafName(path));
}

/** Whether a path is one of `OWN_NAMES` or below one. */
export function isOwnPath(path: string): boolean {
  return path.includes('.syncer-') && path.split('/').some((name) => NAMES.has(name));
}

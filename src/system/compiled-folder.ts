/**
 * The directory for compiled code of the program, which is created if it is missing; `undefined` if it cannot be, or is
 * not wanted. As for Node's own cache, `NODE_COMPILE_CACHE` names another and `NODE_DISABLE_COMPILE_CACHE` turns it off.
 * It is not created in the home of another user, who could not write to it (`sudo`).
 *
 * An old Node reads this too: no newer syntax than ES2020.
 */
export function compiledFolder(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { XDG_CACHE_HOME, HOME, NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = env;
  const cache = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  const folder = NODE_COMPILE_CACHE || (cache && `${cache}/syncer/compiled`);
  if (!folder || NODE_DISABLE_COMPILE_CACHE === '1') return undefined;
  // A relative one would be another in each directory, and in a path with U+FFFD Node has replaced bytes.
  if (!folder.startsWith('/') || folder.includes('\ufffd')) return undefined;
  try {
    return makeOwn(folder, 3) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a directory is the user's own, and no other can write to it: who can decides what the program does.
 * `undefined` if it is missing.
 */
export function isOwn(folder: string): boolean | undefined {
  const { statSync } = process.getBuiltinModule('node:fs');
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isDirectory() && stats.uid === user() && (stats.mode & 0o022) === 0;
}

const user = () => process.getuid?.() || 0;

/** As `isOwn`; it and up to `levels` missing ones are created. */
function makeOwn(folder: string, levels: number): boolean {
  const is = isOwn(folder);
  if (is !== undefined) return is;
  const { mkdirSync, statSync } = process.getBuiltinModule('node:fs');
  const { dirname } = process.getBuiltinModule('node:path');
  const parent = dirname(folder);
  if (levels > 1 && isOwn(parent) === undefined) makeOwn(parent, levels - 1);
  if (![0, user()].includes(statSync(parent).uid)) return false;
  mkdirSync(folder, 0o700);
  return true;
}

/**
 * The directory for compiled code of the program, which is created if it is missing; `undefined` if it cannot be, or is
 * not wanted. As for Node's own cache, `NODE_COMPILE_CACHE` names another and `NODE_DISABLE_COMPILE_CACHE` turns it off.
 * It is not created in the home of another user, who could not write to it (`sudo`), and not used there, since who can
 * write to it decides what the program does.
 *
 * An old Node reads this too: no newer syntax than ES2020.
 */
export function compiledFolder(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { XDG_CACHE_HOME, HOME, NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = env;
  const cache = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  const folder = NODE_COMPILE_CACHE || (cache && `${cache}/syncer/compiled`);
  // Node has replaced bytes that are not UTF-8.
  if (!folder || folder.includes('\ufffd') || NODE_DISABLE_COMPILE_CACHE === '1') return undefined;
  try {
    return makeOwn(folder, 3) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a directory is the user's own; it and up to `levels` missing ones above are created. */
function makeOwn(folder: string, levels: number): boolean {
  const { mkdirSync, statSync } = process.getBuiltinModule('node:fs');
  const { dirname } = process.getBuiltinModule('node:path');
  const user = process.getuid?.() || 0;
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats !== undefined) return stats.isDirectory() && stats.uid === user;
  const parent = dirname(folder);
  if (levels > 1 && !isThere(parent)) makeOwn(parent, levels - 1);
  if (![0, user].includes(statSync(parent).uid)) return false;
  mkdirSync(folder, 0o700);
  return true;
}

function isThere(path: string): boolean {
  const { statSync } = process.getBuiltinModule('node:fs');
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

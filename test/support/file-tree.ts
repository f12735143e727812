import {
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Files on disk by path: content, or content and time in seconds; `path/` is a directory, `-> x` a link. */
export type Tree = Readonly<Record<string, string | readonly [content: string, second: number]>>;

/** Writes a tree below `root`; files that do not say are from second 1,000,000,000. */
export async function writeTree(root: string, tree: Tree): Promise<void> {
  await mkdir(root, { recursive: true });
  for (const [path, file] of Object.entries(tree)) {
    const full = join(root, path);
    if (path.endsWith('/')) {
      await mkdir(full, { recursive: true });
      continue;
    }
    await mkdir(dirname(full), { recursive: true });
    const [content, second] = typeof file === 'string' ? [file, 1_000_000_000] : file;
    if (content.startsWith('-> ')) {
      await symlink(content.slice(3), full);
      continue;
    }
    await writeFile(full, content);
    await utimes(full, second, second);
  }
}

/** What lies below `root`: `path` → `content@second`, directories as `path/` → ``. Missing: `undefined`. */
export async function readTree(root: string): Promise<Record<string, string> | undefined> {
  const found: Record<string, string> = {};
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(
    () => undefined,
  );
  if (entries === undefined) return undefined;
  for (const entry of entries) {
    const full = join(entry.parentPath, entry.name);
    const path = full.slice(root.length + 1);
    if (entry.isDirectory()) found[`${path}/`] = '';
    else if (entry.isSymbolicLink()) found[path] = `-> ${await readlink(full)}`;
    else {
      const [info, content] = await Promise.all([stat(full), readFile(full)]).catch(ifGone);
      if (info !== undefined) found[path] = `${content}@${Math.floor(info.mtimeMs / 1000)}`;
    }
  }
  return found;
}

/** A file may be deleted between the listing of its directory and the look at it. */
function ifGone(error: NodeJS.ErrnoException): readonly [] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}

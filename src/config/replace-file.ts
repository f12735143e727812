import { randomBytes } from 'node:crypto';
import {
  lstat,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Replaces a file atomically: writes a temporary file, syncs it, and renames it, so that readers and crashes see the
 * old or the new content. An existing file keeps its mode and owner, a new one gets 0600. `mayReplace` is called right
 * before the rename; if it returns false, nothing changes. Resolves to whether the file was replaced; rejects with
 * errors of the file system. Requires the lock: temporary files of killed processes, which may contain secrets, are
 * deleted.
 */
export async function replaceFile(
  path: string,
  content: Uint8Array,
  mayReplace: () => Promise<boolean>,
): Promise<boolean> {
  const old = await stat(path).catch(() => undefined);
  if (old?.isFile() === false) {
    // A pipe or a device is written into: a file in its place would be of no use to anybody.
    if (!(await mayReplace())) return false;
    await writeFile(path, content);
    return true;
  }
  await removeLeftovers(path);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(content);
      if (old !== undefined) {
        await file.chown(old.uid, old.gid).catch(ignoreNotPermitted);
        await file.chmod(old.mode & 0o7777);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    if (!(await mayReplace())) return false;
    await rename(temporary, path);
    await syncFolder(dirname(path));
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Where the content of a configuration before its last change is kept. */
export function formerPath(path: string): string {
  return `${path}.undo`;
}

/** Keeps a content beside its file, readable only by its owner; `undefined`: nothing is kept. Requires the lock. */
export async function keepFormer(
  path: string,
  content: Uint8Array | undefined,
  mayReplace: () => Promise<boolean>,
): Promise<void> {
  await rm(formerPath(path), { force: true });
  await removeLeftovers(formerPath(path));
  if (content !== undefined) await replaceFile(formerPath(path), content, mayReplace);
}

async function removeLeftovers(path: string): Promise<void> {
  const [dir, name] = [dirname(path), basename(path)];
  for (const other of await readdir(dir).catch(() => [])) {
    const isOurs =
      other.startsWith(`${name}.`) && /^[0-9a-f]{12}\.tmp$/.test(other.slice(name.length + 1));
    if (isOurs) await rm(join(dir, other), { force: true }).catch(() => {});
  }
}

/** The target of `path`: symbolic links are followed, also to a file that does not exist yet. */
export async function followLinks(path: string): Promise<string> {
  let at = path;
  for (let hops = 0; hops < 40; hops++) {
    const found = await lstat(at).catch(() => undefined);
    if (!found?.isSymbolicLink()) break;
    at = resolve(dirname(at), await readlink(at));
  }
  return realpath(at).catch(() => at);
}

/** Otherwise a power cut could undo the rename. File systems that cannot sync a directory do not need it. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

function ignoreNotPermitted(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPERM' && error.code !== 'EINVAL') throw error;
}

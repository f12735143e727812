import fs from 'node:fs';
import {
  type FileHandle,
  lstat,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import { isPartialName, isStale, partialPath, shortName } from '../names/partial-name.ts';
import { ownMark } from '../system/owner-state.ts';

export interface Replacing {
  /** Called right before; `false`: nothing changes. */
  readonly mayReplace?: () => Promise<boolean>;
  /** The mode of a new file, 0600 by default; an existing one keeps its mode and its owner. */
  readonly mode?: number;
  /** `false`: a power cut may leave the old content. */
  readonly isLasting?: boolean;
}

/** Counts the files that this process replaces, for their temporary names. */
let number = 0;

/**
 * Replaces a file atomically: writes one beside it, syncs it, and renames it, so that readers and crashes see the old or
 * the new content. Resolves to whether it was replaced; rejects with errors of the file system. A pipe or a device is
 * written into: a file in its place would be of no use to anybody. Temporary files of killed processes, which may hold
 * secrets, are deleted.
 *
 * @param content at once or piece by piece
 */
export async function replaceFile(
  path: string,
  content: Parameters<FileHandle['writeFile']>[0],
  replacing: Replacing = {},
): Promise<boolean> {
  const { mayReplace = async () => true } = replacing;
  const isFile = (await stat(path).catch(() => undefined))?.isFile() ?? true;
  if (!isFile) {
    if (!(await mayReplace())) return false;
    const file = await open(path, 'w');
    await file.writeFile(content).finally(() => file.close());
    return true;
  }
  const replacement = await openReplacement(path, replacing);
  try {
    await replacement.file.writeFile(content);
    return await replacement.put();
  } finally {
    await replacement.drop();
  }
}

/** Begins to replace a file; see `replaceFile`. The returned file is written beside it. */
export async function openReplacement(
  path: string,
  { mayReplace = async () => true, mode = 0o600, isLasting = true }: Replacing,
) {
  for (const left of leftBeside(path)) await rm(left, { force: true }).catch(() => {});
  const beside = besidePath(path);
  const file = await open(beside, 'wx', mode);
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await file.close();
    isClosed = true;
  };
  return {
    file,
    /** Puts it in place; `false` if it may not. */
    async put() {
      const old = await stat(path).catch(() => undefined);
      if (old !== undefined) {
        await file.chown(old.uid, old.gid).catch((thrown: NodeJS.ErrnoException) => {
          if (thrown.code !== 'EPERM' && thrown.code !== 'EINVAL') throw thrown;
        });
        await file.chmod(old.mode & 0o7777);
      }
      if (isLasting) await file.sync();
      await close();
      if (!(await mayReplace())) return false;
      await rename(beside, path);
      if (!isLasting) return true;
      // Otherwise a power cut could undo the rename. File systems that cannot sync a directory do not need it.
      const folder = await open(dirname(path), 'r').catch(() => undefined);
      await folder?.sync().catch(() => {});
      await folder?.close();
      return true;
    },
    /** Deletes it, unless it is in place. */
    async drop() {
      await close();
      await rm(beside, { force: true });
    },
  };
}

/** As `replaceFile`, synchronously and piece by piece, for a file of mode 0600 that need not survive a power cut. */
export function replaceFileSync(path: string | Buffer, pieces: Iterable<string>): void {
  replaceBy(path, (beside) => {
    for (const piece of pieces) fs.appendFileSync(nameToBytes(beside), piece);
  });
}

/** The same by what writes into an empty file. */
export function replaceBy(path: string | Buffer, write: (beside: string) => void): void {
  const name = typeof path === 'string' ? path : nameFromBytes(path);
  for (const left of leftBeside(name)) fs.rmSync(nameToBytes(left), { force: true });
  const beside = besidePath(name);
  const bytes = nameToBytes(beside);
  try {
    fs.writeFileSync(bytes, '', { flag: 'wx', mode: 0o600 });
    write(beside);
    fs.renameSync(bytes, path);
  } catch (thrown) {
    fs.rmSync(bytes, { force: true });
    throw thrown;
  }
}

function besidePath(path: string): string {
  // The numbers of the local backend are hexadecimal.
  return partialPath(path, ownMark(), `s${(number++).toString(36)}`);
}

/** What killed processes have left beside a file while they replaced it. */
function leftBeside(path: string): string[] {
  const start = `.${shortName(basename(path))}.`;
  return leftFiles(dirname(path)).filter((left) => basename(left).startsWith(start));
}

/** What killed processes have left in a directory while they replaced its files. */
export function leftFiles(folder: string): string[] {
  let names: string[] = [];
  try {
    names = fs.readdirSync(folder);
  } catch {
    // There is nothing in it.
  }
  return names
    .filter(isPartialName)
    .map((name) => join(folder, name))
    .filter((path) => isStale(path));
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

import { posix } from 'node:path';
import { alike, around, type Layer } from '../../core/around.ts';
import { bodyChunks } from '../../core/body.ts';
import { hasCode } from '../../core/errors.ts';
import { membersOf } from '../../core/members.ts';
import type { Entry, FileEntry, Op, Remote } from '../../core/remote.ts';
import { deleteOne, deleteOneByOne } from '../../core/remote-calls.ts';
import { isStoredLink, LINK_SUFFIX, linkPathOf, parentPath } from '../../core/remote-path.ts';

/** A longer file is no link, in bytes: Linux takes 4095. */
const LONGEST_TARGET = 4096;
const STORED = Symbol('stored');
const TARGET = Symbol('target');

/** A file under the name of a link. The symbols stay when the entry is copied. */
interface LinkedFile extends FileEntry {
  /** The file that contains the target. */
  readonly [STORED]: FileEntry;
  /** The file that the link leads to. */
  readonly [TARGET]: FileEntry;
}

/** The target under the name of its link. */
export function linkedFile(stored: FileEntry, target: FileEntry): FileEntry {
  const path = linkPathOf(stored.path);
  const linked: LinkedFile = { ...target, path, [STORED]: stored, [TARGET]: target };
  return linked;
}

/** The path under which a link is stored. */
export const storedLinkPath = (path: string): string => path + LINK_SUFFIX;

/** The path under which a stored link is shown; `undefined` for any other file. */
export function shownLinkPath(path: string): string | undefined {
  return isStoredLink(path) ? linkPathOf(path) : undefined;
}

/** What is stored for an entry: the file with the target, for a link. */
export function storedEntry<E extends Entry>(entry: E): E | FileEntry {
  return isLinked(entry) ? entry[STORED] : entry;
}

/** What is read and written: the file that a link leads to. */
export function targetEntry<E extends Entry>(entry: E): E | FileEntry {
  return isLinked(entry) ? entry[TARGET] : entry;
}

/** The path that a stored link leads to; `undefined` if it is outside the remote, or the file is no link. */
export async function readLinkTarget(
  remote: Remote,
  stored: FileEntry,
  op: Op,
): Promise<string | undefined> {
  if (stored.size < 1 || stored.size > LONGEST_TARGET) return undefined;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of bodyChunks(await remote.read(stored, undefined, op), op.signal)) {
      chunks.push(Buffer.from(chunk));
    }
  } catch (thrown) {
    // On a disk with `--links` an ordinary file of such a name has no link behind it. The rest of its directory has.
    if (hasCode(thrown, 'file-not-found')) return undefined;
    throw thrown;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  if (text.startsWith('/') || text.includes('\0')) return undefined;
  const path = posix.join(parentPath(stored.path), text);
  return path === '.' || path === '..' || path.startsWith('../') ? undefined : path;
}

/**
 * The remote for entries of `linkedFile`: their content is that of the target, and what deletes or renames them does so
 * to the link.
 */
export function withServedLinks(inner: Remote): Remote {
  return around(inner, 'served-links', {
    ...passedByServed(),
    ...alike(['stat', 'write'], 'passes'),
    ...THROUGH_LINKS,
    read: () => (file, range, op) => inner.read(targetEntry(file), range, op),
    delete: () => (files, op, how) =>
      deleteOneByOne(files, op, (file) => deleteOne(inner, storedEntry(file), op, how)),
  });
}

/**
 * What a layer passes that shows a server other files than the remote has: whatever is not called with such a file, and
 * what no server calls.
 */
export const passedByServed = () =>
  alike(
    [
      ...membersOf('says', 'lists'),
      ...(['makeDir', 'deleteDir', 'setDirModTime', 'setDirMetadata', 'moveDirFrom'] as const),
      ...(['purge', 'purgeUnlisted', 'deleteShortcut', 'takeBack', 'linkFrom', 'setTier'] as const),
      ...(['restoring.restore', 'restoreKept', 'deleteKept', 'cleanUp', 'commands.run'] as const),
      ...(['publicLink', 'deleteLink', 'disconnect', 'fetch', 'readDirMetadata'] as const),
      ...(['foreignIn', 'unlistedAt', 'changes', 'watch', 'about', 'userInfo'] as const),
      ...(['place.anchor', 'place.lineage', 'place.views', 'inspection.findings'] as const),
      ...(['restoring.keeps', 'restoring.find', 'restoring.isInBin'] as const),
      ...(['pieces.md5s', 'pieces.cuts'] as const),
    ],
    'passes',
  );

/** What a server of files does with a file. */
const THROUGH_LINKS = {
  'details.read': (read) => async (file, op, asked) =>
    again(file, await read(targetEntry(file), op, asked)),
  confirmSize: (confirmSize) => async (file, op) =>
    again(file, await confirmSize(targetEntry(file), op)),
  hash: (hash) => (file, name, op) => hash(targetEntry(file), name, op),
  hashes: (hashes) => (file, names, op) => hashes(targetEntry(file), names, op),
  hashMany: (hashMany) => (files, name, op) => hashMany(files.map(targetEntry), name, op),
  hashesInDoubt: (hashesInDoubt) => (file) => hashesInDoubt(targetEntry(file)),
  confirmHashes: (confirmHashes) => async (file, op) =>
    again(file, await confirmHashes(targetEntry(file), op)),
  copyFrom: (copyFrom) => (from, file, path, op, keep) =>
    copyFrom(from, targetEntry(file), path, op, keep),
  moveFrom: (moveFrom) => (from, file, path, op, keep) => {
    const to = isLinked(file) ? storedLinkPath(path) : path;
    return moveFrom(from, storedEntry(file), to, op, keep);
  },
  setModTime: (setModTime) => async (file, modTime, op) =>
    again(file, await setModTime(targetEntry(file), modTime, op)),
} as const satisfies Partial<Layer>;

function again(file: FileEntry, target: FileEntry): FileEntry {
  return isLinked(file) ? linkedFile(file[STORED], target) : target;
}

const isLinked = (entry: Entry): entry is LinkedFile => TARGET in entry;

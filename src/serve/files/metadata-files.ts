import { createHash } from 'node:crypto';
import { around, type Layer } from '../../core/around.ts';
import type { Entry, FileEntry, Op, Remote } from '../../core/remote.ts';
import { describedPath, metadataText, unchangeable } from '../../go/metadata-text.ts';
import { passedByServed, storedLinkPath } from './served-links.ts';

const ABOUT = Symbol('about');
const TEXT = Symbol('text');

/** A file that shows the metadata of another entry. The symbols stay when the entry is copied. */
interface MetadataFile extends FileEntry {
  readonly [ABOUT]: Entry;
  readonly [TEXT]: Buffer;
}

/**
 * The remote with a file `NAME` + `extension` for each entry `NAME`, which shows its metadata as JSON, as rclone's
 * `--vfs-metadata-extension`. They are in no listing, a file that has such a name hides one, and all changes of them
 * are rejected with `access-denied`.
 *
 * @param links a stored link has one under its own name, too
 */
export function withMetadataFiles(inner: Remote, extension: string, links = false): Remote {
  const find = async (path: string, op: Op): Promise<Entry | undefined> => {
    const there = await inner.stat(path, op);
    const about = describedPath(path, extension);
    if (there !== undefined || about === undefined) return there;
    const entry =
      (await inner.stat(about, op)) ??
      (links ? await inner.stat(storedLinkPath(about), op) : undefined);
    if (entry === undefined) return undefined;
    const text = await metadataText(inner, entry, op);
    const { modTime } = entry;
    const file: MetadataFile = {
      kind: 'file',
      path,
      size: text.length,
      [ABOUT]: entry,
      [TEXT]: text,
      ...(modTime === undefined ? {} : { modTime }),
      etag: createHash('md5').update(text).digest('hex'),
      metadata: {},
    };
    return file;
  };
  return around(inner, 'metadata-files', {
    ...passedByServed(),
    ...BESIDE_METADATA_FILES,
    stat: () => find,
    read: () => async (file, range, op) => {
      if (!isMetadataFile(file)) return inner.read(file, range, op);
      const { offset = 0, length = file.size } = range ?? {};
      return file[TEXT].subarray(offset, offset + length);
    },
    write: () => async (source, op) => {
      if (describedPath(source.path, extension) !== undefined) {
        requireOther(await find(source.path, op));
      }
      return inner.write(source, op);
    },
    delete: () => async (files, op, how) => {
      files.forEach(requireOther);
      return inner.delete(files, op, how);
    },
  });
}

/** What filters decide about: the entry that a metadata file is about, otherwise the entry itself. */
export const aboutEntry = (entry: Entry): Entry => (isMetadataFile(entry) ? entry[ABOUT] : entry);

/** What a server of files does with a file. */
const BESIDE_METADATA_FILES = {
  'details.read': (read) => async (file, op, asked) => {
    if (!isMetadataFile(file)) return read(file, op, asked);
    asked?.onBody?.(file[TEXT]);
    return file;
  },
  // The hashes of these are in no listing.
  confirmHashes: 'passes',
  confirmSize: (confirmSize) => async (file, op) =>
    isMetadataFile(file) ? file : confirmSize(file, op),
  hash: (hash) => async (file, name, op) =>
    isMetadataFile(file) ? undefined : hash(file, name, op),
  hashes: (hashes) => async (file, names, op) =>
    isMetadataFile(file) ? {} : hashes(file, names, op),
  hashMany: (hashMany) => async (files, name, op) =>
    files.some(isMetadataFile) ? [] : hashMany(files, name, op),
  copyFrom: (copyFrom) => async (from, file, path, op, keep) =>
    isMetadataFile(file) ? undefined : copyFrom(from, file, path, op, keep),
  moveFrom: (moveFrom) => async (from, file, path, op, keep) => {
    requireOther(file);
    return moveFrom(from, file, path, op, keep);
  },
  setModTime: (setModTime) => async (file, modTime, op) => {
    requireOther(file);
    return setModTime(file, modTime, op);
  },
} as const satisfies Partial<Layer>;

const isMetadataFile = (entry: Entry): entry is MetadataFile => TEXT in entry;

function requireOther(entry: Entry | undefined): void {
  if (entry !== undefined && isMetadataFile(entry)) throw unchangeable(entry.path);
}

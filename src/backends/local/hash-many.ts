import type { HashName } from '../../core/hash-names.ts';
import type { FileEntry } from '../../core/remote.ts';
import { type Md5Lanes, md5Lanes } from '../../hashes/md5-lanes/md5-lanes.ts';
import { MD5_LAYOUT, md5Module } from '../../hashes/md5-lanes/md5-module.ts';
import { loadLibc } from '../../native/libc.ts';
import type { LocalDisk } from './local-disk.ts';
import { isSmall, verifyRead } from './read-file.ts';
import { SmallFileReader } from './small-file-reader.ts';

/** Fewer files are hashed as fast one by one. */
const FEWEST = 16;

/** A longer file does not fit into a lane's room, in bytes. */
const LONGEST = MD5_LAYOUT.roomLength - MD5_LAYOUT.messageEnd;

interface Tools {
  readonly reader: SmallFileReader;
  readonly lanes: Md5Lanes;
}

let loaded: Promise<Tools | undefined> | undefined;

/**
 * See `Capabilities.hashMany`: the MD5s of small files, eight of them at the same time. Nothing on a disk that keeps
 * its callers waiting, where threads hash.
 */
export async function hashMany(
  disk: LocalDisk,
  files: readonly FileEntry[],
  name: HashName,
): Promise<readonly (string | undefined)[]> {
  const { smallHashes, settings } = disk;
  if (name !== 'md5' || !settings.hashes.includes(name)) return [];
  const suited = files.map((file) => suitedFile(disk, file)).filter((one) => one !== undefined);
  if (suited.length < FEWEST || smallHashes.needThreads) return [];
  loaded ??= load();
  const tools = await loaded;
  if (tools === undefined) return [];
  const digests = new Map<FileEntry, string>();
  // The lanes of a group advance together.
  suited.sort((a, b) => a.file.size - b.file.size);
  for (let at = 0; at < suited.length && !smallHashes.needThreads; at += tools.lanes.lanes) {
    const group = suited.slice(at, at + tools.lanes.lanes);
    smallHashes.hereTogether(group.length, () => hashGroup(disk, tools, group, digests));
  }
  return files.map((file) => digests.get(file));
}

interface Suited {
  readonly file: FileEntry;
  readonly native: string;
  /** As a range of itself, for the lanes. */
  readonly offset: 0;
  readonly length: number;
}

function suitedFile(disk: LocalDisk, file: FileEntry): Suited | undefined {
  // The lanes read nothing of an empty file, so that nothing would show that it still is one.
  if (!isSmall(disk, file) || file.size === 0 || file.size > LONGEST) return undefined;
  if (disk.isLink(file.path) || !disk.mayHold(file.path)) return undefined;
  const native = disk.pathOf(file.path);
  return native.isWellFormed() ? { file, native, offset: 0, length: file.size } : undefined;
}

function hashGroup(
  disk: LocalDisk,
  { reader, lanes }: Tools,
  group: readonly Suited[],
  digests: Map<FileEntry, string>,
): void {
  const found = lanes.hash(group, (room, _position, index) => {
    const { file, native } = group[index] as Suited;
    const stats = reader.read(native, room);
    if (stats === undefined) return 0;
    try {
      verifyRead(disk, file, stats);
      return room.length;
    } catch {
      return 0;
    }
  });
  for (let at = 0; at < group.length; at++) {
    const digest = found[at];
    if (digest !== undefined) digests.set((group[at] as Suited).file, digest);
  }
}

/** Without the C library or WebAssembly's vectors nothing is gained. */
async function load(): Promise<Tools | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const reader = new SmallFileReader(await loadLibc());
    return { reader, lanes: md5Lanes(new WebAssembly.Module(md5Module()), MD5_LAYOUT) };
  } catch {
    return undefined;
  }
}

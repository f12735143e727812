import { type ModTime, modTimeFromMs } from '../../core/mod-time.ts';
import type { Entry, FileEntry } from '../../core/remote.ts';
import type { MemorySettings } from './memory-options.ts';
import type { MemoryFile, MemoryNode } from './memory-tree.ts';

/** The entry of a node in a listing (`detailed` false) or of `stat` (true). */
export function entryOf(
  settings: MemorySettings,
  path: string,
  node: MemoryNode,
  detailed: boolean,
): Entry {
  return node.kind === 'dir' ? { kind: 'dir', path } : fileEntryOf(settings, path, node, detailed);
}

/** As `entryOf`, for a file. */
export function fileEntryOf(
  settings: MemorySettings,
  path: string,
  file: MemoryFile,
  detailed: boolean,
): FileEntry {
  return {
    kind: 'file',
    path,
    size: file.content.length,
    ...(file.modTime !== undefined && (detailed || !settings.slowModTime)
      ? { modTime: file.modTime }
      : {}),
    ...(settings.slowHash || settings.hashes.length === 0 ? {} : { hashes: file.hashes }),
    ...(file.mimeType === undefined ? {} : { mimeType: file.mimeType }),
    ...(file.id === undefined ? {} : { id: file.id }),
    ...(file.tier === undefined ? {} : { tier: file.tier }),
    ...(file.metadata === undefined || !detailed ? {} : { metadata: file.metadata }),
  };
}

/** A time in the precision of the remote; the current one by default. */
export function cutTime(
  settings: MemorySettings,
  modTime: ModTime | undefined,
): ModTime | undefined {
  const precision = settings.modTimePrecision;
  if (precision === undefined) return undefined;
  const time = modTime ?? modTimeFromMs(settings.now());
  return time - (((time % precision) + precision) % precision);
}

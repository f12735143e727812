import { asSeen } from './mod-time.ts';
import type { FileEntry, Op, Remote } from './remote.ts';

/** What the rules of a filter need of a file. */
export interface FilterNeeds {
  /** An age rule is set: `keepFile` needs `modTime`. */
  readonly needsModTime: boolean;
  /** `storedTime` does as well (`--use-server-modtime`). */
  readonly usesStoredTime?: boolean;
  /** A metadata rule is set: `keepFile` needs `metadata`. */
  readonly needsMetadata?: boolean;
}

/**
 * A function that completes a file with what the rules of a filter need and its listing lacks, by a request that may
 * reject. `undefined` if the rules need nothing.
 */
export function detailsForFilter(
  { can }: Remote,
  { needsModTime, usesStoredTime, needsMetadata = false }: FilterNeeds,
  op: Op,
): ((file: FileEntry) => FileEntry | Promise<FileEntry>) | undefined {
  if (!needsModTime && !needsMetadata) return undefined;
  const { details } = can;
  const complete = (file: FileEntry) =>
    needsMetadata && file.metadata === undefined ? { ...file, metadata: {} } : file;
  return (file) => {
    const lacksTime = needsModTime && asSeen(file, usesStoredTime).modTime === undefined;
    const lacks = lacksTime || (needsMetadata && file.metadata === undefined);
    if (!lacks || details === undefined) return complete(file);
    return details.read(file, op).then(complete);
  };
}

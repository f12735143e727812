import { Readable } from 'node:stream';
import type { Body, FileEntry } from '../core/remote.ts';
import type { CopyJob } from './copy-job.ts';
import { withHashesOf, withMetadata, withModTime } from './mod-time-of.ts';
import type { Run } from './run.ts';

/** Files above this are not opened together with their details: they may be read in ranges. In bytes. */
const LARGE = 64 << 20;

/** Above this, hashing a file takes longer than asking for its checksum. In bytes. */
const WORTH_ASKING = 4 << 20;

/** A file about to be copied, with its modification time known, and its body where that came along. */
export interface OpenedSource {
  readonly file: FileEntry;
  /** The body that is open already; only the first call gets it. */
  take(): Body | undefined;
  /** Closes the body if nobody took it. */
  discard(): void;
}

/** What must be known of a file before it is copied. */
export interface NeededDetails {
  readonly time: boolean;
  readonly metadata: boolean;
  /** A checksum to verify it by is of use, where the source knows one. */
  readonly checksums: boolean;
  /** From this size on, in bytes, it is read in ranges: its whole body would not be taken. */
  readonly rangesFrom: number;
}

/** Finds out what is needed of a file to be copied, by the same request that reads it where that can be. */
export async function openForCopy(
  run: Run,
  job: CopyJob,
  needs: NeededDetails,
): Promise<OpenedSource> {
  const { source, file } = job;
  const { readWithDetails } = source.can;
  const isKnown = file.modTime !== undefined && !lacksType(job);
  const lacksMetadata = needs.metadata && file.metadata === undefined;
  const asks = needs.checksums && lacksChecksum(job);
  const knowsEnough = !lacksMetadata && (!needs.time || isKnown);
  if (knowsEnough && !asks) return holding(file, undefined);
  const isWhole = file.size >= 0 && file.size <= LARGE && file.size < needs.rangesFrom;
  if (readWithDetails !== undefined && isWhole) {
    const opened = await readWithDetails(file, run.op);
    return holding(knowsEnough ? withHashesOf(file, opened.file) : opened.file, opened.body);
  }
  const { readDetails, readDetailsWithChecksums } = source.can;
  const read = asks ? readDetailsWithChecksums : readDetails;
  if (lacksMetadata) return holding(await withMetadata(source, file, run.op, read), undefined);
  if (knowsEnough) {
    const detailed = await read?.(file, run.op);
    return holding(detailed === undefined ? file : withHashesOf(file, detailed), undefined);
  }
  const { modTime: _known, ...listed } = file;
  return holding(await withModTime(source, listed, run.op, read), undefined);
}

/** A store may know a checksum that its listings do not tell. */
function lacksChecksum({ source, file }: CopyJob): boolean {
  const mayKnow = source.can.readDetailsWithChecksums !== undefined;
  return mayKnow && file.size > WORTH_ASKING && file.hashes?.crc32 === undefined;
}

/** A time may be known from an earlier run, but the type that the copy is to have is told with the times only. */
function lacksType({ source, dest, file }: CopyJob): boolean {
  return source.traits.slowModTime && !dest.traits.onDisk && file.mimeType === undefined;
}

function holding(file: FileEntry, opened: Body | undefined): OpenedSource {
  let body = opened;
  const take = () => {
    const taken = body;
    body = undefined;
    return taken;
  };
  return {
    file,
    take,
    discard: () => {
      const left = take();
      if (left instanceof Readable) left.on('error', () => {}).destroy();
    },
  };
}

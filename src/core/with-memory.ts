import { alike, around } from './around.ts';
import type { Context, MemoryBudget } from './context.ts';
import { membersOf } from './members.ts';
import type { Op, Page, Remote } from './remote.ts';

/** What a stream of content holds: chunks that were read and wait, in bytes. */
const STREAM = 2 * 1024 ** 2;

/** What a page of a listing takes, as text and as entries, in bytes. */
const LISTING_PAGE = 1024 ** 2;

/** Reads a file to its end with its share of the memory: for what is compared or hashed, and written nowhere. */
export async function readingWith<T>(
  { memory, signal }: Pick<Context, 'memory' | 'signal'>,
  streams: number,
  read: () => Promise<T>,
): Promise<T> {
  const share = await memory?.take(STREAM * streams, STREAM * streams, signal);
  try {
    return await read();
  } finally {
    share?.release();
  }
}

/**
 * The remote whose writes and listings wait for their share of the memory. No call takes one while it holds another,
 * so that none waits for itself.
 */
export function withMemory(remote: Remote, memory: MemoryBudget): Remote {
  const { can, traits } = remote;
  const listing = async (op: Op, list: () => Promise<Page>): Promise<Page> => {
    if (traits.onDisk) return list();
    const share = await memory.take(LISTING_PAGE, LISTING_PAGE, op.signal);
    try {
      return await list();
    } finally {
      share.release();
    }
  };
  return around(remote, 'memory', {
    ...alike(membersOf('says', 'reads', 'changes'), 'passes'),
    // One call of these is many pages, whose callers take them one by one.
    ...alike(
      ['listTreeUnordered', 'listDirs', 'listKept', 'listUploads', 'listVersions'],
      'passes',
    ),
    // They are only used on disks.
    ...alike(['listUsage', 'takeUsage'], 'passes'),
    listPage: () => (dir, cursor, op) => listing(op, () => remote.listPage(dir, cursor, op)),
    listTreePage: (listTreePage) => (dir, cursor, op, range) =>
      listing(op, () => listTreePage(dir, cursor, op, range)),
    write: () => async (source, op) => {
      const usual = Math.min(STREAM, source.size ?? STREAM);
      const { least, most } = can.writeMemory?.(source) ?? { least: usual, most: usual };
      const share = await memory.take(least, most, op.signal);
      try {
        return await remote.write(source, { ...op, room: share.bytes });
      } finally {
        share.release();
      }
    },
  });
}

import { hasCode } from '../../core/errors.ts';
import type { Entry, Op, Page, Remote } from '../../core/remote.ts';
import { type DirNode, type Loading, pathOf } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';

/** A listing in pages that changed while it was read is read so often. */
const TRIES = 3;

/**
 * All entries of a directory, or `undefined` where there is more than one page and nobody needs them all. Rejects where
 * any page cannot be had: what was not read is never taken for empty.
 */
export async function readListing(
  { remote, signal }: VfsParts,
  dir: DirNode,
  loading: Pick<Loading, 'wantsAll' | 'isTrusted'>,
): Promise<readonly Entry[] | undefined> {
  const path = pathOf(dir);
  const op = { signal };
  try {
    for (let tries = 1; ; tries++) {
      const { removals, removing } = dir;
      const first = await remote.listPage(path, undefined, op);
      if (first.cursor === undefined) return first.entries;
      if (!loading.wantsAll) return undefined;
      const entries = [...first.entries, ...(await readRest(remote, path, first.cursor, op))];
      if (removing === 0 && dir.removals === removals) return entries;
      // A store that counts entries to go on leaves some out where others go meanwhile.
      if (tries < TRIES) continue;
      loading.isTrusted = false;
      return entries;
    }
  } catch (thrown) {
    // What was made here and holds nothing yet need not be there.
    if (dir.isVirtual && hasCode(thrown, 'directory-not-found')) return [];
    throw thrown;
  }
}

async function readRest(remote: Remote, path: string, from: string, op: Op): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor: string | undefined = from; cursor !== undefined; ) {
    const page: Page = await remote.listPage(path, cursor, op);
    for (const entry of page.entries) entries.push(entry);
    cursor = page.cursor;
  }
  return entries;
}

import { toSyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import { readPages } from '../../src/core/remote-calls.ts';
import { entryTest, keptEntries } from '../../src/listing/kept-entries.ts';
import { listsFlat } from '../../src/listing/walk-tree.ts';
import { NcduSpool } from '../../src/size-tree/ncdu-spool.ts';
import type { Scanned } from './scan-tree.ts';

/**
 * Scans for an export only, if one flat listing in order is enough: no entry stays in memory. `undefined` if it is not,
 * and if an entry did not come in the order of paths. A listing that fails after its first page is noted; rejects if it
 * fails before, or the signal is aborted.
 */
export async function spoolScan(
  { remote, filter, atOnce, isAll = false }: Scanned,
  op: Op,
): Promise<NcduSpool | undefined> {
  const { listTreePage } = remote.can;
  const isAccount = remote.traits.bucketBased && remote.root === '';
  const isFlat = listsFlat({ remote, filter, want: 'all' });
  if (listTreePage === undefined || isAll || isAccount || !isFlat) return undefined;
  const spool = new NcduSpool();
  const fail = (thrown: unknown, path: string) =>
    spool.fail(`${path}: ${toSyncerError(thrown).message}`);
  const test = entryTest(remote, filter, op, fail);
  const readPage = (cursor: string | undefined) => listTreePage('', cursor, { ...op, atOnce });
  let result: NcduSpool | undefined;
  let isAdding = false;
  try {
    for await (const page of readPages(readPage, ({ path, error }) => fail(error, path))) {
      const wanted = filter.passesAll
        ? page
        : await keptEntries(
            page.filter(({ path }) => test.keepParents(path)),
            test.keepEntry,
            atOnce,
          );
      isAdding = true;
      if (!spool.add(wanted)) return undefined;
      isAdding = false;
    }
    result = spool;
  } catch (thrown) {
    op.signal.throwIfAborted();
    // The temporary file is no part of the listing.
    if (isAdding || spool.isEmpty) throw thrown;
    spool.fail(toSyncerError(thrown).message);
    result = spool;
  } finally {
    if (result === undefined) spool.close();
  }
  return result;
}

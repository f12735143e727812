import { modTimeFromMs } from '../../src/core/mod-time.ts';
import { nameToBytes } from '../../src/core/name-bytes.ts';
import type { Entry } from '../../src/core/remote.ts';
import { wantedTimes } from '../../src/listing/detail-reader.ts';
import { shownDirSize } from '../../src/listing/ls-lines.ts';
import { readAhead } from '../../src/listing/ordered-batches.ts';
import { isHidden, TreeBuilder } from '../../src/listing/tree-node.ts';
import { sortTree, type TreeSort, treeOrder } from '../../src/listing/tree-order.ts';
import { rowsOfTree, type TreeRow } from '../../src/listing/tree-rows.ts';
import { type Listing, openListing } from '../../src/run/listing/open-listing.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import type { FlagsWith } from '../../src/shell/flags/flag-table.ts';
import type { Output } from '../../src/shell/output/output.ts';
import { withOutput } from '../../src/shell/output/output-file.ts';
import type { LIST_FLAGS } from './command.ts';
import { TreeDrawing, type TreeRules } from './tree-lines.ts';

/** How many rows of a tree in memory are drawn at a time. */
const ROWS_AT_ONCE = 1000;

/** `syncer tree remote:path` */
export async function treeCommand(invocation: Invocation<typeof LIST_FLAGS>): Promise<void> {
  const { flags, out } = invocation;
  const listing = await openListing(invocation);
  const rows = readAhead(readRows(listing, flags));
  // Nothing is drawn, and no file opened, if the root cannot be listed.
  const first = await rows.next();
  await withOutput(out, '--output', flags.output, async (target) => {
    const drawing = new TreeDrawing(rulesOf(invocation, listing, target));
    // Lines contain colours, which text for a terminal may not.
    for await (const text of drawing.lines(withFirst(first, rows)))
      await target.write(nameToBytes(text));
    if (!flags.noreport) await target.write(drawing.report(flags['dirs-only']));
  });
  listing.finish();
}

async function* withFirst<T>(first: IteratorResult<T>, rest: AsyncIterable<T>): AsyncGenerator<T> {
  if (first.done !== true) yield first.value;
  yield* rest;
}

/** The rows of the sorted tree. Directories listed one by one are drawn as they come. */
async function* readRows(
  listing: Listing,
  flags: FlagsWith<typeof LIST_FLAGS>,
): AsyncGenerator<readonly TreeRow[]> {
  const sort = sortOf(flags);
  // As rclone, which derives directories from a flat listing wherever it can.
  const isFlat = levelOf(flags) !== 1 && listing.remote.can.listTreePage !== undefined;
  const dirSize = shownDirSize({ kind: 'dir', path: '' }, listing.remote, isFlat);
  const { now } = listing;
  const order =
    sort === 'none' ? undefined : treeOrder(sort, { reverse: flags['sort-reverse'], dirSize, now });
  const needsTimes = flags.modtime || sort === 'mtime';
  const shown = async function* (pages: AsyncIterable<readonly Entry[]>) {
    const detailed = needsTimes ? listing.detailed(pages, wantedTimes) : pages;
    for await (const page of detailed)
      yield flags.all ? page : page.filter(({ path }) => !isHidden(path));
  };
  const isInOrder = order === undefined || (sort === 'name' && !flags['sort-reverse']);
  const sorted = async function* (pages: AsyncIterable<readonly Entry[]>) {
    const all: Entry[] = [];
    for await (const page of shown(pages)) all.push(...page);
    yield all.sort(order);
  };
  const want = flags['dirs-only'] ? 'dirs' : 'all';
  const how = { maxDepth: levelOf(flags), byDirectory: !flags['fast-list'] };
  const rows = listing.rows(want, how, isInOrder ? shown : sorted);
  if (rows !== undefined) {
    yield* rows;
    return;
  }
  const tree = new TreeBuilder();
  for await (const page of shown(listing.entries(want, how)))
    for (const entry of page) tree.add(entry);
  if (order !== undefined) sortTree(tree.root, order);
  yield* inBatches(rowsOfTree(tree.root));
}

function* inBatches<T>(items: Iterable<T>): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items)
    if (batch.push(item) >= ROWS_AT_ONCE) {
      yield batch;
      batch = [];
    }
  yield batch;
}

function rulesOf(
  { flags, context }: Invocation<typeof LIST_FLAGS>,
  { now }: Listing,
  { colour, isTerminal }: Output,
): TreeRules {
  const byFlag = flags['tree-color'];
  return {
    colour: byFlag === 'auto' ? colour : byFlag === 'always' || byFlag === 'true',
    harmless: isTerminal,
    sizes: flags['human-readable'] ? 'short' : flags['tree-size'] ? 'bytes' : 'none',
    protections: flags.protections,
    times: flags.modtime,
    clock: modTimeFromMs(context.clock.now()),
    quote: flags.quote,
    fullPath: flags['full-path'],
    indent: !flags.noindent,
    level: levelOf(flags),
    now,
  };
}

/** Levels to list; -1 for no limit. */
function levelOf(flags: FlagsWith<typeof LIST_FLAGS>): number {
  return flags.level > 0 ? flags.level : flags['max-depth'];
}

function sortOf(flags: FlagsWith<typeof LIST_FLAGS>): TreeSort {
  if (flags.unsorted) return 'none';
  // No backend has status change times: rclone sorts by modification time instead.
  const byTime = flags['sort-modtime'] || flags['sort-ctime'];
  if (byTime || flags.sort === 'mtime' || flags.sort === 'ctime') return 'mtime';
  if (flags.dirsfirst) return 'dirsfirst';
  return flags['tree-version'] ? 'version' : flags.sort;
}

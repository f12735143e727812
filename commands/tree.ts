import type { Invocation, Output } from '../src/app/command.ts';
import type { Flags } from '../src/app/flags/flag-table.ts';
import { type Listing, openListing } from '../src/app/listing/open-listing.ts';
import { withOutput } from '../src/app/output/output-file.ts';
import { modTimeFromMs } from '../src/core/mod-time.ts';
import { nameToBytes } from '../src/core/name-bytes.ts';
import { wantedTimes } from '../src/listing/detail-reader.ts';
import { shownDirSize } from '../src/listing/ls-lines.ts';
import { type TreeRules, treeLines, treeReport } from '../src/listing/tree-lines.ts';
import { isHidden, TreeBuilder, type TreeNode } from '../src/listing/tree-node.ts';
import { sortTree, type TreeSort, treeOrder } from '../src/listing/tree-order.ts';

/** How many lines are written at a time. */
const LINES_AT_ONCE = 1000;

/** `syncer tree remote:path` */
export async function treeCommand(invocation: Invocation): Promise<void> {
  const { flags, out } = invocation;
  const listing = await openListing(invocation);
  const sort = sortOf(flags);
  const root = await readTree(listing, flags, sort);
  if (sort !== 'none') {
    const dirSize = shownDirSize(root.entry, listing.remote, false);
    const { now } = listing;
    sortTree(root, treeOrder(sort, { reverse: flags['sort-reverse'], dirSize, now }));
  }
  await withOutput(out, '--output', flags.output, async (target) => {
    await draw(target, root, rulesOf(invocation, listing, target));
    if (!flags.noreport) await target.write(treeReport(root, flags['dirs-only']));
  });
  listing.finish();
}

async function readTree(listing: Listing, flags: Flags, sort: TreeSort): Promise<TreeNode> {
  const needsTimes = flags.modtime || sort === 'mtime';
  const entries = listing.entries(flags['dirs-only'] ? 'dirs' : 'all', {
    maxDepth: levelOf(flags),
    byDirectory: !flags['fast-list'],
  });
  const pages = needsTimes ? listing.detailed(entries, wantedTimes) : entries;
  const tree = new TreeBuilder();
  for await (const page of pages) {
    for (const entry of page) if (flags.all || !isHidden(entry.path)) tree.add(entry);
  }
  return tree.root;
}

/** Lines contain colours, which text for a terminal may not. */
async function draw(out: Output, root: TreeNode, rules: TreeRules): Promise<void> {
  let lines: string[] = [];
  for (const line of treeLines(root, rules)) {
    lines.push(line);
    if (lines.length < LINES_AT_ONCE) continue;
    await out.write(nameToBytes(lines.join('')));
    lines = [];
  }
  await out.write(nameToBytes(lines.join('')));
}

function rulesOf(
  { flags, context }: Invocation,
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
function levelOf(flags: Flags): number {
  return flags.level > 0 ? flags.level : flags['max-depth'];
}

function sortOf(flags: Flags): TreeSort {
  if (flags.unsorted) return 'none';
  // No backend has status change times: rclone sorts by modification time instead.
  const byTime = flags['sort-modtime'] || flags['sort-ctime'];
  if (byTime || flags.sort === 'mtime' || flags.sort === 'ctime') return 'mtime';
  if (flags.dirsfirst) return 'dirsfirst';
  return flags['tree-version'] ? 'version' : flags.sort;
}

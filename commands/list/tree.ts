import { modTimeFromMs } from '../../src/core/mod-time.ts';
import { nameFromBytes, nameToBytes } from '../../src/core/name-bytes.ts';
import { compareNames } from '../../src/core/name-order.ts';
import type { Entry } from '../../src/core/remote.ts';
import { leafName } from '../../src/core/remote-path.ts';
import { harmlessLine } from '../../src/core/shown-text.ts';
import { wantedTimes } from '../../src/listing/detail-reader.ts';
import { readAhead } from '../../src/listing/ordered-batches.ts';
import { formatMonthDay } from '../../src/listing/time-format.ts';
import {
  isHidden,
  rowsOfTree,
  TreeBuilder,
  type TreeNode,
  type TreeRow,
} from '../../src/listing/tree-rows.ts';
import { type Listing, openListing, shownDirSize } from '../../src/run/listing/open-listing.ts';
import type { CommandCall, Remotes, StandardOutput } from '../../src/shell/command-line/command.ts';
import type { FlagsWith } from '../../src/shell/flags/flag-table.ts';
import { withOutput } from '../../src/shell/output/output-file.ts';
import type { LIST_FLAGS } from './command.ts';

/** How many rows of a tree in memory are drawn at a time. */
const ROWS_AT_ONCE = 1000;

export async function treeCommand(
  invocation: CommandCall<typeof LIST_FLAGS> & Remotes & StandardOutput,
): Promise<void> {
  const { flags, out, context } = invocation;
  const listing = await openListing(invocation);
  const rows = readAhead(readRows(listing, flags));
  // Nothing is drawn, and no file opened, if the root cannot be listed.
  const first = await rows.next();
  await withOutput(out, '--output', flags.output, async (target) => {
    const byFlag = flags['tree-color'];
    const drawing = new TreeDrawing({
      colour: byFlag === 'auto' ? target.colour : byFlag === 'always' || byFlag === 'true',
      harmless: target.isTerminal,
      sizes: flags['human-readable'] ? 'short' : flags['tree-size'] ? 'bytes' : 'none',
      protections: flags.protections,
      times: flags.modtime,
      clock: modTimeFromMs(context.clock.now()),
      quote: flags.quote,
      fullPath: flags['full-path'],
      indent: !flags.noindent,
      level: levelOf(flags),
      now: listing.now,
    });
    const all = async function* () {
      if (first.done !== true) yield first.value;
      yield* rows;
    };
    // Lines contain colours, which text for a terminal may not.
    for await (const text of drawing.lines(all())) await target.write(nameToBytes(text));
    if (!flags.noreport) await target.write(drawing.report(flags['dirs-only']));
  });
  listing.finish();
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
    for await (const page of shown(pages)) for (const entry of page) all.push(entry);
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
  let batch: TreeRow[] = [];
  for (const row of rowsOfTree(tree.root))
    if (batch.push(row) >= ROWS_AT_ONCE) {
      yield batch;
      batch = [];
    }
  yield batch;
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

/** By extension: programs, archives, images and sound. */
const STYLE_OF = new Map(
  Object.entries({
    '1;32': 'bat btm cmd com dll exe',
    '1;31': 'arj bz2 deb gz lzh rpm tar taz tb2 tbz2 tbz tgz tz tz2 z zip zoo',
    '1;35': 'asf avi bmp flac gif jpg m2a m2v mov mp3 mpeg mpg ogg ppm rm tga tif wav wmv xbm xpm',
  }).flatMap(([style, extensions]) => extensions.split(' ').map((ext) => [ext, style])),
);

/** How `tree` draws. */
export interface TreeRules {
  readonly colour: boolean;
  /** Names without characters that a terminal would obey. */
  readonly harmless: boolean;
  /** Show sizes: in bytes, or short (`3.3M`). */
  readonly sizes: 'none' | 'bytes' | 'short';
  readonly protections: boolean;
  readonly times: boolean;
  readonly quote: boolean;
  readonly fullPath: boolean;
  readonly indent: boolean;
  /** How many levels were listed; 0 all. */
  readonly level: number;
  /** The present: times of other years are shown with the year. */
  readonly clock: bigint;
  /** Time of entries whose own time is unknown. */
  readonly now: bigint;
}

/** Stands for the size of a directory, which is known at its end; dropped from names. */
const GAP = '\0';
/** Texts are packed from this length on. */
const PACK = 64 * 1024;

/** A directory whose entries are being drawn. */
interface OpenTotal {
  readonly index: number;
  bytes: number;
  /** Directories below were not listed. */
  cut: boolean;
}

/** Draws a tree from its rows. */
export class TreeDrawing {
  readonly #rules: TreeRules;
  readonly #indents: string[] = [''];
  #dirs = -1;
  #files = 0;

  constructor(rules: TreeRules) {
    this.#rules = rules;
  }

  /** The lines, several at a time; with sizes all at the end, since the root's size is that of all files. */
  async *lines(
    rows: AsyncIterable<readonly TreeRow[]> | Iterable<readonly TreeRow[]>,
  ): AsyncGenerator<string> {
    if (this.#rules.sizes !== 'none') {
      yield* this.#linesWithSizes(rows);
      return;
    }
    for await (const batch of rows) {
      let text = '';
      for (const row of batch) {
        const [before, after] = this.#around(row);
        text += before + after;
      }
      yield text;
    }
  }

  /** The line under the tree: how many directories, the root not counted, and files were drawn. */
  report(dirsOnly: boolean): string {
    if (dirsOnly) return '\n0 directories\n';
    // A tree without a file is reported as one without directories, as in rclone.
    return `\n${this.#files === 0 ? 0 : this.#dirs} directories, ${this.#files} files\n`;
  }

  async *#linesWithSizes(
    rows: AsyncIterable<readonly TreeRow[]> | Iterable<readonly TreeRow[]>,
  ): AsyncGenerator<string> {
    const { level } = this.#rules;
    /** Text in the heap takes twice the memory and more. */
    const packed: Uint8Array[] = [];
    const totals: number[] = [];
    const open: OpenTotal[] = [];
    const closeTo = (depth: number) => {
      while (open.length > depth) {
        const { index, bytes, cut } = open.pop() as OpenTotal;
        totals[index] = cut && bytes <= 0 ? Number.NaN : bytes;
        const above = open.at(-1);
        if (above === undefined) return;
        above.bytes += bytes;
        above.cut ||= cut;
      }
    };
    let text = '';
    for await (const batch of rows) {
      for (const row of batch) {
        const { entry, depth } = row;
        const [before, end] = this.#around(row);
        const after = end.replaceAll(GAP, '');
        closeTo(depth);
        if (entry.kind === 'file') {
          text += before + this.#sizeText(entry.size) + after;
          const above = open.at(-1);
          if (above !== undefined) above.bytes += entry.size;
        } else {
          text += before + GAP + after;
          open.push({ index: totals.length, bytes: 0, cut: level > 0 && depth >= level });
          totals.push(0);
        }
      }
      if (text.length < PACK) continue;
      packed.push(nameToBytes(text));
      text = '';
    }
    closeTo(0);
    packed.push(nameToBytes(text));
    let index = 0;
    for (const bytes of packed)
      yield nameFromBytes(bytes).replaceAll(GAP, () => this.#sizeText(totals[index++] ?? 0));
  }

  /** The line of a row before and after its size. */
  #around({ entry, depth, isLast }: TreeRow): readonly [before: string, after: string] {
    const rules = this.#rules;
    const isFile = entry.kind === 'file';
    const indent = this.#indents[depth - 1] ?? '';
    const isIndented = rules.indent && depth > 0;
    if (isFile) this.#files++;
    else {
      this.#dirs++;
      this.#indents[depth] = isIndented ? `${indent}${isLast ? '    ' : '│   '}` : '';
    }
    const branch = isIndented ? `${indent}${isLast ? '└── ' : '├── '}` : '';
    const bits = isFile && rules.protections ? '-rw-rw-rw-' : '';
    const time =
      isFile && rules.times ? formatMonthDay(entry.modTime ?? rules.now, rules.clock) : '';
    const name = `${label(entry, rules)}\n`;
    if (rules.sizes !== 'none') {
      return [`${branch}[${bits}${bits && ' '}`, `${time && ' '}${time}]  ${name}`];
    }
    const shown = `${bits}${bits && time && ' '}${time}`;
    return [branch, `${shown && `[${shown}]  `}${name}`];
  }

  /** NaN: unknown. */
  #sizeText(bytes: number): string {
    const isShort = this.#rules.sizes === 'short';
    const width = isShort ? 4 : 11;
    if (Number.isNaN(bytes)) return '?'.repeat(width);
    return (isShort ? shortSize(bytes) : String(bytes)).padStart(width);
  }
}

function label({ path, kind }: Entry, rules: TreeRules): string {
  const leaf = leafName(path);
  const name = path === '' || rules.fullPath ? `/${path}` : leaf;
  const shown = rules.harmless ? harmlessLine(name) : name;
  const quoted = rules.quote ? `"${shown}"` : shown;
  if (!rules.colour) return quoted;
  // As `tree -C`.
  const dot = leaf.lastIndexOf('.');
  const byExtension = dot < 0 ? undefined : STYLE_OF.get(leaf.slice(dot + 1).toLowerCase());
  const style = byExtension ?? (kind === 'dir' ? '1;34' : undefined);
  return style === undefined ? quoted : `\x1b[${style}m${quoted}\x1b[0m`;
}

const UNITS = ['K', 'M', 'G', 'T', 'P', 'E'] as const;

/** A size in at most four columns as `tree` shows it: `52`, `3.3M`, `12K`; exactly 1024 stays `1024`. */
export function shortSize(bytes: number): string {
  let power = 0;
  while (power < UNITS.length && bytes > 1024 ** (power + 1)) power++;
  if (power === 0) return String(bytes);
  const scaled = bytes / 1024 ** power;
  const tenths = Math.floor(scaled * 10 + 0.5) / 10;
  return `${tenths >= 10 ? halfToEven(scaled, 0) : halfToEven(scaled, 1)}${UNITS[power - 1]}`;
}

/** A value with a number of decimals, one exactly half-way to the even digit, as Go prints it. */
function halfToEven(value: number, decimals: 0 | 1): string {
  const steps = value * 10 ** decimals;
  const isHalfWay = Number.isInteger(value * 4) && Math.abs(steps % 1) === 0.5;
  if (!isHalfWay) return value.toFixed(decimals);
  const below = Math.floor(steps);
  return ((below % 2 === 0 ? below : below + 1) / 10 ** decimals).toFixed(decimals);
}

/** What the entries of a directory are sorted by. */
export type TreeSort = 'name' | 'version' | 'size' | 'mtime' | 'dirsfirst' | 'none';

/**
 * The comparison for one order of `tree`; what is equal in it is sorted by name.
 *
 * @param dirSize the size by which directories without one are sorted
 * @param now the time by which files and directories without one are sorted
 */
export function treeOrder(
  sort: Exclude<TreeSort, 'none'>,
  { reverse, dirSize, now }: { reverse: boolean; dirSize: number; now: bigint },
): (a: Entry, b: Entry) => number {
  const size = (entry: Entry) => entry.size ?? dirSize;
  const time = ({ modTime }: Entry) => modTime ?? now;
  const first = {
    name: compareEntryNames,
    version: (a: Entry, b: Entry) => compareNatural(leafName(a.path), leafName(b.path)),
    size: (a: Entry, b: Entry) => size(a) - size(b),
    mtime: (a: Entry, b: Entry) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0),
    dirsfirst: (a: Entry, b: Entry) => Number(a.kind === 'file') - Number(b.kind === 'file'),
  }[sort];
  const sign = reverse ? -1 : 1;
  return (a, b) => sign * first(a, b) || compareEntryNames(a, b);
}

/** The order of names by their bytes. */
function compareEntryNames(a: Entry, b: Entry): number {
  return compareNames(leafName(a.path), leafName(b.path));
}

/** Sorts a whole tree in place. */
export function sortTree(node: TreeNode, compare: (a: Entry, b: Entry) => number): void {
  node.children.sort((a, b) => compare(a.entry, b.entry));
  for (const child of node.children) sortTree(child, compare);
}

/**
 * Names with their numbers by value: `file2` before `file10`. Digits come before other characters; of equal
 * numbers the one with fewer leading zeros comes first. Only ASCII digits count.
 */
export function compareNatural(a: string, b: string): number {
  // A number is one piece, every other character another.
  const left = a.match(/\d+|./gsu) ?? [];
  const right = b.match(/\d+|./gsu) ?? [];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const difference = comparePieces(left[i] ?? '', right[i] ?? '');
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function comparePieces(a: string, b: string): number {
  const aIsNumber = /^\d/.test(a);
  if (aIsNumber !== /^\d/.test(b)) return aIsNumber ? -1 : 1;
  if (!aIsNumber) return compareNames(a, b);
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return x.length - y.length || compareNames(x, y) || a.length - b.length;
}

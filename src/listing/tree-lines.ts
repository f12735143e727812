import { harmlessLine } from '../core/harmless.ts';
import { formatMonthDay } from './time-format.ts';
import { nodeName, type TreeNode } from './tree-node.ts';

const STYLES: readonly (readonly [style: string, extensions: string])[] = [
  ['1;32', 'bat btm cmd com dll exe'],
  ['1;31', 'arj bz2 deb gz lzh rpm tar taz tb2 tbz2 tbz tgz tz tz2 z zip zoo'],
  ['1;35', 'asf avi bmp flac gif jpg m2a m2v mov mp3 mpeg mpg ogg ppm rm tga tif wav wmv xbm xpm'],
];

const STYLE_OF = new Map(
  STYLES.flatMap(([style, extensions]) => extensions.split(' ').map((ext) => [ext, style])),
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

/** The lines of a sorted tree, the root's first. */
export function* treeLines(root: TreeNode, rules: TreeRules): Generator<string> {
  yield* drawNode(root, '', '', 0, rules);
}

/** The line under the tree: how many directories, the root not counted, and files. */
export function treeReport(root: TreeNode, dirsOnly: boolean): string {
  const { dirs, files } = count(root);
  if (dirsOnly) return '\n0 directories\n';
  // A tree without a file is reported as one without directories, as in rclone.
  return `\n${files === 0 ? 0 : dirs} directories, ${files} files\n`;
}

function* drawNode(
  node: TreeNode,
  branch: string,
  indent: string,
  depth: number,
  rules: TreeRules,
): Generator<string> {
  yield `${branch}${properties(node, depth, rules)}${label(node, rules)}\n`;
  const last = node.children.length - 1;
  for (const [i, child] of node.children.entries()) {
    const [toChild, below] = !rules.indent
      ? ['', '']
      : i === last
        ? [`${indent}└── `, `${indent}    `]
        : [`${indent}├── `, `${indent}│   `];
    yield* drawNode(child, toChild, below, depth + 1, rules);
  }
}

function properties(node: TreeNode, depth: number, rules: TreeRules): string {
  const shown: string[] = [];
  const { entry } = node;
  if (entry.kind === 'file' && rules.protections) shown.push('-rw-rw-rw-');
  if (rules.sizes !== 'none') shown.push(sizeText(node, depth, rules));
  if (entry.kind === 'file' && rules.times)
    shown.push(formatMonthDay(entry.modTime ?? rules.now, rules.clock));
  return shown.length === 0 ? '' : `[${shown.join(' ')}]  `;
}

function sizeText(node: TreeNode, depth: number, { sizes, level }: TreeRules): string {
  const width = sizes === 'short' ? 4 : 11;
  const { bytes, cut } = totalSize(node, depth, level);
  if (cut && bytes <= 0) return '?'.repeat(width);
  return (sizes === 'short' ? shortSize(bytes) : String(bytes)).padStart(width);
}

/** The bytes of a node and all below it; `cut` if directories below were not listed. */
function totalSize(node: TreeNode, depth: number, level: number): { bytes: number; cut: boolean } {
  if (node.entry.kind === 'file') return { bytes: node.entry.size, cut: false };
  let bytes = 0;
  let cut = level > 0 && depth >= level;
  for (const child of node.children) {
    const below = totalSize(child, depth + 1, level);
    bytes += below.bytes;
    cut ||= below.cut;
  }
  return { bytes, cut };
}

function label(node: TreeNode, rules: TreeRules): string {
  const name = node.path === '' || rules.fullPath ? `/${node.path}` : nodeName(node);
  const shown = rules.harmless ? harmlessLine(name) : name;
  const quoted = rules.quote ? `"${shown}"` : shown;
  return rules.colour ? colourName(quoted, nodeName(node), node.entry.kind === 'dir') : quoted;
}

function count(node: TreeNode): { dirs: number; files: number } {
  let dirs = 0;
  let files = 0;
  for (const child of node.children) {
    if (child.entry.kind === 'file') files++;
    else {
      const below = count(child);
      dirs += 1 + below.dirs;
      files += below.files;
    }
  }
  return { dirs, files };
}

/** `text` in the colour that `tree -C` gives a name: programs, archives, images and sound, directories. */
function colourName(text: string, name: string, isDir: boolean): string {
  const dot = name.lastIndexOf('.');
  const byExtension = dot < 0 ? undefined : STYLE_OF.get(name.slice(dot + 1).toLowerCase());
  const style = byExtension ?? (isDir ? '1;34' : undefined);
  return style === undefined ? text : `\x1b[${style}m${text}\x1b[0m`;
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

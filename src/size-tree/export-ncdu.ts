import { type NodeId, ROOT } from './node.ts';
import type { SizeTree } from './size-tree.ts';

/** The first line of an export. */
export interface ExportHeader {
  readonly version: string;
  readonly timeMs: number;
  /** What was scanned: the name of the top directory. */
  readonly title: string;
  /** Of all files together; kept scans have it, so that it is known without reading all. */
  readonly bytes?: number;
}

/** Text yielded at a time. */
const CHUNK = 64 * 1024;

/**
 * A tree in the format in which ncdu and gdu keep scans (https://dev.yorhel.nl/ncdu/jsonfmt, version 1.2), piece by
 * piece. Off a disk, the disk usage is the size. Bytes of names that are not UTF-8 stay as they are.
 */
export function* exportNcdu(tree: SizeTree, header: ExportHeader): Generator<string> {
  let text = headText(header);
  /** How many arrays end after a node; directories that are open, innermost last. */
  const open: { readonly children: Int32Array; next: number }[] = [];
  const enter = (dir: NodeId, name: string) => {
    text += `[${record(tree, dir, name)}`;
    open.push({ children: tree.children(dir), next: 0 });
  };
  enter(ROOT, header.title);
  for (let dir = open.at(-1); dir !== undefined; dir = open.at(-1)) {
    const child = dir.children[dir.next++];
    if (child === undefined) {
      text += ']';
      open.pop();
    } else {
      text += ',\n';
      if (tree.isDir(child)) enter(child, tree.name(child));
      else text += record(tree, child, tree.name(child));
    }
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  yield `${text}]\n`;
}

/** The first line, with the end of that line. */
export function headText({ version, timeMs, bytes }: Omit<ExportHeader, 'title'>): string {
  const time = Math.floor(timeMs / 1000);
  const sum = bytes === undefined ? '' : `,"bytes":${bytes}`;
  return `[1,2,{"progname":"syncer","progver":${quoted(version)},"timestamp":${time}${sum}},\n`;
}

/** The start of a record. */
export function nameAndSizes(name: string, size: number, bytes = size): string {
  let text = `{"name":${quoted(name)}`;
  if (size > 0) text += `,"asize":${size}`;
  if (bytes > 0) text += `,"dsize":${bytes}`;
  return text;
}

/** The last member of a record; empty for `NaN`. */
export function timeText(timeMs: number): string {
  return Number.isNaN(timeMs) ? '' : `,"mtime":${Math.max(0, Math.floor(timeMs / 1000))}`;
}

/** A directory that could not be listed, or a file whose size is not known. */
export const [READ_ERROR, SIZE_UNKNOWN] = [',"read_error":true', ',"size_unknown":true'];

function record(tree: SizeTree, node: NodeId, name: string): string {
  const usage = tree.ownUsage(node);
  const own = tree.isDir(node) ? 0 : tree.size(node);
  const { size, bytes } = usage ?? { size: own, bytes: own };
  let text = nameAndSizes(name, size, bytes);
  if (usage?.device !== undefined) text += `,"dev":${usage.device}`;
  if (usage !== undefined && usage.inode !== 0n) text += `,"ino":${usage.inode}`;
  if (tree.isLinked(node)) text += linksText(usage?.links ?? 0);
  if (tree.isSpecial(node)) text += ',"notreg":true';
  if (tree.isSizeUnknown(node)) text += SIZE_UNKNOWN;
  if (tree.errorOf(node) !== undefined) text += READ_ERROR;
  return `${text}${timeText(tree.timeMs(node))}}`;
}

function linksText(names: number): string {
  return `,"hlnkc":true${names > 0 ? `,"nlink":${names}` : ''}`;
}

/** As JSON, but single bytes in a name stay bytes: they are written as such, and read so by ncdu. */
function quoted(text: string): string {
  if (text.isWellFormed()) return JSON.stringify(text);
  return JSON.stringify(text).replace(/\\u(d[c-f][0-9a-f]{2})/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

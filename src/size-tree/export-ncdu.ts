import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import { compareNames } from '../core/name-order.ts';
import type { Entry } from '../core/remote.ts';
import { namelessFile } from '../system/nameless-file.ts';
import { type NodeId, ROOT } from './node.ts';
import type { SizeTree } from './size-tree.ts';
import { nodeOf } from './tree-feed.ts';

/** The first line of an export. */
export interface ExportHeader {
  readonly version: string;
  readonly timeMs: number;
  /** What was scanned: the name of the top directory. */
  readonly title: string;
  /** Of all files together; kept scans have it, so that it is known without reading all. */
  readonly bytes?: number;
}

/** Bytes given at a time: each piece is waited for when it is written. */
const PIECE = 256 * 1024;
/** Text written or read at a time: V8 makes longer strings far slower. */
const CHUNK = 64 * 1024;

/**
 * A tree in the format in which ncdu and gdu keep scans (https://dev.yorhel.nl/ncdu/jsonfmt, version 1.2), piece by
 * piece. Off a disk, the disk usage is the size. Bytes of names that are not UTF-8 stay as they are.
 */
export function* exportNcdu(tree: SizeTree, header: ExportHeader): Generator<Buffer> {
  yield ncduHead(tree, header);
  yield* ncduEntries(tree);
}

/** The beginning: the first line, and the record of the top. */
export function ncduHead(tree: SizeTree, header: ExportHeader): Buffer {
  const to = new Pieces();
  to.add(headText(header));
  to.put(TEXTS.begin);
  record(tree, ROOT, to, header.title);
  return to.take();
}

/** All that follows, the same whatever the header. */
export function* ncduEntries(tree: SizeTree): Generator<Buffer> {
  const to = new Pieces();
  /** Directories that are open, innermost last. */
  const open: { readonly children: Int32Array; next: number }[] = [];
  const enter = (dir: NodeId) => open.push({ children: tree.children(dir), next: 0 });
  enter(ROOT);
  for (let dir = open.at(-1); dir !== undefined; dir = open.at(-1)) {
    const child = dir.children[dir.next++];
    if (child === undefined) {
      to.put(TEXTS.end);
      open.pop();
    } else {
      to.put(TEXTS.next);
      const isDir = tree.isDir(child);
      if (isDir) to.put(TEXTS.begin);
      record(tree, child, to);
      if (isDir) enter(child);
    }
    if (to.length >= PIECE) yield to.take();
  }
  to.add(']\n');
  yield to.take();
}

/** The first line, with the end of that line. */
function headText({ version, timeMs, bytes }: Omit<ExportHeader, 'title'>): string {
  const time = Math.floor(timeMs / 1000);
  const sum = bytes === undefined ? '' : `,"bytes":${bytes}`;
  return `[1,2,{"progname":"syncer","progver":${quoted(version)},"timestamp":${time}${sum}},\n`;
}

/** The start of a record. */
function nameAndSizes(name: string, size: number): string {
  let text = `{"name":${quoted(name)}`;
  if (size > 0) text += `,"asize":${size},"dsize":${size}`;
  return text;
}

/** The last member of a record; empty for `NaN`. */
function timeText(timeMs: number): string {
  return Number.isNaN(timeMs) ? '' : `,"mtime":${Math.max(0, Math.floor(timeMs / 1000))}`;
}

/** A directory that could not be listed, or a file whose size is not known. */
const [READ_ERROR, SIZE_UNKNOWN] = [',"read_error":true', ',"size_unknown":true'];

function record(tree: SizeTree, node: NodeId, to: Pieces, title?: string): void {
  to.put(TEXTS.name);
  if (title === undefined) to.name(tree.names.bytes, tree.names.start(node), tree.names.end(node));
  else to.add(quoted(title).slice(1, -1));
  to.put(TEXTS.quote);
  const isDir = tree.isDir(node);
  const isLinked = tree.isLinked(node);
  // Most are files of one name: no object for those.
  const usage = isDir || isLinked ? tree.ownUsage(node) : undefined;
  const size = usage?.size ?? (isDir ? 0 : tree.size(node));
  const bytes = usage?.bytes ?? (isDir ? 0 : tree.diskUsage(node));
  if (size > 0) to.number(TEXTS.asize, size);
  if (bytes > 0) to.number(TEXTS.dsize, bytes);
  const device = tree.ownDevice(node);
  const inode = tree.inodeNumber(node);
  if (device !== undefined) to.number(TEXTS.dev, device);
  if (inode !== 0)
    to.number(TEXTS.ino, inode <= Number.MAX_SAFE_INTEGER ? inode : tree.inode(node));
  if (isLinked) {
    to.put(TEXTS.linked);
    if (usage !== undefined && usage.links > 0) to.number(TEXTS.nlink, usage.links);
  }
  if (tree.isSpecial(node)) to.put(TEXTS.special);
  if (tree.isSizeUnknown(node)) to.put(TEXTS.unknown);
  if (isDir && tree.errorOf(node) !== undefined) to.put(TEXTS.failed);
  const mark = tree.marks.size === 0 ? undefined : tree.marks.get(node);
  if (mark === 'read_error') to.put(TEXTS.failed);
  else if (mark !== undefined) to.put(EXCLUDED[mark]);
  const timeMs = tree.timeMs(node);
  if (!Number.isNaN(timeMs)) to.number(TEXTS.mtime, Math.max(0, Math.floor(timeMs / 1000)));
  to.put(TEXTS.close);
}

const TEXTS = {
  name: Buffer.from('{"name":"'),
  quote: Buffer.from('"'),
  asize: Buffer.from(',"asize":'),
  dsize: Buffer.from(',"dsize":'),
  dev: Buffer.from(',"dev":'),
  ino: Buffer.from(',"ino":'),
  linked: Buffer.from(',"hlnkc":true'),
  nlink: Buffer.from(',"nlink":'),
  special: Buffer.from(',"notreg":true'),
  unknown: Buffer.from(SIZE_UNKNOWN),
  failed: Buffer.from(READ_ERROR),
  mtime: Buffer.from(',"mtime":'),
  close: Buffer.from('}'),
  begin: Buffer.from('['),
  next: Buffer.from(',\n'),
  end: Buffer.from(']'),
};

const excluded = (why: string) => Buffer.from(`,"excluded":"${why}"`);

const EXCLUDED = {
  pattern: excluded('pattern'),
  otherfs: excluded('otherfs'),
  othfs: excluded('othfs'),
  kernfs: excluded('kernfs'),
  frmlnk: excluded('frmlnk'),
};

/** What a record and the ends of directories take besides names and titles, in bytes, with much to spare. */
const RECORD = 1024;

const [ZERO, NINE_DIGITS, SPACE, QUOTE, BACKSLASH] = [0x30, 1_000_000_000, 0x20, 0x22, 0x5c];

/** Bytes that are written one after the other and given away in pieces. Short texts are faster copied in a loop. */
class Pieces {
  #bytes = Buffer.allocUnsafeSlow(PIECE + RECORD);
  readonly #digits = new Uint8Array(32);
  length = 0;

  /** The bytes so far; what follows begins the next piece. */
  take(): Buffer {
    const piece = this.#bytes.subarray(0, this.length);
    this.#bytes = Buffer.allocUnsafeSlow(PIECE + RECORD);
    this.length = 0;
    return piece;
  }

  add(text: string): void {
    const bytes = nameToBytes(text);
    this.#reach(bytes.length);
    this.length += bytes.copy(this.#bytes, this.length);
  }

  /** A text of a record. */
  put(text: Uint8Array): void {
    const bytes = this.#bytes;
    let end = this.length;
    for (let at = 0; at < text.length; at++) bytes[end++] = text[at] as number;
    this.length = end;
  }

  /** A name within quotes. */
  name(names: Uint8Array, from: number, to: number) {
    this.#reach(to - from);
    const bytes = this.#bytes;
    let end = this.length;
    for (let at = from; at < to; at++) {
      const byte = names[at] as number;
      if (byte < SPACE || byte === QUOTE || byte === BACKSLASH)
        return this.add(quoted(nameFromBytes(names.subarray(from, to))).slice(1, -1));
      bytes[end++] = byte;
    }
    this.length = end;
  }

  /** A whole number that is not negative. */
  number(label: Uint8Array, value: number | bigint) {
    this.put(label);
    let rest = Number(value);
    if (rest > Number.MAX_SAFE_INTEGER) return this.add(`${value}`);
    const digits = this.#digits;
    let at = digits.length;
    for (;;) {
      const high = rest < NINE_DIGITS ? 0 : Math.floor(rest / NINE_DIGITS);
      let low = (rest - high * NINE_DIGITS) | 0;
      const least = high === 0 ? at - 1 : at - 9;
      while (low > 0 || at > least) {
        const next = (low / 10) | 0;
        digits[--at] = ZERO + low - next * 10;
        low = next;
      }
      if (high === 0) break;
      rest = high;
    }
    const bytes = this.#bytes;
    let end = this.length;
    while (at < digits.length) bytes[end++] = digits[at++] as number;
    this.length = end;
  }

  #reach(more: number): void {
    if (this.length + more + RECORD <= this.#bytes.length) return;
    const longer = Buffer.allocUnsafeSlow(this.length + more + 2 * RECORD);
    this.#bytes.copy(longer, 0, 0, this.length);
    this.#bytes = longer;
  }
}

/** As JSON, but single bytes in a name stay bytes: they are written as such, and read so by ncdu. */
function quoted(text: string): string {
  if (text.isWellFormed()) return JSON.stringify(text);
  return JSON.stringify(text).replace(/\\u(d[c-f][0-9a-f]{2})/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Stands for the time of a directory in the file; JSON never contains it. */
const TIME = '\0';

/**
 * A scan in the format of `exportNcdu` whose entries come in the order of their paths, in a temporary file. The record of
 * a directory is before those below it and has the time of the newest file: memory holds that time, and nothing of files.
 */
export class NcduSpool {
  readonly #file = namelessFile(
    'the temporary file of a scan',
    'set TMPDIR to a directory with more space',
  );
  /** Of each directory as they came, the root first. */
  readonly #times: number[] = [Number.NaN];
  /** The directories that are open, innermost last, without the root. */
  #open: { readonly name: string; readonly at: number }[] = [];
  #openPath = '';
  #last: string | undefined;
  #text = '';
  #bytes = 0;
  #isExact = true;
  /** Why something could not be listed. */
  failure: string | undefined;

  get isEmpty(): boolean {
    return this.#last === undefined;
  }

  /** Of all files; `undefined` if the size of one is not known. */
  get bytes(): number | undefined {
    return this.#isExact ? this.#bytes : undefined;
  }

  /** Sets why something could not be listed; the first reason counts. */
  fail(message: string): void {
    this.failure ??= message;
  }

  /**
   * Adds a page of a flat listing. `false` if a path is not behind the one before, or has empty names (`a//b`): then a
   * directory could come twice, and the spool must not be used.
   */
  add(entries: readonly Entry[]): boolean {
    for (const entry of entries) if (!this.#addOne(entry)) return false;
    return true;
  }

  #addOne(entry: Entry): boolean {
    const isDir = entry.kind === 'dir';
    const path = isDir ? `${entry.path}/` : entry.path;
    const isNext = this.#last === undefined || compareNames(this.#last, path) < 0;
    // Each name of the path has a character.
    const { path: own } = entry;
    const isPlain = own !== '' && !own.startsWith('/') && !own.endsWith('/') && !own.includes('//');
    if (!isNext || !isPlain) return false;
    this.#last = path;
    this.#enter(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
    if (isDir) return true;
    const { name, size, timeMs } = nodeOf(entry);
    this.#rollTime(this.#open.at(-1)?.at ?? 0, timeMs);
    if (size >= 0) this.#bytes += size;
    else this.#isExact = false;
    const unknown = size < 0 ? SIZE_UNKNOWN : '';
    this.#write(`,\n${nameAndSizes(name, Math.max(0, size))}${unknown}${timeText(timeMs)}}`);
    return true;
  }

  /** Ends the directories that do not contain `dir`, and begins the others above it, and itself. */
  #enter(dir: string): void {
    if (dir === this.#openPath) return;
    this.#openPath = dir;
    const names = dir === '' ? [] : dir.split('/');
    let same = 0;
    while (same < names.length && this.#open[same]?.name === names[same]) same++;
    // What is above a directory is as new as that.
    while (this.#open.length > same) {
      const at = this.#open.pop()?.at ?? 0;
      this.#rollTime(this.#open.at(-1)?.at ?? 0, this.#times[at] ?? Number.NaN);
      this.#write(']');
    }
    for (const name of names.slice(same)) {
      this.#open.push({ name, at: this.#times.length });
      this.#times.push(Number.NaN);
      this.#write(`,\n[${nameAndSizes(name, 0)}${TIME}}`);
    }
  }

  #rollTime(dir: number, timeMs: number): void {
    const known = this.#times[dir] ?? Number.NaN;
    if (Number.isNaN(known) || timeMs > known) this.#times[dir] = timeMs;
  }

  #write(text: string): void {
    this.#text += text;
    if (this.#text.length >= CHUNK) this.#flush();
  }

  #flush(): void {
    this.#file.append(nameToBytes(this.#text));
    this.#text = '';
  }

  /** All of it, piece by piece; nothing is added any more. */
  *export(header: ExportHeader): Generator<string> {
    this.#enter('');
    this.#flush();
    const [ofRoot = Number.NaN] = this.#times;
    const failed = this.failure === undefined ? '' : READ_ERROR;
    yield `${headText(header)}[${nameAndSizes(header.title, 0)}${failed}${timeText(ofRoot)}}`;
    const { length } = this.#file;
    let dir = 0;
    for (let at = 0; at < length; ) {
      const bytes = this.#file.read(at, Math.min(CHUNK, length - at));
      // Never within a character.
      const end = at + bytes.length === length ? bytes.length : bytes.lastIndexOf('\n') + 1;
      at += end;
      const text = nameFromBytes(bytes.subarray(0, end));
      yield text.replaceAll(TIME, () => timeText(this.#times[++dir] ?? Number.NaN));
    }
    yield ']]\n';
  }

  close(): void {
    this.#file.close();
  }
}

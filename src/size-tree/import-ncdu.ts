import type { DiskUsage } from '../core/entry-details.ts';
import { SyncerError } from '../core/errors.ts';
import { nameFromBytes, utf16Text } from '../core/name-bytes.ts';
import { type NewNode, type NodeId, ROOT, SCAN_MARKS, type ScanMark } from './node.ts';
import { SizeTree } from './size-tree.ts';

const [QUOTE, BACKSLASH, OPEN, CLOSE, BEGIN, END] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

/** A scan read from a file. */
export interface ImportedScan {
  readonly tree: SizeTree;
  /** The name of the top directory. */
  readonly title: string;
  /** When it was made; `NaN` unknown. */
  readonly timeMs: number;
}

/** Files that wait to be added together. */
const BATCH = 500;

/**
 * Reads the JSON of ncdu 1 and 2, gdu or `exportNcdu`; files with several names count once in each directory. Rejects
 * with `other`: a tree that was given then holds a part of the scan.
 */
export async function importNcdu(
  chunks: AsyncIterable<Buffer>,
  tree: SizeTree = new SizeTree(),
): Promise<ImportedScan> {
  const reader = new ScanReader(tree);
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && utf16Text(chunk) !== undefined) {
      throw new SyncerError('other', 'it is UTF-16; save it as UTF-8');
    }
    isFirst = false;
    reader.read(chunk);
  }
  return reader.end();
}

/** Cuts nested arrays and objects into brackets and objects, so that it needs memory for one object only. */
class ScanReader {
  readonly #tree: SizeTree;
  #title = '';
  #timeMs = Number.NaN;
  #isOurs = false;
  /** Sizes are what is taken on a disk; so are those of others, who know nothing else. */
  #isOnDisk = true;
  #hasHeader = false;
  /** What stands before the header: the version of the format. */
  #head = '';
  #isOver = false;
  /** Open directories; `undefined` after a bracket, before its object. The device is that of the one above, too. */
  readonly #open: ({ readonly dir: NodeId; readonly device: bigint } | undefined)[] = [];
  #waiting: NewNode[] = [];
  /** The marks of those that wait, by their places. */
  readonly #marks: [at: number, mark: ScanMark][] = [];
  /** The start of an object from earlier chunks, and where in objects and their texts the next byte is. */
  #held: Buffer[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(tree: SizeTree) {
    this.#tree = tree;
  }

  read(chunk: Buffer): void {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === OPEN) {
        if (this.#depth++ === 0) from = at;
      } else if (byte === CLOSE && this.#depth > 0) {
        if (--this.#depth > 0) continue;
        const last = chunk.subarray(from, at + 1);
        const whole = this.#held.length === 0 ? last : Buffer.concat([...this.#held, last]);
        this.#held = [];
        this.#object(nameFromBytes(whole));
      } else if (byte === QUOTE) this.#inString = this.#depth > 0;
      else if (this.#depth > 0) continue;
      else if (byte === BEGIN) {
        if (this.#isOver) throw notAScan('data after the end');
        this.#flush();
        this.#open.push(undefined);
      } else if (byte === END) {
        this.#flush();
        const ended = this.#open.pop();
        if (ended !== undefined) this.#tree.setListed(ended.dir);
        if (this.#open.length === 0) this.#isOver = true;
      } else if (!this.#hasHeader && this.#head.length < 32)
        this.#head += String.fromCharCode(byte);
    }
    if (this.#depth > 0) this.#held.push(chunk.subarray(from));
  }

  end(): ImportedScan {
    if (!this.#isOver && this.#open.length === 0) throw notAScan('it is not JSON');
    if (!this.#isOver || !this.#hasHeader) throw notAScan('incomplete');
    return { tree: this.#tree, title: this.#title, timeMs: this.#timeMs };
  }

  #object(text: string) {
    let record: Record<string, unknown>;
    try {
      record = JSON.parse(text.replace(/[\0-\x1f\x7f]/g, ' '));
    } catch (cause) {
      throw notAScan(`not valid JSON: ${text.slice(0, 60)}`, cause);
    }
    const depth = this.#open.length;
    if (depth === 0) throw notAScan('does not start with [');
    if (depth === 1) {
      if (this.#hasHeader) throw notAScan('more than one header');
      this.#hasHeader = true;
      const [, major = '1'] = /(\d+)/.exec(this.#head) ?? [];
      if (Number(major) !== 1) throw notAScan(`incompatible major format version ${major}`);
      this.#isOurs = record['progname'] === 'syncer';
      this.#timeMs = numberOr(record['timestamp'], Number.NaN) * 1000;
      return;
    }
    if (!this.#hasHeader) throw notAScan('no header');
    const inner = this.#open[depth - 1];
    const item = itemOf(record, text, (inner ?? this.#open[depth - 2])?.device ?? 0n);
    if (inner === undefined) return this.#enter(item, record);
    const { name, size, timeMs, usage, mark = item.failed ? 'read_error' : undefined } = item;
    if (mark !== undefined) this.#marks.push([this.#waiting.length, mark]);
    this.#waiting.push({ name, isDir: false, size, timeMs, ...this.#onDisk(usage) });
    if (this.#waiting.length >= BATCH) this.#flush();
  }

  #enter(
    { name, timeMs, failed, usage, mark }: ReturnType<typeof itemOf>,
    record: Record<string, unknown>,
  ): void {
    const depth = this.#open.length;
    const parent = this.#open[depth - 2];
    let dir = ROOT;
    if (depth === 2) {
      this.#title = name;
      this.#isOnDisk = !this.#isOurs || record['dev'] !== undefined;
      if (this.#isOnDisk) this.#tree.setOwnUsage(ROOT, usage);
    } else if (parent === undefined) throw notAScan('a directory without a name');
    else
      dir = this.#tree.add(parent.dir, [
        { name, isDir: true, size: 0, timeMs, ...this.#onDisk(usage) },
      ]);
    if (failed) this.#tree.setError(dir, 'could not be read during the scan');
    if (mark !== undefined) this.#tree.marks.set(dir, mark);
    this.#open[depth - 1] = { dir, device: usage.device };
  }

  #onDisk(usage: DiskUsage) {
    return this.#isOnDisk ? { usage } : {};
  }

  #flush(): void {
    const open = this.#open.at(-1);
    if (this.#waiting.length === 0 || open === undefined) return;
    const first = this.#tree.add(open.dir, this.#waiting);
    for (const [at, mark] of this.#marks.splice(0)) this.#tree.marks.set(first + at, mark);
    this.#waiting = [];
  }
}

function itemOf(record: Record<string, unknown>, text: string, above: bigint) {
  const { name, asize, dsize, mtime, nlink } = record;
  if (typeof name !== 'string') throw notAScan('an entry without a name');
  const size = numberOr(asize, 0);
  return {
    name,
    size: record['size_unknown'] === true ? -1 : size,
    timeMs: numberOr(mtime, Number.NaN) * 1000,
    failed: record['read_error'] === true,
    mark: SCAN_MARKS.find((mark) => mark === record['excluded']),
    usage: {
      size,
      bytes: numberOr(dsize, 0),
      device: wholeNumber(record, 'dev', text) ?? above,
      inode: wholeNumber(record, 'ino', text) ?? 0n,
      links: record['ino'] === undefined ? 1 : numberOr(nlink, record['hlnkc'] === true ? 0 : 1),
      isSpecial: record['notreg'] === true,
    },
  };
}

/** Numbers of devices and inodes may be larger than JSON's numbers are exact. */
function wholeNumber(
  record: Record<string, unknown>,
  key: 'dev' | 'ino',
  text: string,
): bigint | undefined {
  const value = record[key];
  if (typeof value !== 'number' || value < 0) return undefined;
  if (Number.isSafeInteger(value)) return BigInt(value);
  return BigInt(new RegExp(`"${key}"\\s*:\\s*(\\d+)`).exec(text)?.[1] ?? 0);
}

function numberOr(value: unknown, other: number): number {
  return typeof value === 'number' && value >= 0 ? value : other;
}

function notAScan(why: string, cause?: unknown): SyncerError {
  return new SyncerError('other', `not a scan in ncdu's format: ${why}`, { cause });
}

import { dirname } from 'node:path';
import type { PackedFile } from './packed-file.ts';

const BLOCK = 512;

/**
 * A tar archive (POSIX.1-1988 "ustar") that depends on nothing but its files: sorted by path, owned by root, all of one
 * age. Folders above the files come before them.
 *
 * @param prefix put before every path, such as `./`
 * @param time of all files, in seconds since 1970
 */
export function writeTar(files: readonly PackedFile[], prefix: string, time: number): Buffer {
  const blocks: Buffer[] = [];
  for (const folder of foldersOf(files)) {
    blocks.push(head({ path: `${prefix}${folder}/`, size: 0, mode: 0o755, type: '5', time }));
  }
  for (const { path, content, mode = 0o644, link } of sorted(files)) {
    const bytes = Buffer.from(content as Uint8Array);
    const common = { path: `${prefix}${path}`, size: bytes.length, time };
    const rest = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK);
    const one = link === undefined ? { mode, type: '0' } : { mode: 0o777, type: '2', link };
    blocks.push(head({ ...common, ...one }), bytes, rest);
  }
  blocks.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(blocks);
}

function sorted(files: readonly PackedFile[]): readonly PackedFile[] {
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function foldersOf(files: readonly PackedFile[]): readonly string[] {
  const folders = new Set<string>();
  for (const { path } of files) {
    for (let at = dirname(path); at !== '.'; at = dirname(at)) folders.add(at);
  }
  return [...folders].sort();
}

interface TarHead {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  /** The type flag. */
  readonly type: string;
  readonly time: number;
  readonly link?: string;
}

function head({ path, size, mode, type, time, link = '' }: TarHead): Buffer {
  const block = Buffer.alloc(BLOCK);
  const [name, above] = split(path);
  const put = (text: string, at: number) => block.write(text, at, 'latin1');
  const octal = (value: number, at: number, length: number) =>
    put(value.toString(8).padStart(length - 1, '0'), at);
  put(name, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(time, 136, 12);
  put(' '.repeat(8), 148);
  put(type, 156);
  put(link, 157);
  put('ustar\0' + '00', 257);
  put('root', 265);
  put('root', 297);
  octal(0, 329, 8);
  octal(0, 337, 8);
  put(above, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** A path as the two fields that hold it. */
function split(path: string): readonly [name: string, above: string] {
  if (path.length <= 100) return [path, ''];
  const at = path.lastIndexOf('/', 155);
  const name = path.slice(at + 1);
  if (at < 0 || name.length > 100) throw new Error(`too long for a tar archive: ${path}`);
  return [name, path.slice(0, at)];
}

import { SyncerError } from '../../src/core/errors.ts';

/** Tar works in blocks of so many bytes. */
export const BLOCK = 512;

/** The head of an entry in a tar archive. */
export interface TarEntry {
  readonly name: string;
  /** Of its content, in bytes. */
  readonly size: number;
  readonly kind: 'file' | 'folder' | 'long-name' | 'attributes' | 'global-attributes';
}

const KINDS: Readonly<Record<string, TarEntry['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '5': 'folder',
  L: 'long-name',
  x: 'attributes',
  g: 'global-attributes',
};

/** What other kinds are, for the error. */
const REFUSED: Readonly<Record<string, string>> = {
  '1': 'a link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a pipe',
};

/**
 * Reads the head of an entry (POSIX.1-1988 "ustar", and GNU's long names). `undefined` for a block of zeros, the end of
 * the archive. Throws `corrupted` for anything but files and folders: an archive with one program needs no more.
 */
export function parseTarHead(block: Buffer): TarEntry | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const sum = block.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 0x20 : byte), 0);
  if (octal(block, 148, 8) !== sum) throw broken('it is no tar archive, or damaged');
  const isUstar = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isUstar ? text(block, 345, 155) : '';
  const name = `${prefix === '' ? '' : `${prefix}/`}${text(block, 0, 100)}`;
  const type = String.fromCharCode(block[156] ?? 0);
  const kind = KINDS[type];
  if (kind === undefined) throw broken(`"${name}" is ${REFUSED[type] ?? 'of an unknown kind'}`);
  const size = octal(block, 124, 12);
  if (kind === 'file' || kind === 'folder') checkName(name);
  return { name, size, kind };
}

/** Throws `corrupted` for a name that leads out of the folder it is unpacked in. */
export function checkName(name: string): void {
  const parts = name.split('/');
  if (name === '' || name.includes('\0') || name.startsWith('/') || parts.includes('..')) {
    throw broken(`"${name}" leads out of its folder`);
  }
}

/** The path that extended attributes (POSIX.1-2001 "pax") give the next entry, where they do. */
export function pathOfAttributes(content: Buffer): string | undefined {
  let path: string | undefined;
  for (let at = 0; at < content.length; ) {
    const blank = content.indexOf(0x20, at);
    const length = Number(content.toString('latin1', at, blank));
    if (blank < 0 || !Number.isInteger(length) || length <= blank - at)
      throw broken('it is damaged');
    const [, key, value] =
      /^(path)=(.*)\n$/s.exec(content.toString('utf8', blank + 1, at + length)) ?? [];
    if (key === 'path') path = value;
    at += length;
  }
  return path;
}

/** An archive that is not unpacked, and why. */
export function broken(why: string, cause?: unknown): SyncerError {
  return new SyncerError('corrupted', `bad archive: ${why}`, { cause });
}

function text(block: Buffer, from: number, length: number): string {
  const field = block.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

function octal(block: Buffer, from: number, length: number): number {
  const digits = block
    .toString('latin1', from, from + length)
    .replace(/[\0 ]+$/, '')
    .trim();
  if (!/^[0-7]+$/.test(digits)) throw broken('it is no tar archive, or damaged');
  return Number.parseInt(digits, 8);
}

const SHORT: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** A text as Go's `%q` prints it. */
export const goQuote = (text: string): string => `"${[...text].map(escaped).join('')}"`;

function escaped(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code & 0xff).toString(16)}`;
  if (/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) return character;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A size as webhook's log prints it: `27 B`, `1.0 KiB`, `10 KiB`. */
export function goSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const rounded = Math.floor(value * 10 + 0.5) / 10;
  const below = Math.floor(rounded);
  // Half to even.
  const whole = rounded - below === 0.5 && below % 2 === 0 ? below : Math.round(rounded);
  return `${bytes >= 10 && rounded < 10 ? rounded.toFixed(1) : whole} ${UNITS[unit]}`;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Most names come as they shall be. */
const CANONICAL = /^[A-Z0-9][a-z0-9]*(?:-[A-Z0-9][a-z0-9]*)*$/;

/** Whether this may be the name of a header. */
export const isHeaderName = (name: string): boolean => TOKEN.test(name);

/** A header's name as Go writes it: `x-one-TWO` is `X-One-Two`. A text that is no header name stays as it is. */
export function canonicalHeaderName(name: string): string {
  if (CANONICAL.test(name)) return name;
  if (!TOKEN.test(name)) return name;
  return name
    .toLowerCase()
    .replace(/(^|-)([a-z])/g, (_, dash, letter) => dash + letter.toUpperCase());
}

const TEXTS: Readonly<Record<string, string>> = {
  E2BIG: 'argument list too long',
  EACCES: 'permission denied',
  EADDRINUSE: 'address already in use',
  EADDRNOTAVAIL: 'cannot assign requested address',
  EAGAIN: 'resource temporarily unavailable',
  EINVAL: 'invalid argument',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'file name too long',
  ENOENT: 'no such file or directory',
  ENOEXEC: 'exec format error',
  ENOMEM: 'cannot allocate memory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
  ERR_FS_EISDIR: 'is a directory',
  ERR_INVALID_ARG_VALUE: 'invalid argument',
  ETXTBSY: 'text file busy',
};

/** The text of a system error in Go's words; of others Node's message. */
export function goErrno(thrown: unknown): string {
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  return TEXTS[code] ?? message;
}

/** A failure while a request is read or judged, worded as webhook 2.8.0 words it. */
export class GoFault extends Error {}

import { SyncerError } from '../../src/core/errors.ts';
import { parseDuration } from '../../src/go/duration.ts';
import { holdsReference } from '../../src/webhook/file/reference-reader.ts';

/** A path of the running system as the system in `root` sees it; one outside is taken to be inside already. */
export function fromRoot(root: string, path: string): string {
  if (root === '/') return path;
  return path === root || path.startsWith(`${root}/`) ? path.slice(root.length) || '/' : path;
}

/** A path that units and hook files can hold. Throws `command-line`. */
export function pathOf(flag: string, path: string): string {
  // Readers of YAML take other characters for line breaks, and Node has replaced bytes that are not UTF-8.
  if (/^\/[^\p{Cc}\u2028\u2029\ufeff\ufffd]*$/u.test(path) && path === path.trim()) return path;
  throw wrong(
    flag,
    path,
    'an absolute path in UTF-8 without control characters or blanks at its end',
  );
}

/** A path of a program: systemd takes no quotes and backslashes in it. Throws `command-line`. */
export function programPath(flag: string, path: string): string {
  if (!/["'\\]/.test(path)) return pathOf(flag, path);
  throw wrong(flag, path, 'a path without quotes and backslashes');
}

/** A port. Throws `command-line`. */
export function port(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number > 0 && number < 65536) return number;
  throw wrong('port', text, 'a number from 1 to 65535');
}

/** A token, which is compared as it is. Throws `command-line`. */
export function token(text: string): string {
  if (text.trim() === '') throw wrong('token', text, 'a token: it is blank');
  if (!holdsReference(text)) return text;
  throw wrong('token', text, 'a token: the server replaces a reference in it');
}

/** An address of the web. Throws `command-line`. */
export function url(flag: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw wrong(flag, text, 'an address that begins with https:// or http://');
}

/** A SHA-256 in lower case. Throws `command-line`. */
export function checksum(text: string): string {
  if (/^[\da-f]{64}$/i.test(text)) return text.toLowerCase();
  throw wrong('sha256', text, '64 hexadecimal digits');
}

/** A time in milliseconds. Throws `command-line`. */
export function duration(flag: string, text: string): number {
  try {
    const ms = parseDuration(text, 0);
    if (Number.isFinite(ms) && ms > 0) return ms;
  } catch (thrown) {
    if (!(thrown instanceof SyncerError)) throw thrown;
  }
  throw wrong(flag, text, 'a time such as 5s');
}

/** The error for a value that a flag does not take. */
export function wrong(flag: string, value: string, wanted: string): SyncerError {
  return new SyncerError('command-line', `--${flag} "${value}" is not ${wanted}`);
}

import type { Hashes } from '../../core/hash-names.ts';
import { HttpError } from '../http-error.ts';

/** Names of checksums as clients write them, in lower case and without hyphens. */
const KNOWN = { md5: 'md5', sha: 'sha1', sha1: 'sha1', sha256: 'sha256' } as const;

/** Lengths in bytes. */
const BYTES = { md5: 16, sha1: 20, sha256: 32 } as const;

/** The headers with checksums, and what a value is written as: `MD5:hex SHA1:hex`, `SHA-256=base64`, `sha-256=:base64:`. */
const HEADERS = [
  ['oc-checksum', /[\s,;]+/, /^([^:=]+):(.+)$/s, 'hex'],
  ['digest', /[\s,]+/, /^([^:=]+)=(.+)$/s, 'base64'],
  ['content-digest', /[\s,]+/, /^([^:=]+)=:?(.+?):?$/s, 'base64'],
  ['repr-digest', /[\s,]+/, /^([^:=]+)=:?(.+?):?$/s, 'base64'],
] as const;

/**
 * The checksums that the content of a PUT must match, in hexadecimal digits. Unknown ones and empty lists are ignored.
 * Throws `HttpError` 400 for what is not a name with a value, for a known one without a valid value, and for two values
 * of one.
 *
 * @param header the value of a header, by its name in lower case
 */
export function requestChecksums(header: (name: string) => string | undefined): Hashes {
  const found: { md5?: string; sha1?: string; sha256?: string } = {};
  const add = (from: string, name: keyof typeof BYTES, text: string, form: 'hex' | 'base64') => {
    const bytes = Buffer.from(text, form);
    const isWhole =
      form === 'hex'
        ? bytes.toString('hex') === text.toLowerCase()
        : bytes.toString('base64') === text;
    const value = bytes.toString('hex');
    const isOther = found[name] !== undefined && found[name] !== value;
    if (!isWhole || bytes.length !== BYTES[name] || isOther) {
      throw new HttpError(400, `Bad Request: invalid ${name} in ${from}`);
    }
    found[name] = value;
  };
  for (const [from, between, form, encoding] of HEADERS) {
    for (const part of (header(from) ?? '').split(between)) {
      if (part === '') continue;
      const [, given, value] = form.exec(part) ?? [];
      if (given === undefined || value === undefined) {
        throw new HttpError(400, `Bad Request: ${from} is not a list of names with values`);
      }
      const key = given.toLowerCase().replaceAll('-', '');
      if (Object.hasOwn(KNOWN, key)) add(from, KNOWN[key as keyof typeof KNOWN], value, encoding);
    }
  }
  const md5 = header('content-md5');
  if (md5 !== undefined) add('content-md5', 'md5', md5.trim(), 'base64');
  return found;
}

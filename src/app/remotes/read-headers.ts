import { SyncerError } from '../../core/errors.ts';

/**
 * Parses HTTP headers of a flag: `Name: value`. Names become lower case; the last of a name wins. Throws `usage` with
 * the flag for an invalid header.
 */
export function readHeaders(
  flag: string,
  lines: readonly string[],
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
      throw new SyncerError(
        'usage',
        `${flag}: failed to parse "${line}" as an HTTP header: write it like "Content-Encoding: gzip"`,
      );
    }
    headers[name] = line.slice(colon + 1).trim();
  }
  return headers;
}

import { SyncerError } from '../../core/errors.ts';

/**
 * HTTP headers as flags have them: `Name: value`, one each. Names in lower case; the last of one name counts. Throws
 * `usage`, naming the flag, where a colon or the name is missing.
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

/** The content of a SUM file. */
export interface SumFile {
  /** Hash by path, in lower case. */
  readonly sums: ReadonlyMap<string, string>;
  /** Lines that were skipped, and why; the first line of the file is 0. */
  readonly faults: readonly string[];
}

/**
 * Reads a file as `md5sum` writes it: hash, blank, blank or `*`, path. Blank lines are skipped; other lines and
 * a second line for one path are, too, with a fault.
 */
export function parseSumFile(text: string): SumFile {
  const sums = new Map<string, string>();
  const faults: string[] = [];
  // Editors on Windows start a file with a mark of its encoding.
  for (const [number, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line === '') continue;
    const [, hash, path = ''] = /^([^ ]+) [ *](.+)$/s.exec(line) ?? [];
    if (hash === undefined) faults.push(`improperly formatted checksum line ${number}`);
    else if (sums.has(path)) faults.push(`duplicate file on checksum line ${number}`);
    else sums.set(path, hash.toLowerCase());
  }
  return { sums, faults };
}

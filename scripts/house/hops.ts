import { dirname } from 'node:path';

/** How a part of a run moves between source files. */
export interface Hops {
  /** Distinct functions that were entered. */
  readonly functions: number;
  /** Distinct files that they are in. */
  readonly files: number;
  /** Consecutive entries in different files. */
  readonly moves: number;
  /** Moves to a file that was left before. */
  readonly returns: number;
  /** Consecutive entries in files of different folders. */
  readonly crossings: number;
}

/**
 * Counts the entries from the first line that contains `first` to the last that contains `last`. Throws if there is
 * none: the function has another name now.
 *
 * @param trace lines `path#function:line`, as the hook writes them
 */
export function countHops(trace: string, first: string, last: string): Hops {
  const lines = trace.split('\n');
  const from = lines.findIndex((line) => line.includes(first));
  const to = lines.findLastIndex((line) => line.includes(last));
  if (from < 0 || to < from) throw new Error(`the trace has no ${from < 0 ? first : last}`);
  const part = lines.slice(from, to + 1);
  const files = part.map((line) => line.slice(0, line.indexOf('#')));
  const seen = new Set(files.slice(0, 1));
  const hops = { moves: 0, returns: 0, crossings: 0 };
  for (let at = 1; at < files.length; at++) {
    const [before, file] = [files[at - 1] ?? '', files[at] ?? ''];
    if (file === before) continue;
    hops.moves++;
    if (dirname(file) !== dirname(before)) hops.crossings++;
    if (seen.has(file)) hops.returns++;
    seen.add(file);
  }
  return { functions: new Set(part).size, files: seen.size, ...hops };
}

/** A row of a table in Markdown. */
export function hopRow(name: string, hops: Hops): string {
  const { functions, files, moves, returns, crossings } = hops;
  return `| ${name} | ${functions} | ${files} | ${moves} | ${returns} | ${crossings} |`;
}

/** The median of each count. */
export function medianHops(runs: readonly Hops[]): Hops {
  const median = (key: keyof Hops) => {
    const sorted = runs.map((run) => run[key]).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  return {
    functions: median('functions'),
    files: median('files'),
    moves: median('moves'),
    returns: median('returns'),
    crossings: median('crossings'),
  };
}

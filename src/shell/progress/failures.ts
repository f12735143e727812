import type { SyncerError } from '../../core/errors.ts';
import { figure, harmless } from '../../core/shown-text.ts';

/** Errors with one cause. */
export interface Failure {
  /** The error's text without its path. */
  readonly cause: string;
  count: number;
  /** The first of them that have one. */
  readonly paths: string[];
}

/** More causes are counted as one, and more paths of one cause are only counted. */
const KEPT = 200;

/** The errors of a run, equal ones together, in the order in which they came first. */
export class Failures {
  readonly byCause = new Map<string, Failure>();
  last: Failure | undefined;

  clear(): void {
    this.byCause.clear();
    this.last = undefined;
  }

  /** Adds an error about `path`. */
  note(error: SyncerError, path: string | undefined): void {
    const { byCause } = this;
    const own = causeOf(error, path);
    const cause = byCause.has(own) || byCause.size < KEPT ? own : 'other errors';
    const failure = byCause.get(cause) ?? { cause, count: 0, paths: [] };
    byCause.set(cause, failure);
    failure.count++;
    this.last = failure;
    if (path !== undefined && failure.paths.length < KEPT) failure.paths.push(path);
  }

  /** Whether an error with the same cause was counted already. */
  knows(error: SyncerError, path: string | undefined): boolean {
    return this.byCause.has(causeOf(error, path));
  }
}

/** A cause with its file, or with how many there are: `84 files: cannot create bucket b: access denied`. */
export function failureText({ cause, count, paths }: Failure): string {
  const [path] = paths;
  if (count === 1) return harmless(path === undefined ? cause : `${path}: ${cause}`);
  return harmless(`${figure(count)} ${path === undefined ? 'times' : 'files'}: ${cause}`);
}

/** The text of an error without its path, and without the bucket or the directory before that. */
export function causeOf({ message }: SyncerError, path: string | undefined): string {
  if (path === undefined || path === '') return message;
  for (let at = message.indexOf(path); at >= 0; at = message.indexOf(path, at + 1)) {
    const [before, after] = [message.slice(0, at), message.slice(at + path.length)];
    // A short name is also in words, such as "e" in "open".
    if (!/(^|[\s/"'])$/.test(before) || !/^([\s:"']|$)/.test(after)) continue;
    const text = before.replace(/\S*$/, '').trimEnd() + after.replace(/^["']/, '');
    return text.replace(/^[: ]+/, '');
  }
  return message;
}

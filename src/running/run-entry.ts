import type { Lineage } from '../core/place.ts';
import { isRunId } from '../kit/run-id.ts';

/** A run that goes on, as the file says that it keeps while it does. */
export interface RunEntry {
  /** See `newRunId`. */
  readonly id: string;
  /** Its process; see `ownMark`. */
  readonly mark: string;
  readonly pid: number;
  /** The name of the machine, for entries whose process cannot be looked at from here. */
  readonly host: string;
  /** When it began, in milliseconds since the epoch. */
  readonly startedMs: number;
  /** The words after the program's name, without secrets. */
  readonly words: readonly string[];
  /** The name of the program if it is not syncer. */
  readonly program?: string;
  /** The working directory, for local paths among the words; `''` if it was deleted. */
  readonly dir: string;
  /** What it changes. */
  readonly places?: readonly Lineage[];
  /** It changes them alone, of the runs that ask for that (`--lock`). */
  readonly isLocked?: true;
  /** The control socket of a hook server. */
  readonly control?: string;
}

/** An entry as the text of its file. */
export function formatRunEntry(entry: RunEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** The entry in the text of a file; `undefined` where there is none: a torn one, another version's. */
export function parseRunEntry(text: string): RunEntry | undefined {
  let entry: Partial<Record<keyof RunEntry, unknown>>;
  try {
    entry = JSON.parse(text) as typeof entry;
  } catch {
    return undefined;
  }
  if (typeof entry !== 'object' || entry === null) return undefined;
  const {
    id,
    mark,
    pid,
    host,
    startedMs,
    words,
    program = '',
    dir,
    control = '',
    places,
    isLocked,
  } = entry;
  const isEntry =
    typeof id === 'string' &&
    isRunId(id) &&
    [mark, host, program, dir, control].every((value) => typeof value === 'string') &&
    Number.isSafeInteger(pid) &&
    Number.isFinite(startedMs) &&
    Array.isArray(words) &&
    words.every((word) => typeof word === 'string') &&
    (places === undefined || (Array.isArray(places) && places.every(isLineage))) &&
    (isLocked === undefined || isLocked === true);
  return isEntry ? (entry as RunEntry) : undefined;
}

function isLineage(value: Partial<Lineage> | null): boolean {
  const { ancestors, holds = [] } = value ?? {};
  const isList = (list: unknown, key: string): boolean =>
    Array.isArray(list) &&
    list.every((one) => typeof one?.id === 'string' && typeof one[key] === 'string');
  return isList(ancestors, 'rest') && isList(holds, 'path');
}

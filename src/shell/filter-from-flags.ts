import { constants } from 'node:buffer';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Context } from '../core/context.ts';
import type { Emit } from '../core/events.ts';
import { userText } from '../core/name-bytes.ts';
import { buildFilter, type ReadList } from '../filter/build-filter.ts';
import type { Filter } from '../filter/filter.ts';
import { readWhole } from '../system/read-whole.ts';
import type { Flags } from './flags/flag-table.ts';
import { dumpList } from './log/dump-list.ts';
import { logText } from './log/log-text.ts';
import type { Output } from './output/output.ts';

/**
 * The same filter, which also logs each excluded file and directory, at every call; in the way
 * of rclone's `Excluded` lines. With `--files-from` nearly all are excluded, and it logs nothing, as in rclone.
 */
export function tellingFilter(filter: Filter, tell: (path: string) => void): Filter {
  if (filter.passesAll || filter.fileList !== undefined) return filter;
  const told = (keeps: boolean, path: string) => {
    if (!keeps) tell(path);
    return keeps;
  };
  return {
    ...filter,
    keepFile: (file) => told(filter.keepFile(file), file.path),
    keepDir: (path) => told(filter.keepDir(path), path),
  };
}

/** The filter of the flags and their files; printed with `--dump filters`. With `-vv`, it logs excluded paths. */
export async function filterFromFlags(
  flags: Flags,
  stdin: () => Readable,
  out: Output,
  { signal, clock, emit, verbose }: Context,
): Promise<Filter> {
  // That file is one more of rules.
  const { 'filter-from': from, 'filters-file': more } = flags;
  const options = more === undefined ? flags : { ...flags, 'filter-from': [...from, more] };
  // The bytes become a string, which cannot be longer.
  const limits = { mostBytes: constants.MAX_STRING_LENGTH, signal };
  /** Reads a file of rules or names of any bytes; `-` is standard input. Says which of them may be meant otherwise. */
  const read: ReadList = async (path, how) => {
    const bytes = path === '-' ? await buffer(stdin()) : await readWhole(path, limits);
    const text = userText(bytes, how);
    const oddity = how?.allowsNul === true ? undefined : oddLine(text);
    const file = path === '-' ? 'standard input' : path;
    if (oddity !== undefined) emit(logText('notice', `${file}, ${oddity}`));
    return text;
  };
  const filter = await buildFilter(options, read, clock.now());
  if (dumpList(flags).has('filters')) {
    await out.write(`--- start filters ---\n${filter.describe().trimEnd()}\n--- end filters ---\n`);
  }
  if (verbose === false) return filter;
  return tellingFilter(filter, (path) => emit(logText('debug', 'Excluded', path)));
}

/** Warns that include and exclude flags are evaluated in groups, in rclone's words. */
export function tellMixedRules(flags: Flags, emit: Emit): void {
  const isGiven = (kind: 'include' | 'exclude' | 'metadata-include' | 'metadata-exclude') =>
    flags[kind].length > 0 || flags[`${kind}-from`].length > 0;
  const isMixed = isGiven('include') && isGiven('exclude');
  if (!isMixed && !(isGiven('metadata-include') && isGiven('metadata-exclude'))) return;
  const message =
    'Using --filter is recommended instead of both --include and --exclude as the order they are parsed in is indeterminate';
  emit(logText('error', message));
}

/** The first line but comments that is no UTF-8, or begins with the byte order mark of a joined file; why, and what it means. */
function oddLine(text: string): string | undefined {
  const found = /^(?![ \t]*[#;])[^\n]*?\p{Cs}|(?<=\n)\ufeff/mu.exec(text);
  if (found === null) return undefined;
  const line = `line ${text.slice(0, found.index).split('\n').length}`;
  return found[0] === '\ufeff'
    ? `${line}: the byte order mark is part of the name or rule; if files were joined, delete it`
    : `${line} is not UTF-8 and fits only names with the same bytes; if it is Latin-1, save it as UTF-8`;
}

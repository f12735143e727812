import { SyncerError } from '../core/errors.ts';
import { foldName } from '../core/name-order.ts';
import type { Entry, Remote } from '../core/remote.ts';
import type { Repeat } from './fold-matcher.ts';
import type { Run } from './run.ts';

/** Whether names that differ only in case are one name: to the destination, or because the user wants it. */
export function foldsNames({ dest, ignoreCase }: { dest: Remote; ignoreCase: boolean }): boolean {
  return ignoreCase || dest.traits.caseInsensitive;
}

/** Logs that an entry is skipped because its name is repeated. */
export function tellDuplicate(run: Run, side: 'source' | 'dest', { kind, path }: Entry): void {
  run.log('notice', path, 'duplicate-name', { kind, side });
}

/**
 * Logs that an entry is skipped whose name differs from another one's only in case. It is an error if the destination
 * would make one file of two, so that nothing is deleted either; with `--ignore-case-sync` the user asked for it.
 */
export function tellRepeat(run: Run, dest: Remote, repeat: Repeat): void {
  const { side, entry } = repeat;
  if (side === 'source' && dest.traits.caseInsensitive) {
    const error = clash(repeat);
    run.clashes?.set(entry.path, error);
    run.fail(error, entry.path);
  } else tellDuplicate(run, side, entry);
}

/** The error of two entries of the source that the destination cannot distinguish. */
function clash({ entry: { kind, path }, first }: Omit<Repeat, 'side'>): SyncerError {
  const what = kind === 'file' ? 'file' : 'directory';
  const how = foldName(path) === foldName(first) ? 'case' : 'case or Unicode form';
  return new SyncerError(
    'already-exists',
    `"${path}" is skipped: at the destination it is the same ${what} as "${first}", which differs only in ${how}; rename one of them`,
    { path },
  );
}

/** Whether no earlier file has its name except for case. */
export function isFirst(run: Run, dest: Remote, entry: Entry, taken: Map<string, string>): boolean {
  const folded = foldName(entry.path);
  const first = taken.get(folded);
  if (first === undefined) taken.set(folded, entry.path);
  else tellRepeat(run, dest, { side: 'source', entry, first });
  return first === undefined;
}

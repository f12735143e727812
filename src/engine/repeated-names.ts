import { SyncerError } from '../core/errors.ts';
import { foldName } from '../core/name-order.ts';
import type { Entry } from '../core/remote.ts';
import { foldPath, ignoresCase, leafName, parentPath } from '../core/remote-path.ts';
import type { Sides } from './action.ts';
import type { Repeat } from './match.ts';
import type { Run } from './run.ts';

/** Whose names are folded: those of a destination that ignores case, or all, because the user wants it. */
export interface FoldRules extends Sides {
  /** Match names that differ only in case; always done if the destination does not distinguish them. */
  readonly ignoreCase: boolean;
  /** Files go to the source, too: its names count as those of the destination. */
  readonly twoWay?: true;
  /** On which sides trial files of killed runs are deleted: those that the run may change. */
  readonly cleans?: readonly ('source' | 'dest')[];
}

/** A path in the form that all its spellings have: to the destination, or because the user wants it. */
export function foldedPath(
  { dest, ignoreCase }: Pick<FoldRules, 'dest' | 'ignoreCase'>,
  path: string,
): string {
  return ignoreCase ? foldName(path) : foldPath(dest, path);
}

/** Logs that an entry is skipped because its name is repeated. */
export function tellDuplicate(run: Run, side: 'source' | 'dest', { kind, path }: Entry): void {
  run.log('notice', path, 'duplicate-name', { kind, side });
}

/**
 * Logs that an entry is skipped whose name differs from another one's only in case. It is an error if the destination
 * would make one file of two, so that nothing is deleted either; with `--ignore-case-sync` the user asked for it.
 * `false`: to the destination they are two, and nothing is logged.
 *
 * @param at the directory of both, on each side
 */
export function tellRepeat(
  run: Run,
  rules: FoldRules,
  at: { readonly dir: string; readonly destDir: string },
  repeat: Repeat,
): boolean {
  const { side, entry, first } = repeat;
  const areOne =
    side === 'source'
      ? areOneAt(rules, at.destDir, repeat)
      : rules.twoWay === true && ignoresCase(rules.source, at.dir);
  if (areOne) {
    const { kind, path } = entry;
    const what = kind === 'file' ? 'file' : 'directory';
    const how = foldName(path) === foldName(first) ? 'case' : 'case or Unicode form';
    const text = `"${path}" is skipped: at the destination it is the same ${what} as "${first}", which differs only in ${how}; rename one of them`;
    const error = new SyncerError('already-exists', text, { path });
    run.clashes?.set(path, error);
    run.fail(error, path);
  } else if (side === 'dest' || rules.ignoreCase) tellDuplicate(run, side, entry);
  return areOne || side === 'dest' || rules.ignoreCase;
}

function areOneAt({ dest, cleans }: FoldRules, dir: string, { entry, first }: Repeat): boolean {
  const { naming } = dest.can;
  if (naming === undefined) return dest.traits.caseInsensitive;
  const mayTry = cleans?.includes('dest') === true;
  return naming.areOne(dir, leafName(entry.path), leafName(first), mayTry);
}

/**
 * The error of an entry that was skipped because of its name, or of a directory above it: also in a later attempt, when
 * a move has taken the other entry away and nothing shows the clash any more.
 */
export function clashAt({ clashes }: Run, path: string): SyncerError | undefined {
  if (clashes === undefined || clashes.size === 0) return undefined;
  for (let at = path; ; at = parentPath(at)) {
    const found = clashes.get(at);
    if (found !== undefined || at === '') return found;
  }
}

/** Whether no earlier file has its name except for case. */
export function isFirst(
  run: Run,
  rules: FoldRules,
  entry: Entry,
  taken: Map<string, string>,
): boolean {
  const folded = foldedPath(rules, entry.path);
  const first = taken.get(folded);
  if (first === undefined) {
    taken.set(folded, entry.path);
    return true;
  }
  const dir = parentPath(entry.path);
  return !tellRepeat(run, rules, { dir, destDir: dir }, { side: 'source', entry, first });
}

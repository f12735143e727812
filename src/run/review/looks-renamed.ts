import { dirsAbove, leafName } from '../../core/remote-path.ts';
import type { Plan } from './plan-approval.ts';
import type { PlannedChange } from './planned-change.ts';

/** A new directory that has the files of a deleted one. */
export interface LooksRenamed {
  /** The new directory. */
  readonly to: string;
  /** How many of the files that would be deleted are equal to one of it, as far as the listings say, */
  readonly equal: number;
  /** and how many would be deleted. */
  readonly of: number;
}

/** More new files of one name and size are not looked at. */
const MOST_EQUAL = 16;

/**
 * The directories of a plan that look renamed, by their paths: more than half of the files that would be deleted in one
 * are new in another one, with the same path below it, size and time.
 */
export function findRenames(plan: Plan): ReadonlyMap<string, LooksRenamed> {
  const found = new Map<string, LooksRenamed>();
  const added = new Map<string, PlannedChange[]>();
  if (![...plan.values()].some(({ kind }) => kind === 'delete')) return found;
  for (const change of plan.values()) {
    if (change.kind !== 'copy' || change.toPath !== undefined) continue;
    const key = keyOf(change);
    const known = added.get(key);
    if (known === undefined) added.set(key, [change]);
    else if (known.length < MOST_EQUAL) known.push(change);
  }
  if (added.size === 0) return found;
  const equals = new Map<string, Map<string, number>>();
  const deleted = new Map<string, number>();
  for (const change of plan.values()) {
    if (change.kind !== 'delete' || change.dest === undefined || change.toPath !== undefined)
      continue;
    for (const dir of dirsAbove(change.path)) deleted.set(dir, (deleted.get(dir) ?? 0) + 1);
    const pairs = new Set<string>();
    for (const { path, source } of added.get(keyOf(change)) ?? []) {
      const [from, to] = withoutCommonEnd(change.path, path);
      if (from === '' || to === '' || !isEqual(change.dest, source)) continue;
      pairs.add(`${from}\0${to}`);
    }
    for (const pair of pairs) {
      const [from = '', to = ''] = pair.split('\0');
      const counts = equals.get(from) ?? new Map<string, number>();
      equals.set(from, counts.set(to, (counts.get(to) ?? 0) + 1));
    }
  }
  for (const [from, counts] of equals) {
    const [to = '', equal = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
    const of = deleted.get(from) ?? 0;
    if (2 * equal > of) found.set(from, { to, equal, of });
  }
  return found;
}

/** What looks renamed, in words. */
export function renamedText({ to, equal, of }: LooksRenamed): string {
  return `looks like a renamed ${to}/ (${equal} of ${of} equal)`;
}

function keyOf({ path, size }: PlannedChange): string {
  return `${leafName(path)}\0${size}`;
}

function isEqual(a: NonNullable<PlannedChange['dest']>, b: PlannedChange['source']): boolean {
  if (b === undefined || a.modTime === undefined || b.modTime === undefined) return b !== undefined;
  // A place may keep times to the second only.
  return a.modTime / 1_000_000_000n === b.modTime / 1_000_000_000n;
}

/** Two paths without the names at their ends that are the same. */
function withoutCommonEnd(a: string, b: string): readonly [string, string] {
  const [names, others] = [a.split('/'), b.split('/')];
  while (names.length > 0 && others.length > 0 && names.at(-1) === others.at(-1)) {
    names.pop();
    others.pop();
  }
  return [names.join('/'), others.join('/')];
}

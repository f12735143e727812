import { SyncerError, toSyncerError } from '../core/errors.ts';
import { mapAtOnce } from '../core/map-at-once.ts';
import { compareEntries } from '../core/name-order.ts';
import type { Entry } from '../core/remote.ts';
import { joinPath, leafName, parentPath } from '../core/remote-path.ts';
import type { Match } from './match.ts';
import type { Run } from './run.ts';
import type { NameTransform } from './sync-option-parts.ts';

/** How many names are changed in parallel: an external program may do it. */
const WIDTH = 8;

/** The own entries of a directory, by kind and by the path under which they are matched. */
export type OwnEntries = Map<string, Entry>;

const keyOf = ({ kind, path }: Entry) => `${kind} ${path}`;

/**
 * The entries of one directory under the names that they get, sorted. Names that cannot be changed, and those that
 * several entries get, count as errors, and none of these entries is part of the run: another attempt must not find one
 * of them gone, and replace what it became.
 *
 * @param own receives the entry of each path that is returned
 */
export async function* renamedPages(
  run: Run,
  transform: NameTransform,
  pages: AsyncIterable<readonly Entry[]>,
  own: OwnEntries,
): AsyncGenerator<readonly Entry[]> {
  const shown: Entry[] = [];
  const clashes = new Set<string>();
  for await (const page of pages) {
    const paths = await mapAtOnce(page, WIDTH, async ({ path, kind }) => {
      try {
        return joinPath(parentPath(path), await transform.name(leafName(path), kind));
      } catch (thrown) {
        failName(run, path, thrown);
        return undefined;
      }
    });
    for (const [i, entry] of page.entries()) {
      const path = paths[i];
      if (path === undefined) continue;
      const renamed = { ...entry, path };
      const key = keyOf(renamed);
      const first = own.get(key);
      if (first === undefined) {
        own.set(key, entry);
        shown.push(renamed);
        continue;
      }
      if (!clashes.has(key)) failClash(run, first.path, path);
      clashes.add(key);
      failClash(run, entry.path, path);
    }
  }
  yield shown.filter((entry) => !clashes.has(keyOf(entry))).sort(compareEntries);
}

/** A match of such entries with the own entry of the source, and its path at the destination. */
export function restored(match: Match, own: OwnEntries, destDir: string): Match {
  const { source } = match;
  if (source === undefined) return match;
  const path = joinPath(destDir, leafName(source.path));
  return { ...match, source: own.get(keyOf(source)) ?? source, path };
}

/** The path at the destination of a file, directory by directory; `undefined` if it has none, which is an error. */
export async function targetPath(
  run: Run,
  transform: NameTransform,
  path: string,
  kind: Entry['kind'] = 'file',
): Promise<string | undefined> {
  const segments = path.split('/');
  const last = segments.length - 1;
  try {
    const names = segments.map((leaf, i) => transform.name(leaf, i < last ? 'dir' : kind));
    return (await Promise.all(names)).join('/');
  } catch (thrown) {
    failName(run, path, thrown);
    return undefined;
  }
}

/** Counts an entry whose name at the destination is that of another one. */
function failClash(run: Run, path: string, target: string): void {
  const message = `"${leafName(target)}" is also the new name of another entry`;
  const advice = 'rename one of them, or exclude it';
  run.fail(new SyncerError('name-invalid', message, { path, advice }), path, 'rename');
}

/** The paths of a list at the destination; those that several have, and those without one, are errors and absent. */
export async function targetPaths(
  run: Run,
  transform: NameTransform,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const targets = new Map<string, string>();
  const firsts = new Map<string, string>();
  for (const path of paths) {
    const target = await targetPath(run, transform, path);
    if (target === undefined) continue;
    const first = firsts.get(target);
    if (first === undefined) {
      firsts.set(target, path);
      targets.set(path, target);
      continue;
    }
    if (targets.delete(first)) failClash(run, first, target);
    failClash(run, path, target);
  }
  return targets;
}

function failName(run: Run, path: string, thrown: unknown): void {
  const { code, message } = toSyncerError(thrown);
  const text = `cannot change the name with --name-transform: ${message}`;
  run.fail(new SyncerError(code, text, { path, cause: thrown }), path, 'rename');
}

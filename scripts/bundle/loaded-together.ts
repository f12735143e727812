import { join } from 'node:path';
import type { CodeSplittingGroup, Plugin } from 'rolldown';

/** What tells the bundler which modules go into one file. */
interface LoadedTogether {
  /** Sees what each module imports. */
  readonly plugin: Plugin;
  /** Decide where a module goes, once all were seen; the first one that takes it has it. */
  readonly groups: CodeSplittingGroup[];
}

/**
 * Groups of modules that are loaded together: those at `paths`, and all that they import other than by `import()`.
 *
 * @param root the project's folder
 * @param groups the paths of each group, relative to `root`, by its name
 */
export function loadedTogether(
  root: string,
  groups: Readonly<Record<string, readonly string[]>>,
): LoadedTogether {
  const imports = new Map<string, readonly string[]>();
  const closures = new Map<string, ReadonlySet<string>>();
  const closureOf = (name: string, paths: readonly string[]) => {
    const known = closures.get(name) ?? reachable(paths, imports);
    closures.set(name, known);
    return known;
  };
  return {
    plugin: {
      name: 'loaded together',
      buildEnd() {
        for (const id of this.getModuleIds()) {
          imports.set(id, this.getModuleInfo(id)?.importedIds ?? []);
        }
      },
    },
    groups: Object.entries(groups).map(([name, paths], index, all) => ({
      name,
      priority: all.length - index,
      test: (id) =>
        closureOf(
          name,
          paths.map((path) => join(root, path)),
        ).has(id),
    })),
  };
}

/** These modules and all that they import, directly or through others. Unknown ones are left out. */
function reachable(
  start: readonly string[],
  imports: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [...start];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const next = imports.get(id);
    if (next === undefined || reached.has(id)) continue;
    reached.add(id);
    waiting.push(...next);
  }
  return reached;
}

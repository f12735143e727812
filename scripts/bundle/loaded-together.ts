import { join } from 'node:path';
import type { CodeSplittingGroup, Plugin } from 'rolldown';
import type { Program } from './programs.ts';

/** What tells the bundler which modules go into one file. */
interface LoadedTogether {
  /** Sees what each module imports. */
  readonly plugin: Plugin;
  /** Decide where a module goes, once all were seen; the first one that takes it has it. */
  readonly groups: CodeSplittingGroup[];
}

/** Of each module what it imports, other than by `import()`. */
type Imports = ReadonlyMap<string, readonly string[]>;

/**
 * The groups of modules that are loaded together, as a program names them.
 *
 * @param root the project's folder, absolute
 */
export function loadedTogether(
  root: string,
  { together, apart = {} }: Pick<Program, 'together' | 'apart'>,
): LoadedTogether {
  const pathsOf = (paths: readonly string[]) => paths.map((path) => join(root, path));
  const plans = [
    ...Object.entries(together).map(([name, paths]) => ({ name, paths, collect: reachable })),
    ...Object.entries(apart).map(([name, paths]) => ({ name, paths, collect: reachableOnly })),
  ];
  let members: readonly ReadonlySet<string>[] = [];
  return {
    plugin: {
      name: 'loaded together',
      buildEnd() {
        const imports: Imports = new Map(
          [...this.getModuleIds()].map((id) => [id, this.getModuleInfo(id)?.importedIds ?? []]),
        );
        members = plans.map(({ paths, collect }) => collect(pathsOf(paths), imports));
      },
    },
    groups: plans.map(({ name }, index) => ({
      name,
      priority: plans.length - index,
      test: (id) => members[index]?.has(id) === true,
    })),
  };
}

/** These modules and all that they import, directly or through others. Unknown ones are left out. */
function reachable(start: readonly string[], imports: Imports): Set<string> {
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

/** The same, without what others import as well. */
function reachableOnly(start: readonly string[], imports: Imports): Set<string> {
  const members = reachable(start, imports);
  for (const others = [...imports.keys()].filter((id) => !members.has(id)); ; ) {
    const id = others.pop();
    if (id === undefined) return members;
    for (const imported of imports.get(id) ?? []) {
      if (!start.includes(imported) && members.delete(imported)) others.push(imported);
    }
  }
}

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
  const imports = new Map<string, readonly string[]>();
  const pathsOf = (paths: readonly string[]) => paths.map((path) => join(root, path));
  const groups = [
    ...Object.entries(together).map(([name, paths]) => ({
      name,
      members: once(() => reachable(pathsOf(paths), imports)),
    })),
    ...Object.entries(apart).map(([name, paths]) => ({
      name,
      members: once(() => reachableOnly(pathsOf(paths), imports)),
    })),
  ];
  return {
    plugin: {
      name: 'loaded together',
      buildEnd() {
        for (const id of this.getModuleIds()) {
          imports.set(id, this.getModuleInfo(id)?.importedIds ?? []);
        }
      },
    },
    groups: groups.map(({ name, members }, index) => ({
      name,
      priority: groups.length - index,
      test: (id) => members().has(id),
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

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

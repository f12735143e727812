import type { Import } from './imports.ts';

/**
 * The cycles among the files' imports, each as the files along it. Types count, `import()` does not: what is
 * read late cannot be read too early.
 */
export function findCycles(
  imports: ReadonlyMap<string, readonly Pick<Import, 'own' | 'lazy' | 'target'>[]>,
): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const trail: string[] = [];

  const visit = (path: string) => {
    const from = trail.indexOf(path);
    if (from >= 0) cycles.push([...trail.slice(from), path]);
    if (from >= 0 || done.has(path)) return;
    trail.push(path);
    for (const { own, lazy, target } of imports.get(path) ?? []) {
      if (own && !lazy) visit(target);
    }
    trail.pop();
    done.add(path);
  };

  for (const path of imports.keys()) visit(path);
  return cycles;
}

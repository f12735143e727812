import type { BundleParts } from '../../bundle/bundle.ts';

/**
 * The files of the bundle that a program can ever load: its own, and all that those import, at once or later. Pure.
 *
 * @param entry the program's file, relative to the bundle
 * @returns names relative to the bundle, sorted
 */
export function programFiles(
  parts: Readonly<Record<string, BundleParts>>,
  entry: string,
): readonly string[] {
  const reached = new Set<string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const { imports = [], lateImports = [] } = parts[path] ?? {};
    waiting.push(...imports, ...lateImports);
  }
  return [...reached].sort();
}

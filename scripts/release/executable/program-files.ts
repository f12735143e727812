import type { Metafile } from 'esbuild';

/**
 * The files of the bundle that a program can ever load: its own, and all that those import, at once or later. Pure.
 *
 * @param entry the program's file, relative to the bundle
 * @returns names relative to the bundle, sorted
 */
export function programFiles(outputs: Metafile['outputs'], entry: string): readonly string[] {
  const reached = new Set<string>();
  const waiting = [`dist/${entry}`];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const imports = outputs[path]?.imports ?? [];
    waiting.push(...imports.filter(({ external }) => external !== true).map((one) => one.path));
  }
  return [...reached].map((path) => path.slice('dist/'.length)).sort();
}

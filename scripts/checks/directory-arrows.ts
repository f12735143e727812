import { importsOf } from './imports.ts';
import { BASE } from './layers.ts';
import type { SourceFile } from './source-files.ts';

/**
 * Which part of the project imports which, as `commands --> app`, sorted. Parts are the directories of `src`,
 * `src/main.ts` and the directories beside `src`. An arrow that follows from others is left out.
 * The directories that every layer may import are `core`.
 */
export function directoryArrows(files: readonly SourceFile[]): string[] {
  const graph = new Map<string, Set<string>>();
  for (const file of files) {
    const from = partOf(file.path);
    const targets = importsOf(file).flatMap(({ own, target }) => (own ? [partOf(target)] : []));
    graph.set(from, new Set([...(graph.get(from) ?? []), ...targets.filter((to) => to !== from)]));
  }
  return [...graph]
    .flatMap(([from, targets]) =>
      [...targets]
        .filter((to) => !followsFromOthers(graph, from, to))
        .map((to) => `${from} --> ${to}`),
    )
    .sort();
}

function partOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  if (BASE.includes(`${first}/${second}`)) return 'core';
  return first === 'src' ? second.replace(/\.ts$/, '') : first;
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function followsFromOthers(graph: Graph, from: string, to: string): boolean {
  const others = [...(graph.get(from) ?? [])].filter((part) => part !== to);
  return others.some((part) => reaches(graph, part, to, new Set([from])));
}

function reaches(graph: Graph, from: string, to: string, seen: Set<string>): boolean {
  if (seen.has(from)) return false;
  seen.add(from);
  return [...(graph.get(from) ?? [])].some((part) => part === to || reaches(graph, part, to, seen));
}

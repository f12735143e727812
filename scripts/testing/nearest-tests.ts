import { join } from 'node:path';

const TEST = /^test\/(?!peers\/).*\.test\.tsx?$/;
const TYPES_ONLY = /^(?:im|ex)port type [^;]*;/gm;
/** How many imports a shared word outweighs. */
const WORD = 4;
const OTHER_FILE = /'(\.{1,2}\/[^'\n]+\.tsx?)'/g;

/**
 * The tests that reach a file by imports, static or dynamic, or by its path relative to theirs; those of `test/peers`
 * are left out. The test at the path of the file comes first, then those with few imports between and many words of
 * that path in their own: all tests that run the program reach a command, its own ones are to come first.
 * @param textOf gives the text of each TypeScript file, by its path from the root of the repository
 */
export function nearestTests(file: string, textOf: ReadonlyMap<string, string>): string[] {
  const own = `test/unit/${file.replace(/^src\//, '').replace(/\.tsx?$/, '')}.`;
  const start = [file, ...[...textOf.keys()].filter((path) => path.startsWith(own))];
  const distances = new Map(start.map((path) => [path, 0]));
  const importers = importersOf(textOf);
  // A map that grows while it is walked: breadth first.
  for (const [at, distance] of distances)
    for (const importer of importers.get(at) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  const words = new Set(wordsOf(file.replace(/^(src|commands|components)\/|\.tsx?$/g, '')));
  const rank = (test: string, distance: number) => {
    const shared = new Set(wordsOf(test).filter((word) => words.has(word)));
    return distance === 0 ? Number.NEGATIVE_INFINITY : distance - WORD * shared.size;
  };
  return [...distances]
    .filter(([path]) => TEST.test(path))
    .map(([path, distance]) => ({ path, rank: rank(path, distance) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ path }) => path);
}

const wordsOf = (path: string): string[] => path.split(/\W|-/);

function importersOf(textOf: ReadonlyMap<string, string>): ReadonlyMap<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const [importer, text] of textOf)
    for (const [, path = ''] of text.replaceAll(TYPES_ONLY, '').matchAll(OTHER_FILE)) {
      const imported = join(importer, '..', path);
      importers.set(imported, [...(importers.get(imported) ?? []), importer]);
    }
  return importers;
}

/**
 * The forbidden names that files had before docs/style.md was held to names, by the paths of the files. A name of a
 * file, an identifier or the title of a test is in it once for each file.
 */
export type OldNames = ReadonlyMap<string, ReadonlySet<string>>;

/** Where they are written: a path, and below it the names with two blanks before them. */
export const OLD_NAMES = 'scripts/checks/old-names.txt';

/** A name in a file. */
interface NameInFile {
  readonly path: string;
  readonly name: string;
}

/** Reads the text of `OLD_NAMES`. */
export function parseOldNames(text: string): OldNames {
  const old = new Map<string, Set<string>>();
  let names = new Set<string>();
  for (const line of text.split('\n')) {
    if (line.startsWith('  ')) names.add(line.slice(2));
    else if (line !== '') {
      names = new Set();
      old.set(line, names);
    }
  }
  return old;
}

/** The text of `OLD_NAMES` for names, sorted by path. */
export function formatOldNames(names: Iterable<NameInFile>): string {
  const byPath = Map.groupBy(names, ({ path }) => path);
  return [...byPath.keys()]
    .sort()
    .map((path) => `${path}\n${linesOf(byPath.get(path) ?? [])}`)
    .join('');
}

function linesOf(names: readonly NameInFile[]): string {
  return names
    .map(({ name }) => `  ${name}\n`)
    .sort()
    .join('');
}

/** The old names after a file, or all files of a directory, moved from `from` to `to`. The names of files do not move. */
export function moveOldNames(old: OldNames, from: string, to: string): OldNames {
  const moved = [...old].map(([path, names]): [string, ReadonlySet<string>] =>
    path === from || path.startsWith(`${from}/`)
      ? [to + path.slice(from.length), names]
      : [path, names],
  );
  return new Map(moved);
}

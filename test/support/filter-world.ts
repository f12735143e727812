import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../src/core/errors.ts';
import { modTimeFromMs } from '../../src/core/mod-time.ts';
import { buildFilter, type FilterOptions } from '../../src/filter/build-filter.ts';
import type { Filter } from '../../src/filter/filter.ts';
import { parseByteSize } from '../../src/go/quantities.ts';
import { encodingOf, toStandardPath } from '../../src/names/name-encoding.ts';
import { COMMAND_LINES, FILES, LIST_FILES, PATTERNS } from '../cases/filter-cases.ts';

/** How it ended: the rules and the files that were kept, or that the flags were refused. */
export type FilterOutcome =
  | { readonly rules: string; readonly kept: readonly string[] }
  | 'refused';

/** Command lines of filters by their names: each pattern as include, and as exclude without regard to case. */
export const FILTER_CASES: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ...PATTERNS.flatMap((pattern) => [
      ['--include', pattern],
      ['--exclude', pattern, '--ignore-case'],
    ]),
    ...COMMAND_LINES,
  ].map((args) => [args.join(' '), args]),
);

/** An empty pattern includes everything in rclone 1.75, and nothing here. */
export const isOldRule = (args: readonly string[]) =>
  args[1] === '' && /clude$/.test(args[0] ?? '');

const encoding = encodingOf(['Slash', 'Dot']);

/** Writes the files of the cases below `tree`, and the lists that the command lines name, into a folder. */
export async function writeFilterTree(dir: string): Promise<void> {
  for (const [name, text] of Object.entries(LIST_FILES)) await writeFile(join(dir, name), text);
  await writeFiles(join(dir, 'tree'), FILES);
}

/** The words of a command line with the paths of the lists. */
export const inFolder = (args: readonly string[], dir: string) =>
  args.map((arg) => (arg.startsWith('@') ? join(dir, arg.slice(1)) : arg));

/** An outcome as it is recorded: of more than half of the files those that were not kept. */
export function recordable(outcome: FilterOutcome) {
  if (outcome === 'refused' || outcome.kept.length < FILES.length / 2) return outcome;
  const all = FILES.map((path) => path.replace('\n', '␊')).sort();
  const skipped = all.filter((path) => !outcome.kept.includes(path));
  return { rules: outcome.rules, skipped };
}

/** Writes files of different sizes and ages. */
export async function writeFiles(root: string, paths: readonly string[]): Promise<void> {
  await mkdir(root, { recursive: true });
  for (const [index, path] of paths.entries()) {
    const full = join(root, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, 'x'.repeat(index));
    const ages = [0, 3600 * 24 * 3, 3600 * 24 * 300];
    const second =
      index % 4 === 3 ? 1_000_000_000 : Date.now() / 1000 - 60 - (ages[index % 4] ?? 0);
    await utimes(full, second, second);
  }
}

/** Without the times of the moment, and the sizes, which rclone prints since 1.70 or so. */
export const withoutTimes = (rules: string) =>
  rules.replace(/(?<=than: ).*/g, '').replace(/^(?:Min|Max)imum size is: .*\n/gm, '');

/** What our filter keeps, in a walk that does as `keepDir` says. */
export async function ourOutcome(root: string, args: readonly string[]): Promise<FilterOutcome> {
  try {
    const filter = await buildFilter(readArgs(args), (path) => readFile(path, 'utf8'), Date.now());
    const kept = await walk(filter, root, '');
    return { rules: withoutTimes(filter.describe()), kept: kept.sort() };
  } catch (thrown) {
    if (hasCode(thrown, 'usage')) return 'refused';
    throw thrown;
  }
}

async function walk(filter: Filter, root: string, at: string): Promise<string[]> {
  const entries = await readdir(join(root, at), { withFileTypes: true });
  if (entries.some((each) => each.isFile() && filter.markerFiles.includes(each.name))) return [];
  const found: string[] = [];
  for (const entry of entries) {
    const raw = join(at, entry.name);
    const path = toStandardPath(encoding, raw);
    if (entry.isDirectory()) {
      if (filter.keepDir(path)) found.push(...(await walk(filter, root, raw)));
    } else {
      const { size, mtimeMs } = await stat(join(root, raw));
      if (filter.keepFile({ path, size, modTime: modTimeFromMs(mtimeMs) })) found.push(path);
    }
  }
  return found;
}

/** The flags of a command line as options. */
function readArgs(args: readonly string[]): FilterOptions {
  const options: Record<string, unknown> = {};
  for (let i = 0; i < args.length; i++) {
    const key = (args[i] ?? '').slice(2);
    if (key === 'ignore-case') {
      options[key] = true;
      continue;
    }
    const value = args[++i] ?? '';
    if (key.endsWith('-age')) options[key] = value;
    else if (key.endsWith('-size')) options[key] = parseByteSize(value);
    else options[key] = [...((options[key] as string[] | undefined) ?? []), value];
  }
  return options;
}

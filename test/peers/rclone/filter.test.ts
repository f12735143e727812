import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasCode } from '../../../src/core/errors.ts';
import { modTimeFromMs } from '../../../src/core/mod-time.ts';
import { buildFilter, type FilterOptions } from '../../../src/filter/build-filter.ts';
import type { Filter } from '../../../src/filter/filter.ts';
import { parseByteSize } from '../../../src/go/byte-size.ts';
import { encodingOf, toStandardPath } from '../../../src/kit/name-encoding.ts';
import { hasRclone, isRcloneNow, runRclone } from '../../support/rclone.ts';
import { COMMAND_LINES, FILES, LIST_FILES, PATTERNS } from './filter-cases.ts';

/** How it ended: the rules and the files that were kept, or that the flags were refused. */
type Outcome = { readonly rules: string; readonly kept: readonly string[] } | 'refused';

let dir: string;
const tree = () => join(dir, 'tree');
const encoding = encodingOf(['Slash', 'Dot']);
const START = '--- start filters ---\n';
const END = '\n--- end filters ---\n';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-filter-'));
  for (const [name, text] of Object.entries(LIST_FILES)) await writeFile(join(dir, name), text);
  await writeFiles(tree(), FILES);
});

afterAll(() => rm(dir, { recursive: true, force: true }));

async function writeFiles(root: string, paths: readonly string[]): Promise<void> {
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

/** What rclone keeps of a tree. */
async function rcloneOutcome(root: string, args: readonly string[]): Promise<Outcome> {
  const command = ['lsf', '-R', '--files-only', '--dump', 'filters', root, ...args];
  const { code, stdout } = await runRclone(command, { cwd: dir });
  if (code !== 0) return 'refused';
  const [rules = '', files = ''] = stdout.toString().split(END);
  return { rules: withoutTimes(rules.replace(START, '')), kept: sortedLines(files) };
}

const sortedLines = (text: string) => text.split('\n').filter(Boolean).sort();
/** Without the times of the moment, and the sizes, which rclone prints since 1.70 or so. */
const withoutTimes = (rules: string) =>
  rules.replace(/(?<=than: ).*/g, '').replace(/^(?:Min|Max)imum size is: .*\n/gm, '');

/** What our filter keeps, in a walk that does as `keepDir` says. */
async function ourOutcome(root: string, args: readonly string[]): Promise<Outcome> {
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
    const key = (args[i] ?? '').slice(2).replace(/-(.)/g, (_, letter) => letter.toUpperCase());
    if (key === 'ignoreCase') {
      options[key] = true;
      continue;
    }
    const value = args[++i] ?? '';
    if (key.endsWith('Age')) options[key] = value;
    else if (key.endsWith('Size')) options[key] = parseByteSize(value);
    else options[key] = [...((options[key] as string[] | undefined) ?? []), value];
  }
  return options;
}

async function expectSame(args: readonly string[], root = tree()): Promise<Outcome> {
  const theirs = await rcloneOutcome(root, args);
  expect(await ourOutcome(root, args), args.join(' ')).toEqual(theirs);
  return theirs;
}

/** A file cannot be a directory as well: of two such paths the first one stays. */
function withoutClashes(paths: readonly string[]): string[] {
  const clash = (a: string, b: string) => `${a}/`.startsWith(`${b}/`) || b.startsWith(`${a}/`);
  return paths.filter((path, index) => !paths.slice(0, index).some((each) => clash(path, each)));
}

describe.skipIf(!hasRclone)('the filter beside rclone', () => {
  // An empty pattern includes everything in rclone 1.75, and nothing here.
  const patterns = PATTERNS.filter((pattern) => pattern !== '' || !isRcloneNow);
  test.each(patterns)('the pattern %s', async (pattern) => {
    await expectSame(['--include', pattern]);
    await expectSame(['--exclude', pattern, '--ignore-case']);
  });

  test.each(COMMAND_LINES.map((args) => [args.join(' '), args] as const))('%s', async (_, args) => {
    await expectSame(args.map((arg) => (arg.startsWith('@') ? join(dir, arg.slice(1)) : arg)));
  });

  test('the tables hold what is refused, what keeps nothing and what keeps some', async () => {
    const outcomes = await Promise.all(
      ['{{(?=a)}}', 'a/', '*.txt'].map((pattern) => expectSame(['--include', pattern])),
    );
    expect(outcomes.map((each) => (each === 'refused' ? each : each.kept.length > 0))).toEqual([
      'refused',
      false,
      true,
    ]);
  });

  test('patterns at random over trees at random', { timeout: 240_000 }, async () => {
    const pieces = [
      'a',
      'b',
      'dir',
      '*',
      '**',
      '?',
      '/',
      '.txt',
      '[ab]',
      '[^a]',
      '{a,b}',
      '{b,*}',
      '{{[ab]+}}',
    ];
    const rarer = [
      '{{(?i)A}}',
      '\\',
      '\\*',
      '{',
      '}',
      '[',
      ']',
      ',',
      '{{',
      '}}',
      '😀',
      'A',
      '{a/,b}',
      '.',
    ];
    const piece = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...pieces) },
      fc.constantFrom(...rarer),
    );
    const pattern = fc.array(piece, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
    const rule = fc.tuple(fc.constantFrom('+ ', '- '), pattern).map((parts) => parts.join(''));
    const rules = fc.oneof(
      fc
        .array(rule, { minLength: 1, maxLength: 4 })
        .map((all) => all.flatMap((each) => ['--filter', each])),
      fc
        .array(pattern, { minLength: 1, maxLength: 2 })
        .map((all) => all.flatMap((each) => ['--include', each])),
      fc.tuple(pattern, pattern).map(([a, b]) => ['--include', a, '--exclude', b, '--ignore-case']),
    );
    const name = fc.constantFrom(
      'a',
      'b',
      'A',
      'ab',
      'dir',
      'a.txt',
      'b.txt',
      '😀',
      'a*',
      '.a',
      '[a]',
    );
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
    let round = 0;
    await fc.assert(
      fc.asyncProperty(rules, fc.array(path, { maxLength: 25 }), async (args, paths) => {
        const root = join(dir, `random-${round++}`);
        await writeFiles(root, withoutClashes(paths));
        await expectSame(args, root);
        await rm(root, { recursive: true });
      }),
      { numRuns: 80 },
    );
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  FILTER_CASES,
  type FilterOutcome,
  inFolder,
  isOldRule,
  ourOutcome,
  recordable,
  withoutTimes,
  writeFiles,
  writeFilterTree,
} from '../../support/filter-world.ts';
import { hasRclone, isRcloneNow, runRclone } from '../../support/rclone.ts';
import { checkRecord } from '../../support/record.ts';

let dir: string;
const START = '--- start filters ---\n';
const END = '\n--- end filters ---\n';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-filter-'));
  await writeFilterTree(dir);
});

afterAll(() => rm(dir, { recursive: true, force: true }));

/** What rclone keeps of a tree. */
async function rcloneOutcome(root: string, args: readonly string[]): Promise<FilterOutcome> {
  const command = ['lsf', '-R', '--files-only', '--dump', 'filters', root, ...args];
  const { code, stdout } = await runRclone(command, { cwd: dir });
  if (code !== 0) return 'refused';
  const [rules = '', files = ''] = stdout.toString().split(END);
  const kept = files.split('\n').filter(Boolean).sort();
  return { rules: withoutTimes(rules.replace(START, '')), kept };
}

/** A file cannot be a directory as well: of two such paths the first one stays. */
function withoutClashes(paths: readonly string[]): string[] {
  const clash = (a: string, b: string) => `${a}/`.startsWith(`${b}/`) || b.startsWith(`${a}/`);
  return paths.filter((path, index) => !paths.slice(0, index).some((each) => clash(path, each)));
}

describe.skipIf(!hasRclone)('the filter beside rclone', () => {
  const check = checkRecord('filter', [...FILTER_CASES.keys()]);
  const cases = [...FILTER_CASES].filter(([, args]) => !isRcloneNow || !isOldRule(args));
  test.concurrent.each(cases)('rclone does as the record says: %s', async (name, args) => {
    check(name, recordable(await rcloneOutcome(join(dir, 'tree'), inFolder(args, dir))));
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
        expect(await ourOutcome(root, args), args.join(' ')).toEqual(
          await rcloneOutcome(root, args),
        );
        await rm(root, { recursive: true });
      }),
      { numRuns: 80 },
    );
  });
});

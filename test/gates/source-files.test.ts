import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findDocCommentFaults } from '../../scripts/checks/doc-comment-faults.ts';
import {
  findNameFaults,
  findSizeFaults,
  findTypeNameFaults,
  LONGEST_FILE,
} from '../../scripts/checks/file-faults.ts';
import { findRuleFaults } from '../../scripts/checks/rule-faults.ts';
import { readSourceFiles } from '../../scripts/checks/source-files.ts';

const files = await readSourceFiles(resolve(import.meta.dirname, '../..'));

/** A file of `lines` lines. */
const fileOf = (lines: number) => ({ path: 'src/a.ts', text: 'x\n'.repeat(lines) });

describe('lengths of files', () => {
  test('are within the limits', () => {
    expect(findSizeFaults(files)).toEqual([]);
  });

  test('planted faults are found', () => {
    expect(findSizeFaults([fileOf(LONGEST_FILE)])).toEqual([]);
    expect(findSizeFaults([fileOf(LONGEST_FILE + 1)])).toEqual([
      'src/a.ts has 501 lines, 500 are the most',
    ]);
  });
});

describe('names of files', () => {
  test('say what is in them', () => {
    expect(findNameFaults(files.map(({ path }) => path))).toEqual([]);
  });

  test.each([
    'utils.ts',
    's3-utils.ts',
    'helpers.ts',
    'types.ts',
    'file-manager.ts',
    'service.test.ts',
  ])('a planted fault is found: %s', (name) =>
    expect(findNameFaults([`src/core/${name}`])).toHaveLength(1),
  );

  test.each(['readFile.ts', 'Browser.tsx', 'read_file.ts'])(
    'a planted fault is found: %s',
    (name) => expect(findNameFaults([`src/core/${name}`])).toHaveLength(1),
  );

  test('a word that only contains a vague one is fine', () => {
    expect(findNameFaults(['src/hash-names.ts', 'src/mime-types.ts', 'src/a.test.ts'])).toEqual([]);
  });
});

describe('doc comments', () => {
  const source = files.filter(({ path }) => /^(src|scripts|components)\//.test(path));

  test('every exported class, and function with parameters, has one', () => {
    expect(source.length).toBeGreaterThan(10);
    expect(findDocCommentFaults(source)).toEqual([]);
  });

  test.each([
    'export function a(b: string) {}',
    'export async function* a(b: string) {}',
    'export function a(',
    'export abstract class a {}',
    'export class a {}',
  ])('a class or function without one is found: %s', (line) => {
    const faultsOf = (text: string) => findDocCommentFaults([{ path: 'src/a.ts', text }]);
    expect(faultsOf(`// a comment\n${line}\n`)).toEqual(['src/a.ts:2: a has no doc comment']);
    expect(faultsOf(`/** What it is. */\n\n${line}\n`)).toEqual([
      'src/a.ts:3: a has no doc comment',
    ]);
    expect(faultsOf(`/** What it is. */\n${line}\n`)).toEqual([]);
  });

  test.each([
    'export function a() {}',
    'export async function aCommand(invocation: CommandCall) {}',
    'export interface a {}',
    'export type a = string;',
    'export const a = 1;',
  ])('what says by itself what it is needs none: %s', (line) => {
    expect(findDocCommentFaults([{ path: 'src/a.ts', text: `${line}\n` }])).toEqual([]);
  });
});

test('exported types have names of their own; a planted fault is found', () => {
  const product = files.filter(({ path }) => /^(src|commands|components|installer)\//.test(path));
  expect(findTypeNameFaults(product)).toEqual([]);
  const planted = ['src/a.ts', 'src/b.ts'].map((path) => ({
    path,
    text: 'export type Same = 1;\n',
  }));
  expect(findTypeNameFaults(planted)).toEqual(['src/a.ts, src/b.ts: each exports Same']);
});

describe('rules of CONTRIBUTING.md', () => {
  test('are kept', () => {
    expect(findRuleFaults(files)).toEqual([]);
  });

  test.each([
    ['commands/a.ts', '  process.exit(1);'],
    ['src/shell/a.ts', '  process.exitCode = 1;'],
    ['src/engine/a.ts', 'export class Failure extends Error {}'],
    ['src/shell/a.ts', 'const own = Object.create(invocation);'],
    ['src/core/a.ts', "import { readFile } from 'node:fs/promises';"],
    ['src/shell/a.ts', '  const { HOME } = process.env;'],
    ['src/core/a.ts', "const text = await readFile('x');"],
    ['src/names/a.ts', "import 'x';\nregister(1);"],
    ['components/a.tsx', '  const place = { ...{ left, top }, size };'],
    ['commands/a/a.ts', 'export async function aCommand(invocation: Invocation<NoFlags>) {}'],
    ['commands/a/a.ts', '  await remote.delete([file], op);'],
    ['src/engine/a.ts', '  await deleteOne(dest, file, run.op);'],
    ['src/run/journey/a.ts', '  const done = can.purgeUnlisted?.(dir, op);'],
    ['commands/a/a.ts', '  const failures = await can.deleteKept?.(versions, op);'],
  ])('a planted fault is found: %s %j', (path, text) => {
    expect(findRuleFaults([{ path, text }])).toHaveLength(1);
  });

  test.each([
    ['src/main.ts', 'process.exitCode = 1;\nstart();'],
    ['src/shell/a.ts', 'const bare = Object.create(null);\nconst size = measure(1);'],
    ['scripts/a.ts', 'process.exit(1);'],
    ['src/engine/loss/a.ts', '  await deleteOne(dest, file, run.op);'],
    ['src/run/journal/a.ts', '  await inner.delete([file], op);'],
    ['commands/a/a.ts', '  if (remote.can.purge !== undefined) names.delete(path);'],
  ])('what is allowed is no fault: %s %j', (path, text) => {
    expect(findRuleFaults([{ path, text }])).toEqual([]);
  });
});

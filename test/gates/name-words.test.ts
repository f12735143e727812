import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtempDisposable, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { findForbiddenNames, findNameWordFaults } from '../../scripts/checks/name-word-faults.ts';
import { OLD_NAMES, parseOldNames } from '../../scripts/checks/old-names.ts';
import { readSourceFiles } from '../../scripts/checks/source-files.ts';

const root = resolve(import.meta.dirname, '../..');

test('names have no word that docs/style.md forbids, but the old ones', async () => {
  const old = parseOldNames(await readFile(join(root, OLD_NAMES), 'utf8'));
  expect(old.size).toBeGreaterThan(10);
  expect(findNameWordFaults(findForbiddenNames(await readSourceFiles(root)), old)).toEqual([]);
});

const namesIn = (path: string, text: string) =>
  findForbiddenNames([{ path, text }]).map(({ name }) => name);

test.each([
  ['export interface HttpAnswer {}', 'HttpAnswer'],
  ['type HashAnswer = 1;', 'HashAnswer'],
  ['export class Answers<T> {', 'Answers'],
  ['export async function readAnswer(', 'readAnswer'],
  ['  const answer = await read();', 'answer'],
  ['for (const answer of list) {', 'answer'],
  ['  await using folder = await open();', 'folder'],
  ['const MOST_ANSWERS = 3;', 'MOST_ANSWERS'],
  ['interface A {\n  readonly folder: string;\n}', 'folder'],
  ['interface A {\n  told?: string;\n}', 'told'],
  ['  list(): { readonly kept: { a: 1 } };', 'kept'],
  ['interface A {\n  tell(text: string): void;\n}', 'tell'],
  ['interface A {\n  readonly b: {\n    tell(text: string): void;\n  };\n}', 'tell'],
  ['export class A {\n  #kept = false;\n}', 'kept'],
  ['export class A {\n  nameAnew() {\n  }\n}', 'nameAnew'],
  ['function a(b: string, answer: string) {', 'answer'],
  ['function a(\n  tell: (text: string) => void,\n) {', 'tell'],
  ['function a(isKept = false) {', 'isKept'],
  ['list.map((a, told) => a);', 'told'],
  ['const all = (...answers: string[]) => answers;', 'answers'],
  ['const { a: kept } = b;', 'kept'],
  ['const { a, ...kept } = b;', 'kept'],
  ['const [a, told] = b;', 'told'],
  ['} catch (answer) {', 'answer'],
  ["import { a as folder } from './a.ts';", 'folder'],
  ['function asNobody() {', 'asNobody'],
  ['const takeBack = () => undo();', 'takeBack'],
])('a forbidden word in a declared name is found: %j', (text, name) => {
  expect(namesIn('src/core/a.ts', text)).toEqual([name]);
});

test.each([
  ["import { answer, type HttpAnswer } from './a.ts';"],
  ['const { answer, folder } = read();'],
  ['const a = { kept: 1, told, folder: path };'],
  ['send({ answer: RESPONSE, tell: (text) => show(text) });'],
  ['a.kept = b.told ? c.folder : answer(d);'],
  ['answer(a, kept);'],
  ['function a() {\n  told = read();\n}'],
  ["const a = 'const folder = 1';"],
  ['/** const folder = 1 */'],
  ['const a = 1; // const folder = 1'],
  ['const holder = placeholder(older, stellar);'],
])('a name that is only used is left alone: %j', (text) => {
  expect(namesIn('src/core/a.ts', text)).toEqual([]);
});

test.each([
  ['src/a/http-answer.ts', 'http-answer.ts'],
  ['test/unit/told-at.test.ts', 'told-at.test.ts'],
])('a forbidden word in the name of a file is found: %s', (path, name) => {
  expect(namesIn(path, '')).toEqual([name]);
});

test.each([
  ['src/core/a.ts', 'export interface TokenPlace {', 'export interface TokenLocation {'],
  ['src/core/a.ts', 'export interface WalkPlan {', 'export interface UndoPlan {'],
  ['src/terminal/a.ts', 'interface A {\n  readonly run: () => void;', 'const run: Run = start();'],
  ['components/a.ts', 'interface A {\n  run(): void;', 'interface A {\n  readonly runId: string;'],
  ['commands/a.ts', 'function run(', 'function runBisync('],
  ['src/engine/a.ts', 'function runBatch(', 'function runsOf(run: Run) {'],
  ['src/vfs/a.ts', 'export function holdLease(', 'export function holderOf('],
  ['src/vfs/a.ts', 'export class HeldRange {', 'export class Holder {'],
  ['src/serve/a.ts', 'function holdsMarker(', 'function putObjectLegalHold('],
  ['src/vfs/a.ts', 'function makeDir(', 'function makeRoom('],
  ['src/vfs/a.ts', 'const removeAll = () => {};', 'const removed = deleteAll();'],
  ['src/core/a.ts', 'interface A {\n  readonly at: number;', 'function a(at: number) {'],
  ['src/core/a.ts', 'interface A {\n  readonly own: A;', 'const own = 1;'],
  ['src/core/a.ts', 'const folder = 1;', 'const directory = 1;'],
])('in %s a wrong use of a word is found, a right one is not: %j %j', (path, wrong, right) => {
  expect(namesIn(path, wrong)).toHaveLength(1);
  expect(namesIn(path, right)).toEqual([]);
});

test('only the product must use run, place, plan, hold, own, at, make and remove in one meaning', () => {
  const text =
    'interface TestPlace {\n  readonly at: number;\n  run(): void;\n}\nfunction makeDir(';
  expect(namesIn('src/core/a.ts', text)).toEqual(['TestPlace', 'at', 'run', 'makeDir']);
  expect(namesIn('test/support/a.ts', text)).toEqual([]);
});

test('a name that the interface of another program gives is left alone', () => {
  const text = 'interface GraphItem {\n  readonly folder?: object;\n}';
  expect(namesIn('src/backends/drive/items/graph-item.ts', text)).toEqual([]);
  expect(namesIn('src/backends/s3/a.ts', text)).toEqual(['folder']);
});

test.each([
  ["test('what is missing is told', () => {", 'what is missing is told'],
  ["  test.each(['told'])('%s begins anew', (a) => {", '%s begins anew'],
  [
    'describe("a file that somebody else\'s run wrote", () => {',
    "a file that somebody else's run wrote",
  ],
  ["])('a folder: %s', (a) => {", 'a folder: %s'],
  ["test.each([1])(\n  'answers a request: %s',\n  (a) => {", 'answers a request: %s'],
])('a forbidden word in the title of a test is found: %j', (text, title) => {
  expect(namesIn('test/a.test.ts', text)).toEqual([title]);
});

test.each([
  ["test('the old version is kept', () => {"],
  ["  fail('it was told');"],
  ["  ['told', 1],"],
  ["f(\n  'told',\n);"],
])('a text that is no title, or has no such word, is left alone: %j', (text) => {
  expect(namesIn('test/a.test.ts', text)).toEqual([]);
});

describe('old names', () => {
  const faultsOf = (path: string, text: string, old: string) =>
    findNameWordFaults(findForbiddenNames([{ path, text }]), parseOldNames(old));
  const old = 'src/core/a.ts\n  answer\n';

  test('an old name is no fault in its file, but in another one, and a new name is a fault', () => {
    expect(faultsOf('src/core/a.ts', 'const answer = 1;', old)).toEqual([]);
    expect(faultsOf('src/core/a.ts', 'const answer = 1;\nconst told = 1;', old)).toEqual([
      expect.stringMatching(/^src\/core\/a\.ts:2: "told": write given/),
    ]);
    expect(faultsOf('src/core/b.ts', 'const answer = 1;', old)).toEqual([
      expect.stringMatching(/^src\/core\/b\.ts:1: "answer": write response/),
      expect.stringContaining('"answer" is not in src/core/a.ts'),
    ]);
  });

  test('that their file no longer declares are faults', () => {
    expect(faultsOf('src/core/a.ts', 'use(answer);', old)).toEqual([
      expect.stringMatching(/^scripts\/checks\/old-names\.txt: "answer" .* --record-old-names/),
    ]);
  });

  test('become fewer by --record-old-names, move by --moved, and never become more', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'syncer-old-names-'));
    const at = (path: string) => join(directory.path, path);
    await mkdir(at('scripts'));
    await mkdir(at('test/a'), { recursive: true });
    await cp(join(root, 'scripts/check-source.ts'), at('scripts/check-source.ts'));
    await cp(join(root, 'scripts/checks'), at('scripts/checks'), { recursive: true });
    for (const page of ['README', 'CONTRIBUTING', 'CHANGELOG'])
      await writeFile(at(`${page}.md`), '');
    await writeFile(at('test/a/old-answer.ts'), 'const answer = 1;\nconst folder = 1;\n');
    const check = async (...words: string[]) => {
      const script = [at('scripts/check-source.ts'), ...words];
      const run = promisify(execFile)(process.execPath, script);
      const { stderr } = await run.catch((error: { stderr: string }) => error);
      return stderr.split('\n').filter((line) => line.includes('test/'));
    };
    const names = async () => parseOldNames(await readFile(at(OLD_NAMES), 'utf8'));
    const recorded = ['old-answer.ts', 'folder', 'answer', 'told'];
    await writeFile(
      at(OLD_NAMES),
      `test/a/old-answer.ts\n${recorded.map((a) => `  ${a}\n`).join('')}`,
    );

    expect(await check()).toEqual([expect.stringContaining('"told" is not in test/a')]);
    expect(await check('--record-old-names')).toEqual([]);
    expect([...(await names())]).toEqual([
      ['test/a/old-answer.ts', new Set(['answer', 'folder', 'old-answer.ts'])],
    ]);

    await rename(at('test/a'), at('test/b'));
    expect(await check('--moved', 'test/a', 'test/c')).toEqual([
      expect.stringContaining('there is no source file test/c'),
    ]);
    expect(await check('--moved', 'test/a', 'test/b')).toEqual([]);
    await rename(at('test/b/old-answer.ts'), at('test/b/response.ts'));
    await writeFile(at('test/b/response.ts'), 'const answer = 1;\nconst told = 1;\n');
    expect(await check('--moved', 'test/b/old-answer.ts', 'test/b/response.ts')).toEqual([
      expect.stringMatching(/^test\/b\/response\.ts:2: "told"/),
    ]);
    expect([...(await names())]).toEqual([['test/b/response.ts', new Set(['answer'])]]);
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { installFakeRclone } from '../support/fake-rclone.ts';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { someOf } from '../support/in-part.ts';
import { ENDING, liesAbout, SIZELESS } from '../support/rclone-lies.ts';
import { runInProcess } from '../support/run-in-process.ts';

/** A command that reads or changes a remote through rclone, whose files are those of `far`. */
interface Scenario {
  /** `@` stands for the directory of the test. */
  readonly line: string;
  readonly before: Tree;
  readonly input?: string;
  /** What is lied about. */
  readonly lies: readonly string[];
  /** What must stay where it is, whatever is lied; default: everything. */
  readonly stays?: readonly string[];
  /** Files that the command replaces or deletes, so that their content may go. */
  readonly goes?: readonly string[];
}

/** Listings that say nothing of the directory. */
const LISTS = [
  'a page of HTML',
  'half of the JSON',
  'an error with status 200',
  'a page of HTML with status 404',
  'no list',
  'null as the list',
  'an entry without Path',
  'an entry with Size -2',
  'an entry elsewhere',
  'an entry twice',
].map((what) => `operations/list: ${what}`);
const NAMES = 'operations/list: the directory above';

const FAR = { 'far/a': 'file a', 'far/dir/b': 'file b' };
const EXTRA = { 'dst/extra': 'extra', 'dst/dir/other': 'other' };
const SAME = { 'dst/a': 'file a', 'dst/dir/b': 'file b' };
const MANY = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`src/d/f${i}`, `file ${i}`]));
const OLD: Tree = { 'far/data/f': ['old', 900_000_000], 'far/data/g': ['gone', 900_000_000] };
const COPIES = liesAbout('operations/copyfile');
const MOVES = liesAbout('operations/movefile');

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'sync to the disk': {
    line: 'sync far: @dst',
    before: { ...FAR, ...EXTRA },
    lies: [NAMES, ...LISTS],
  },
  'copy to the disk': { line: 'copy far: @dst', before: { ...FAR, ...EXTRA }, lies: LISTS },
  'copy of an empty file': {
    line: 'copy far: @dst',
    before: { ...FAR, 'far/empty': '' },
    lies: COPIES,
  },
  'move to the disk': { line: 'move far: @dst', before: { ...FAR, ...EXTRA }, lies: LISTS },
  'sync to the remote': {
    line: 'sync @src far:',
    before: { ...FAR, 'src/a': 'new a' },
    lies: [NAMES, ...LISTS],
    stays: ['src/a', 'far/dir/b'],
    goes: ['far/a'],
  },
  check: { line: 'check far: @dst', before: { ...FAR, ...SAME }, lies: LISTS },
  'first bisync': { line: 'bisync far: @dst', before: { ...FAR, ...SAME }, lies: LISTS },
  delete: { line: 'delete far:', before: FAR, lies: LISTS },
  list: { line: 'lsf -R far:', before: FAR, lies: LISTS },
  purge: {
    line: 'purge far:dir',
    before: FAR,
    lies: liesAbout('operations/purge'),
    goes: ['far/dir/b'],
    stays: ['far/a'],
  },
  deletefile: {
    line: 'deletefile far:a',
    before: FAR,
    lies: liesAbout('operations/deletefile'),
    goes: ['far/a'],
    stays: ['far/dir/b'],
  },
  'move to the remote': {
    line: 'move @src far:to',
    before: {
      ...FAR,
      'src/a': 'file',
      'src/d/b': 'file',
      'src/d/c': 'file',
      'far/to/a': ['elif', 900_000_000],
    },
    lies: [...LISTS, ...liesAbout('operations/stat').slice(0, 3), ...COPIES],
    stays: ['src/a', 'src/d/b', 'src/d/c', ...Object.keys(FAR)],
    goes: ['far/to/a'],
  },
  'move of many files to the remote': {
    line: 'move @src far:',
    before: { ...FAR, ...MANY },
    lies: liesAbout('job/batch'),
    stays: Object.keys(FAR),
  },
  'move of one file to the remote': {
    line: 'moveto @src/a far:b',
    before: { ...FAR, 'src/a': 'file' },
    lies: COPIES,
  },
  'move over a file of the same size': {
    line: 'move @src far:',
    before: { 'far/a': ['old a', 900_000_000], 'src/a': 'new a' },
    lies: ['operations/copyfile: done, and it was not'],
  },
  'copy from the remote': {
    line: 'move far: @dst',
    before: FAR,
    lies: COPIES,
    stays: Object.keys(FAR),
  },
  rcat: { line: 'rcat far:new', input: 'content', before: FAR, lies: COPIES },
  'move within the remote': {
    line: 'moveto far:a far:c',
    before: FAR,
    lies: MOVES,
    stays: ['far/dir/b'],
  },
  'move of a directory within the remote': {
    line: 'moveto far:dir far:to',
    before: FAR,
    // One that was not made is made file by file.
    lies: liesAbout('sync/move').slice(0, -1),
    stays: ['far/a'],
  },
  'sync with backups': {
    line: 'sync @src far:data --backup-dir far:old',
    before: { ...OLD, 'src/f': 'new' },
    lies: MOVES,
    stays: ['src/f'],
  },
};

let base: string;
let fake: string;
let count = 0;
const at = (path: string) => join(base, `${count}`, path);

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'syncer-test-'));
  fake = await installFakeRclone(base);
});

afterAll(() => rm(base, { recursive: true }));

beforeEach(async () => {
  count++;
  for (const dir of ['far', 'src', 'dst']) await writeTree(at(dir), {});
  await writeFile(at('conf'), `[far]\ntype = sftp\nroot = ${at('far')}\n`);
});

async function run(line: string, input = '') {
  const words = line.split(' ').map((word) => word.replace('@', `${at('')}/`));
  const program = `--rclone-program=${join(fake, 'rclone')}`;
  const all = [...words, program, '--retries=1', '--low-level-retries=1'];
  return runInProcess(
    all,
    { SYNCER_CONFIG: at('conf'), HOME: at('home'), TMPDIR: tmpdir() },
    { input },
  );
}

/** The lines of the log, which all begin with a time. */
const lineStart = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /;

test.each(someOf(Object.entries(SCENARIOS), 6))(
  '%s through an rclone that lies fails, and nothing is lost',
  async (_name, { line, before, input, lies, stays = Object.keys(before), goes = [] }) => {
    for (const lie of someOf(lies, 1)) {
      for (const dir of ['far', 'src', 'dst']) {
        await rm(at(dir), { recursive: true });
        await writeTree(at(dir), {});
      }
      await writeTree(at(''), before);
      await writeFile(join(fake, 'lie'), lie);
      const { code, stderr } = await run(line, input);
      await writeFile(join(fake, 'lie'), '');
      const after = (await readTree(at(''))) ?? {};
      expect(code, `${lie}: ${stderr}`).not.toBe(0);
      for (const path of stays) {
        const file = before[path] ?? '';
        const [content, second] = typeof file === 'string' ? [file, 1_000_000_000] : file;
        expect(after[path], `${lie}: ${path}`).toBe(`${content}@${second}`);
      }
      const left = Object.values(after).map((one) => one.split('@')[0]);
      for (const [path, file] of Object.entries(before)) {
        if (goes.includes(path)) continue;
        const content = typeof file === 'string' ? file : file[0];
        expect(left, `${lie}: the content of ${path} is lost`).toContain(content);
      }
      const said = stderr.trimEnd().split('\n');
      expect(
        said.filter((one) => !lineStart.test(one)),
        lie,
      ).toEqual([]);
      expect(stderr, lie).not.toContain('TypeError');
    }
  },
);

test('the same commands succeed through an rclone that does not lie', async () => {
  for (const [name, { line, before, input }] of someOf(Object.entries(SCENARIOS), 6)) {
    for (const dir of ['far', 'src', 'dst', 'home'])
      await rm(at(dir), { recursive: true, force: true });
    for (const dir of ['far', 'src', 'dst']) await writeTree(at(dir), {});
    await writeTree(at(''), before);
    const { code, stderr } = await run(line, input);
    expect(code, `${name}: ${stderr}`).toBe(0);
  }
});

test('a listing is asked for again when rclone ends before it responds, and -v says so', async () => {
  await writeTree(at(''), FAR);
  await writeFile(join(fake, 'lie'), ENDING);
  const { code, stderr, stdout } = await run('lsf far: -v');
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'a\ndir/\n' });
  expect(stderr).toMatch(/ INFO {2}: rclone operations\/list: Succeeded on attempt 2 of 4\n/);
});

test('a rename by --track-renames that rclone has not made is a copy and a deletion', async () => {
  await writeTree(at(''), { 'far/data/old': 'file', 'src/new': 'file' });
  await writeFile(join(fake, 'lie'), 'operations/movefile: done, and it was not');
  const { code, stderr } = await run('sync @src far:data --track-renames');
  await writeFile(join(fake, 'lie'), '');
  expect(code, stderr).toBe(0);
  expect(await readTree(at('far'))).toEqual({ 'data/': '', 'data/new': 'file@1000000000' });
});

test('a move through rclone ends at --max-delete, though its deletions wait to the end', async () => {
  const files = ['a', 'b', 'c', 'd/e', 'd/f'];
  await writeTree(at('src'), Object.fromEntries(files.map((path) => [path, path])));
  const { code, stderr } = await run('move @src far: --max-delete 2 --transfers 2');
  expect({ code, stderr }).toMatchObject({ code: 7 });
  const left = Object.keys((await readTree(at('src'))) ?? {}).filter((path) =>
    files.includes(path),
  );
  const there = Object.keys((await readTree(at('far'))) ?? {});
  expect(left.length).toBeGreaterThanOrEqual(3);
  expect(files.filter((path) => !left.includes(path) && !there.includes(path))).toEqual([]);
});

const OWN = { 'src/own': 'own', 'far/own': 'own' };
const NEW = { ...OWN, 'src/a': 'file a', 'src/d/b': 'file b', 'src/d/c': 'file c' };

test.each([
  ['new files', NEW, 'bisync @src far: --resync'],
  ['a file changed on one side', { ...NEW, 'src/own': ['new', 900_000_000] }, 'bisync @src far:'],
  [
    'the loser of a conflict',
    { ...NEW, 'src/own': ['new', 1_100_000_000] },
    'bisync @src far: --resync --conflict-resolve newer --conflict-loser delete',
  ],
] satisfies [string, Tree, string][])(
  'bisync does not note copies that rclone has not made, and deletes no source of them: %s',
  async (_name, before, line) => {
    if (!line.includes('--resync')) {
      await writeTree(at(''), OWN);
      expect((await run('bisync @src far: --resync')).code).toBe(0);
    }
    await writeTree(at(''), before);
    await writeFile(join(fake, 'lie'), 'operations/copyfile: done, and it was not');
    const first = await run(line);
    await writeFile(join(fake, 'lie'), '');
    expect(first.code, first.stderr).toBe(1);
    const notShown = 'the copy was reported as done, and the destination does not show it';
    expect(first.stderr).toContain(`a: Failed to copy: a: ${notShown}`);
    expect(first.stderr).toContain(`d/b: Failed to copy: ${notShown}`);
    const { code, stderr } = await run(line.replace(' --resync', ''));
    expect(code, stderr).toBe(0);
    const after = {
      a: 'file a@1000000000',
      'd/b': 'file b@1000000000',
      'd/c': 'file c@1000000000',
    };
    expect(await readTree(at('src'))).toMatchObject(after);
    expect(await readTree(at('far'))).toEqual(await readTree(at('src')));
    const own = before['src/own'] ?? '';
    const [content, second] = typeof own === 'string' ? [own, 1_000_000_000] : own;
    expect((await readTree(at('far')))?.['own']).toBe(`${content}@${second}`);
  },
);

const DOWNLOADS = ['copy far: @dst', 'move far: @dst', 'moveto far:a @dst/a', 'sync far: @dst'];

test.each(someOf(DOWNLOADS, 2))(
  'a file that a service lists without its size is not taken for an empty one: %s',
  async (line) => {
    await writeTree(at(''), FAR);
    await writeFile(join(fake, 'lie'), SIZELESS);
    const { code } = await run(line);
    await writeFile(join(fake, 'lie'), '');
    expect(code).not.toBe(0);
    expect(await readTree(at('far'))).toMatchObject({
      a: 'file a@1000000000',
      'dir/b': 'file b@1000000000',
    });
    expect(Object.values((await readTree(at('dst'))) ?? {}).filter((file) => file !== '')).toEqual(
      [],
    );
  },
);

test('a move deletes no file that is listed as empty for an empty one at the destination', async () => {
  await writeTree(at(''), { 'far/a': 'file a', 'dst/a': '' });
  await writeFile(join(fake, 'lie'), SIZELESS);
  const { code } = await run('move far: @dst');
  await writeFile(join(fake, 'lie'), '');
  expect(code).not.toBe(0);
  expect(await readTree(at('far'))).toEqual({ a: 'file a@1000000000' });
});

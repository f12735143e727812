import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { section } from '../support/s3-world.ts';

/** A server with two buckets, `one` and `two`, and a directory to sync to its root. */
const STORE: Tree = { 'one/f': 'x', 'one/d/g': 'x', 'two/f': 'x' };

let folder: string;
let s3: TestS3;

beforeEach(async () => {
  [folder, s3] = await Promise.all([mkdtemp(join(tmpdir(), 'buckets-')), startTestS3()]);
  await writeTree(s3.root, STORE);
  await writeTree(folder, { 'docs/new/b': 'new' });
  const sections = section(s3, 's') + section(s3, 'm', { directory_markers: 'true' });
  await writeFile(join(folder, 'syncer.conf'), sections);
});
afterEach(async () => {
  await Promise.all([s3.stop(), rm(folder, { recursive: true })]);
});

const syncer = (line: string) =>
  runInProcess(
    line.split(' ').map((word) => word.replace('@', `${folder}/`)),
    envOf(),
  );

/** The files of the buckets, and the buckets without any. */
async function stored(): Promise<string[]> {
  const paths = Object.keys((await readTree(s3.root)) ?? {}).filter(
    (path) => !path.includes('.syncer-s3'),
  );
  const hasFile = (dir: string) => paths.some((path) => path.startsWith(dir) && path !== dir);
  return paths.filter((path) => !path.endsWith('/') || !hasFile(path)).sort();
}

const BEFORE = ['one/d/g', 'one/f', 'two/f'];

describe('without a terminal', () => {
  test.each(['', ' --delete-before', ' --delete-during', ' --fast-list', ' --track-renames'])(
    'a sync to the root empties no bucket that the source has no file of%s',
    async (mode) => {
      const run = await syncer(`sync @docs s:${mode}`);
      expect(run.code).toBe(21);
      expect(run.stderr).toContain('all files of 2 buckets: one, two; they were left as they are');
      expect(await stored()).toEqual(expect.arrayContaining(BEFORE));
      const [, command = ''] = /run: syncer (.*)/.exec(run.stderr) ?? [];
      expect(command).toContain('--allow-bucket-deletes one,two');
      expect((await runInProcess(command.split(' '), envOf())).code).toBe(0);
      expect(await stored()).toEqual(['new/b', 'one/', 'two/']);
    },
  );

  test('of the buckets in the source, files are deleted as ever', async () => {
    await writeTree(join(folder, 'docs'), { 'one/f': 'x', 'two/other': 'x' });
    expect((await syncer('sync @docs s:')).code).toBe(0);
    expect(await stored()).toEqual(['new/b', 'one/f', 'two/other']);
  });

  test('an empty directory of the name of a bucket is none of its files', async () => {
    await writeTree(join(folder, 'docs'), { 'one/': '' });
    expect((await syncer('sync @docs s:')).code).toBe(21);
    expect(await stored()).toEqual(expect.arrayContaining(BEFORE));
  });

  test('the flag is about the buckets that it names, or about all', async () => {
    const other = await syncer('sync @docs s: --allow-bucket-deletes one');
    expect(other.code).toBe(21);
    expect(other.stderr).toContain('all files of 1 bucket: two;');
    expect(other.stderr).toContain('--allow-bucket-deletes one,two');
    expect(await stored()).toEqual(expect.arrayContaining(BEFORE));
    expect((await syncer('sync @docs s: --allow-bucket-deletes *')).code).toBe(0);
    expect(await stored()).toEqual(['new/b', 'one/', 'two/']);
  });

  test('--dry-run and a review say so; a saved plan needs the flag', async () => {
    for (const more of ['--dry-run', '--review', '--save @plan']) {
      const run = await syncer(`sync @docs s: ${more}`);
      expect(run.code).toBe(0);
      expect(run.stderr).toContain('all files of 2 buckets: one, two');
      expect(run.stderr).toContain('needs --allow-bucket-deletes one,two');
    }
    expect((await syncer('apply @plan')).code).toBe(21);
    expect(await stored()).toEqual(expect.arrayContaining(BEFORE));
    await syncer('sync @docs s: --save @plan');
    expect((await syncer('apply @plan --allow-bucket-deletes one,two')).code).toBe(0);
    expect(await stored()).toEqual(['new/b', 'one/', 'two/']);
  });

  test('with directory markers, extra buckets are not deleted either', async () => {
    await writeTree(s3.root, { 'three/': '' });
    expect((await syncer('sync @docs m: --allow-bucket-deletes one,two')).code).toBe(21);
    expect(await stored()).toContain('three/');
    expect((await syncer('sync @docs m: --allow-bucket-deletes one,two,three')).code).toBe(0);
    expect(await stored()).toEqual(['new/b']);
  });

  test('delete without a filter empties no bucket, with one what the filter chooses', async () => {
    for (const more of ['', ' --rmdirs']) {
      const run = await syncer(`delete s:${more}`);
      expect([run.code, await stored()]).toEqual([21, BEFORE]);
      expect(run.stderr).toContain('all files of 2 buckets: one, two');
    }
    expect((await syncer('delete s: --include g')).code).toBe(0);
    expect(await stored()).toEqual(['one/f', 'two/f']);
    expect((await syncer('delete s: --rmdirs --allow-bucket-deletes one,two')).code).toBe(0);
    expect(await stored()).toEqual([]);
  });

  test('move deletes no empty bucket, and rmdirs those that are empty, as its name says', async () => {
    await writeTree(s3.root, { 'three/': '' });
    const move = await syncer('move s: @moved --delete-empty-src-dirs');
    expect([move.code, await stored()]).toEqual([21, ['one/', 'three/', 'two/']]);
    expect(move.stderr).toContain('this would delete 3 buckets: one, three, two');
    expect((await syncer('rmdirs s:')).code).toBe(0);
    expect(await stored()).toEqual([]);
  });

  test('bisync deletes no file of a bucket that one side has lost', async () => {
    expect((await syncer('bisync @docs s: --resync')).code).toBe(0);
    await syncer('delete @docs/two --rmdirs');
    const run = await syncer('bisync @docs s: --force');
    expect(run.code).toBe(21);
    expect(run.stderr).toContain('all files of 1 bucket: two;');
    expect(await stored()).toContain('two/f');
    expect((await syncer('bisync @docs s: --force --allow-bucket-deletes two')).code).toBe(0);
    expect(await stored()).not.toContain('two/f');
  });
});

function envOf(): NodeJS.ProcessEnv {
  return { HOME: folder, SYNCER_CONFIG: join(folder, 'syncer.conf') };
}

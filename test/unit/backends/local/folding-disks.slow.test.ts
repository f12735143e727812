import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestS3 } from '../../../servers/test-s3.ts';
import { foldsNames } from '../../../support/folding-disk.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { section } from '../../../support/s3-world.ts';

let base = '';
let usb = '';
const ends: (() => void)[] = [];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'syncer-folds-'));
  usb = join(base, 'usb');
  mkdirSync(usb);
});

afterEach(() => {
  for (const end of ends.splice(0)) end();
  rmSync(base, { recursive: true });
});

function plant(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
}

/** The files below a folder, with their contents. */
function filesIn(dir: string): Record<string, string> {
  const found = readdirSync(join(base, dir), { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const start = join(base, dir).length + 1;
  return Object.fromEntries(files.map((path) => [path.slice(start), readFileSync(path, 'utf8')]));
}

/** Runs a line in which `@` stands for the folder of the test. */
async function syncer(line: string) {
  const env = { HOME: join(base, 'home'), PATH: process.env['PATH'] };
  const words = line.split(' ').map((word) => word.replace('@', `${base}/`));
  return runInProcess([...words, '--retries=1'], env);
}

describe.each(['one', 'apart'] as const)(
  'a disk that ignores case, inode numbers: %s',
  (inodes) => {
    beforeEach(() => void ends.push(foldsNames(usb, inodes)));

    test('directories of a bucket that are one there lose nothing in a further attempt', async () => {
      const s3 = await startTestS3();
      const config = join(base, 'syncer.conf');
      writeFileSync(config, section(s3, 's'));
      const env = { HOME: join(base, 'home'), PATH: process.env['PATH'], SYNCER_CONFIG: config };
      const store = join(s3.root, 'bucket');
      for (const dir of ['d', 'D', 'a/x', 'a/X']) {
        mkdirSync(join(store, dir), { recursive: true });
        writeFileSync(join(store, dir, 'even'), dir);
      }
      const words = ['move', 's:bucket', join(usb, 't'), '--retries-sleep=1ms'];
      const { code } = await runInProcess(words, env);
      const kept = ['d', 'D', 'a/x', 'a/X'].filter((dir) => existsSync(join(store, dir, 'even')));
      await s3.stop();
      expect(code).toBe(1);
      expect([...kept, ...Object.values(filesIn('usb/t'))].sort()).toEqual([
        'D',
        'a/X',
        'a/x',
        'd',
      ]);
    });

    test.each(['usb', 'usb/t'])(
      'a move leaves the second of two names at the source: to %s',
      async (to) => {
        plant({ 'src/even': '1', 'src/EVEN': '2', 'src/x': '3', 'src/D/a': '4', 'src/d/a': '5' });
        const { code, stderr } = await syncer(`move @src @${to}`);
        expect(stderr).toContain(
          '"even" is skipped: at the destination it is the same file as "EVEN"',
        );
        expect(code).toBe(1);
        expect(filesIn('src')).toEqual({ even: '1', 'd/a': '5' });
        expect(filesIn(to)).toEqual({ EVEN: '2', x: '3', 'D/a': '4' });
      },
    );

    test.each([
      'move @src @usb/t',
      'move @src @usb/t --no-traverse',
      'move @src @usb/t --files-from @list',
      'move @src @usb/t --update',
      'move @src/even @usb/t',
      'moveto @src/even @usb/t/even',
    ])('a later move does not replace what the first one stored: %s', async (line) => {
      plant({ 'src/even': '1', 'src/EVEN': '22', 'src/D/a': '3', 'src/d/a': '44', list: 'even\n' });
      await syncer('move @src @usb/t');
      utimesSync(join(base, 'usb/t/EVEN'), 2_000_000_000, 2_000_000_000);
      const { code, stderr } = await syncer(line);
      expect(stderr).toContain(
        '"even" is not moved: at the destination it is the same file as "EVEN", which differs in case or Unicode form, and in content',
      );
      expect(code).toBe(1);
      expect(filesIn('usb/t')).toMatchObject({ EVEN: '22', 'D/a': '3' });
      expect(filesIn('src')).toMatchObject({ even: '1', 'd/a': '44' });
    });

    test('a later move compares contents where sizes and times are equal', async () => {
      plant({ 'src/even': '1', 'src/x/y': '3', 'usb/t/EVEN': '2', 'usb/t/X/y': '3' });
      for (const path of ['src/even', 'src/x/y', 'usb/t/EVEN', 'usb/t/X/y'])
        utimesSync(join(base, path), 1_500_000_000, 1_500_000_000);
      const { code } = await syncer('move @src @usb/t');
      expect(code).toBe(1);
      expect(filesIn('src')).toEqual({ even: '1' });
      expect(filesIn('usb/t')).toEqual({ EVEN: '2', 'X/y': '3' });
    });

    test.each([
      ['move @src @usb/t --backup-dir=@usb/old', { 't/EVEN': '1', 'old/EVEN': '22' }],
      ['sync @src @usb/t --backup-dir=@usb/old', { 't/EVEN': '1', 'old/EVEN': '22' }],
      ['copy @src @usb/t', { 't/EVEN': '1' }],
      ['sync @src @usb/t', { 't/EVEN': '1' }],
      ['moveto @src/even @usb/t/EVEN', { 't/EVEN': '1' }],
    ])(
      'another spelling is replaced where nothing is lost, or the user says so: %s',
      async (line, left) => {
        plant({ 'src/even': '1', 'usb/t/EVEN': '22' });
        const { code } = await syncer(line);
        expect(code).toBe(0);
        expect(filesIn('usb')).toEqual(left);
      },
    );

    test.each([
      'move @src @usb/t --trash',
      'move @src @usb/t --trash --files-from @list',
      'move @src/even @usb/t --trash',
      'moveto @src/even @usb/t/even --trash',
    ])('another spelling is replaced if the trash keeps it: %s', async (line) => {
      plant({ 'src/even': '1', 'usb/t/EVEN': '22', list: 'even\n' });
      const { code, stderr } = await syncer(line);
      expect(code, stderr).toBe(0);
      expect(filesIn('src')).toEqual({});
      expect(Object.values(filesIn('usb/t')).sort()).toEqual(['1', '22']);
      const [last = ''] = (await syncer('history --json')).stdout.split('\n');
      const undone = await syncer(`undo ${JSON.parse(last).id} --trash=false`);
      expect(undone.code, undone.stderr).toBe(0);
      expect(filesIn('src')).toEqual({ even: '1' });
      expect(Object.values(filesIn('usb/t'))).toEqual(['22']);
    });

    test.each([
      '',
      '--checksum',
      '--fix-case',
      '--backup-dir=@usb/old',
      '--delete-during',
      '--trash',
    ])('a sync after a change of case deletes nothing: %s', async (flag) => {
      plant({ 's/Report.txt': 'v', 's/Dir/f': 'w' });
      await syncer('sync @s @usb/b');
      renameSync(join(base, 's/Report.txt'), join(base, 's/report.txt'));
      renameSync(join(base, 's/Dir'), join(base, 's/dir'));
      const { code } = await syncer(`sync @s @usb/b ${flag}`.trim());
      expect(code).toBe(0);
      const isFixed = flag === '--fix-case';
      expect(filesIn('usb/b')).toEqual(
        isFixed ? { 'report.txt': 'v', 'dir/f': 'w' } : { 'Report.txt': 'v', 'Dir/f': 'w' },
      );
    });

    test.each([
      ['moveto @usb/Own @usb/OWN', { OWN: 'o', 'K/f': 'k' }],
      ['moveto @usb/K/f @usb/k/F', { Own: 'o', 'K/F': 'k' }],
      ['move @usb/K @usb/k', { Own: 'o', 'k/f': 'k' }],
      ['copyto @usb/Own @usb/OWN', { Own: 'o', 'K/f': 'k' }],
      ['move @usb/K/f @usb/k', { Own: 'o', 'K/f': 'k' }],
    ])('what is renamed to another case is there still: %s', async (line, left) => {
      plant({ 'usb/Own': 'o', 'usb/K/f': 'k' });
      const { code } = await syncer(line);
      expect(code).toBe(0);
      expect(filesIn('usb')).toEqual(left);
    });

    test.each(['--checkers=4', '--no-traverse'])(
      'a disk that is said not to loses no name: %s',
      async (flag) => {
        plant({ 'src/a': 'small', 'src/A': 'capital', 'usb/t/A': 'old' });
        const { code, stderr } = await syncer(`copy @src @usb/t --local-case-sensitive ${flag}`);
        expect(code).toBe(1);
        expect(stderr).toContain('a: ');
        expect(filesIn('usb/t')).toEqual({ A: 'capital' });
      },
    );

    test('is said to respect case: nothing is lost all the same', async () => {
      plant({ 'src/even': '1', 'src/EVEN': '2', 'usb/Own': 'o', 's/Report.txt': 'v' });
      const moved = await syncer('move @src @usb/t --local-case-sensitive');
      expect(moved.stderr).toContain('is not written: on this disk it is the same file as');
      expect(moved.code).toBe(1);
      expect(Object.values({ ...filesIn('src'), ...filesIn('usb/t') }).sort()).toEqual(['1', '2']);
      await syncer('moveto @usb/Own @usb/OWN --local-case-sensitive');
      expect(filesIn('usb')).toMatchObject({ OWN: 'o' });
      await syncer('sync @s @usb/b');
      renameSync(join(base, 's/Report.txt'), join(base, 's/report.txt'));
      for (const flag of ['--delete-during', '--delete-after', '--ignore-errors']) {
        await syncer(`sync @s @usb/b --local-case-sensitive ${flag}`);
        expect(Object.values(filesIn('usb/b'))).toEqual(['v']);
      }
    });

    test('two files do not become one backup', async () => {
      plant({ 'd/even': '1', 'd/EVEN': '2', 's/z': 'z' });
      const { code, stderr } = await syncer('sync @s @d --backup-dir=@usb/old');
      expect(stderr).toContain('on this disk it is the same file as');
      expect(code).toBe(1);
      const contents = [...Object.values(filesIn('d')), ...Object.values(filesIn('usb/old'))];
      expect(contents.sort()).toEqual(['1', '2', 'z']);
    });

    test('a list of files names a file twice', async () => {
      plant({ 's/a': 'newer', 'usb/b/a': 'old', list: 'A\na\n' });
      const { code } = await syncer('sync @s @usb/b --files-from @list --delete-excluded');
      expect(code).toBe(0);
      expect(filesIn('usb/b')).toEqual({ a: 'newer' });
    });

    test('bisync reports what its first side cannot hold, and loses nothing', async () => {
      plant({ 'usb/b/even': '1', 's/even': '1' });
      await syncer('bisync @usb/b @s --resync');
      plant({ 's/EVEN': '2' });
      const { code, stderr } = await syncer('bisync @usb/b @s');
      expect(stderr).toContain('rename one of them');
      expect(code).toBe(1);
      expect(filesIn('usb/b')).toEqual({ even: '1' });
      expect(filesIn('s')).toEqual({ even: '1', EVEN: '2' });
    });

    test('leaves nothing behind', async () => {
      plant({ 'src/even': '1', 'src/EVEN': '2' });
      await syncer('copy @src @usb --dry-run');
      expect(readdirSync(usb)).toEqual([]);
      await syncer('copy @src @usb');
      expect(readdirSync(usb)).toEqual(['EVEN']);
    });
  },
);

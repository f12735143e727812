import { existsSync } from 'node:fs';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { canMount, withDisk } from '../support/mount-disk.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';

const TREE: Tree = {
  'a.txt': 'aaa',
  'b.jpg': 'bb',
  'dir/c.txt': 'c',
  'dir/deep/d.txt': 'dddd',
  'empty/below/': '',
};

let world: SyncerWorld;
beforeEach(async () => {
  world = await makeSyncerWorld();
  await writeFile(world.config, '');
  await writeTree(join(world.dir, 'w'), TREE);
});
afterEach(() => world.remove());

const left = async () => Object.keys((await readTree(join(world.dir, 'w'))) ?? {}).sort();

async function run(line: string, input?: string | Uint8Array) {
  const { code, stdout, stderr } = await world.run(
    line.split(' '),
    input === undefined ? {} : { input },
  );
  const log = stderr.split('\n').map((text) => text.replace(/^\S+ \S+ (?=[A-Z])/, ''));
  return { code, stdout: stdout.toString(), log: log.filter((text) => /^[A-Z]+ *:/.test(text)) };
}

describe('deleting', () => {
  test('delete takes files and leaves directories', async () => {
    const { code, log } = await run('delete -v w');
    expect([code, log.filter((line) => line.endsWith(': Deleted')).length]).toEqual([0, 4]);
    expect(await left()).toEqual(['dir/', 'dir/deep/', 'empty/', 'empty/below/']);
  });

  test('delete obeys filters and --rmdirs, which leaves the root', async () => {
    expect((await run('delete --exclude *.jpg --rmdirs w')).code).toBe(0);
    expect(await left()).toEqual(['b.jpg']);
  });

  test('--rmdirs leaves directories that a filter does not let pass, as in rclone', async () => {
    expect((await run('delete --include *.txt --rmdirs w')).code).toBe(0);
    expect(await left()).toEqual(['b.jpg', 'dir/', 'dir/deep/', 'empty/', 'empty/below/']);
  });

  test('--dry-run says what would be deleted, and deletes nothing', async () => {
    const before = await left();
    expect((await run('delete --dry-run --rmdirs w')).log).toEqual([
      'NOTICE: a.txt: Skipped delete as --dry-run is set (size 3)',
      'NOTICE: b.jpg: Skipped delete as --dry-run is set (size 2)',
      'NOTICE: dir/c.txt: Skipped delete as --dry-run is set (size 1)',
      'NOTICE: dir/deep/d.txt: Skipped delete as --dry-run is set (size 4)',
      'NOTICE: empty/below: Skipped remove directory as --dry-run is set',
      'NOTICE: empty: Skipped remove directory as --dry-run is set',
    ]);
    for (const command of ['purge', 'rmdir', 'mkdir', 'rmdirs'])
      await run(`${command} --dry-run w`);
    await run('deletefile --dry-run w/a.txt');
    expect(await left()).toEqual(before);
  });

  test('--max-delete stops with exit code 7', async () => {
    expect((await run('delete --max-delete 1 w')).code).toBe(7);
    expect((await left()).filter((path) => !path.endsWith('/'))).toHaveLength(3);
  });

  test('purge takes everything', async () => {
    expect((await run('purge w')).code).toBe(0);
    expect(existsSync(join(world.dir, 'w'))).toBe(false);
    expect((await run('purge w')).code).toBe(3);
  });

  test('rmdir of a directory that is not empty fails and names purge', async () => {
    const { code, log } = await run('rmdir w/dir');
    expect([code, log.length]).toEqual([1, 1]);
    expect(log[0]).toContain('"syncer purge w/dir" deletes it with its contents');
    expect((await run('rmdir w/empty/below')).code).toBe(0);
    expect((await run('rmdir w/nowhere')).code).toBe(1);
    expect(await left()).toContain('dir/c.txt');
  });

  test('rmdirs takes empty directories, deepest first', async () => {
    expect((await run('rmdirs -v w')).log.filter((line) => line.includes('Removing'))).toEqual([
      'INFO  : empty/below: Removing directory',
      'INFO  : empty: Removing directory',
    ]);
    await mkdir(join(world.dir, 'hollow/in'), { recursive: true });
    await run('rmdirs --leave-root hollow');
    expect(existsSync(join(world.dir, 'hollow'))).toBe(true);
    await run('rmdirs hollow');
    expect(existsSync(join(world.dir, 'hollow'))).toBe(false);
  });

  test('commands on directories refuse files, deletefile refuses directories', async () => {
    for (const line of ['purge w/a.txt', 'rmdir w/a.txt', 'mkdir w/a.txt', 'rmdirs w/a.txt']) {
      const { code, log } = await run(line);
      expect([line, code, log.length]).toEqual([line, 1, 1]);
    }
    expect(await run('deletefile w/dir')).toMatchObject({ code: 4 });
    expect((await run('deletefile w/a.txt')).code).toBe(0);
    expect(await left()).not.toContain('a.txt');
  });
});

describe('rcat and cat', () => {
  test('standard input becomes a file, small or large', async () => {
    await run('rcat w/new/small', 'hello');
    expect(await readFile(join(world.dir, 'w/new/small'), 'utf8')).toBe('hello');
    const large = Buffer.alloc(300_000, 'x');
    expect((await run('rcat w/a.txt', large)).code).toBe(0);
    expect(large.equals(await readFile(join(world.dir, 'w/a.txt')))).toBe(true);
    expect((await world.run(['cat', 'w/a.txt'])).stdout.equals(large)).toBe(true);
  });

  test.each([
    [5, 3],
    [2, 3],
    [0, 3],
    [5, 0],
    [5, 200_000],
    [300_000, 200_000],
  ])(
    'with --size %i an input of %i bytes is refused, and the old file stays',
    async (size, has) => {
      const { code, log } = await run(`rcat --size ${size} w/a.txt`, Buffer.alloc(has));
      expect(code).toBe(5);
      expect(log).toEqual([expect.stringMatching(`the input .* --size .*\\b${size}\\b`)]);
      expect(await readFile(join(world.dir, 'w/a.txt'), 'utf8')).toBe('aaa');
      expect(await left()).toEqual(Object.keys(TREE).concat('dir/', 'dir/deep/', 'empty/').sort());
    },
  );

  test('an input of the promised size, and one that is empty, are stored', async () => {
    expect((await run('rcat --size 3 w/a.txt', 'new')).code).toBe(0);
    expect((await run('rcat --size 200000 w/large', Buffer.alloc(200_000))).code).toBe(0);
    expect((await run('rcat w/none')).code).toBe(0);
    expect(await readFile(join(world.dir, 'w/a.txt'), 'utf8')).toBe('new');
    expect(await readFile(join(world.dir, 'w/none'), 'utf8')).toBe('');
  });

  test('where nothing is piped there is nothing to read', async () => {
    const through = ['sh', '-c', '"$@" < /dev/null', '-'];
    const ended = await world.run(['rcat', 'w/null'], { through });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('nothing to read');
    expect(await left()).not.toContain('null');
  });

  test('--dry-run stores nothing', async () => {
    expect((await run('rcat --dry-run w/new', 'hello')).log).toEqual([
      'NOTICE: new: Skipped upload from pipe as --dry-run is set',
    ]);
    expect((await run('rcat w/', 'x')).code).toBe(1);
    expect(await left()).not.toContain('new');
  });

  test('cat prints the files of a directory one after another', async () => {
    expect((await run('cat w')).stdout).toBe('aaabbcdddd');
    expect((await run('cat --head 1 w')).stdout).toBe('abcd');
    expect((await run('cat --discard w')).stdout).toBe('');
  });
});

describe('hashes', () => {
  test('a file of sums is checked', async () => {
    const sums = (await run('md5sum w')).stdout;
    await writeFile(
      join(world.dir, 'sums'),
      `${sums.replace(/^.*b\.jpg\n/m, '')}${'0'.repeat(32)}  gone\n`,
    );
    await writeFile(join(world.dir, 'w/a.txt'), 'changed');
    const { code, stdout, log } = await run('md5sum -C sums w');
    expect(code).toBe(1);
    expect(stdout).toBe('* a.txt\n- b.jpg\n= dir/c.txt\n= dir/deep/d.txt\n+ gone\n');
    expect(log.slice(0, 8)).toEqual([
      'ERROR : a.txt: files differ',
      'ERROR : b.jpg: sum not found',
      `ERROR : gone: file not in Local file system at ${world.dir}/w`,
      `NOTICE: Local file system at ${world.dir}/w: 1 files missing`,
      'NOTICE: 1 hashes missing',
      `NOTICE: Local file system at ${world.dir}/w: 3 differences found`,
      `NOTICE: Local file system at ${world.dir}/w: 3 errors while checking`,
      `NOTICE: Local file system at ${world.dir}/w: 2 matching files`,
    ]);
  });

  test('of standard input, into a file, and the list of hashes', async () => {
    expect((await run('md5sum', 'abc')).stdout).toBe('900150983cd24fb0d6963f7d28e17f72  -\n');
    await run('sha1sum --output-file out w/b.jpg');
    expect(await readFile(join(world.dir, 'out'), 'utf8')).toMatch(/^[0-9a-f]{40} {2}b\.jpg\n$/);
    expect((await run('hashsum')).stdout).toContain('Supported hashes are:\n- md5\n');
    expect((await run('hashsum nonsense w')).code).toBe(2);
  });

  test('leave out the file that they write to', async () => {
    for (let i = 0; i < 60; i++) await writeFile(join(world.dir, `w/f${i}`), `${i}`);
    const sums = () => readFile(join(world.dir, 'w/sums'), 'utf8');
    expect((await run('md5sum w --output-file w/sums')).code).toBe(0);
    expect(await sums()).not.toContain('sums');
    expect((await sums()).split('\n')).toHaveLength(65);
    const through = ['sh', '-c', 'exec "$@" > w/sums', 'sh'];
    expect((await world.run(['md5sum', 'w'], { through })).code).toBe(0);
    expect((await sums()).split('\n')).toHaveLength(65);
    expect((await run('md5sum w')).stdout).toContain('  sums\n');
  });
});

test('tree --modtime shows when files were changed', async () => {
  await utimes(join(world.dir, 'w/dir/c.txt'), 1e9, 1e9);
  const { stdout } = await run('tree w/dir --modtime');
  expect(stdout).toMatch(/\[Sep 09 {2}2001\] {2}c\.txt/);
});

test('tree writes into a file', async () => {
  await run('tree -o out w/dir');
  expect(await readFile(join(world.dir, 'out'), 'utf8')).toBe(
    '/\n├── c.txt\n└── deep\n    └── d.txt\n\n1 directories, 2 files\n',
  );
});

test.runIf(process.platform === 'linux')(
  'what a listing shows can be given back: control characters, and bytes that are not UTF-8',
  async () => {
    const bad = Buffer.from([0x62, 0xff, 0xe9]);
    const native = Buffer.concat([Buffer.from(`${world.dir}/w/dir/new\nline/`), bad]);
    await mkdir(join(world.dir, 'w/dir/new\nline'));
    await writeFile(native, 'bad');
    expect((await run('lsf --dirs-only w/dir')).stdout).toBe('deep/\nnew␊line/\n');
    const shown = await world.run(['lsf', 'w/dir/new␊line']);
    expect(shown.stdout).toEqual(Buffer.concat([bad, Buffer.from('\n')]));
    // Node gives a program's words as UTF-8 only.
    const through = ['sh', '-c', 'exec "$@" "w/dir/new␊line/$(printf "b\\377\\351")"', 'sh'];
    const { code, stdout } = await world.run(['cat'], { through });
    expect([code, stdout.toString()]).toEqual([0, 'bad']);
    expect((await world.run(['deletefile'], { through })).code).toBe(0);
    expect((await run('lsf w/dir/new␊line')).stdout).toBe('');
  },
);

test.skipIf(!canMount)(
  '--one-file-system leaves out what is mounted below, also with -x',
  async () => {
    const disk = join(world.dir, 'w/disk');
    await mkdir(disk);
    await withDisk(disk, 'size=64k', async () => {
      await writeFile(join(disk, 'other'), 'x');
      const listed = async (flag = '') => (await run(`lsf w -R --files-only${flag}`)).stdout;
      const own = 'a.txt\nb.jpg\ndir/c.txt\ndir/deep/d.txt\n';
      expect(await listed()).toBe(`${own}disk/other\n`);
      expect(await listed(' --one-file-system')).toBe(own);
      expect(await listed(' -x')).toBe(own);
    });
  },
);

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasProgram } from '../../support/has-program.ts';
import { canMount } from '../../support/mount-place.ts';
import { type MountWorld, makeMountWorld } from '../../support/mount-world.ts';
import type { Running } from '../../support/run-syncer.ts';

let world: MountWorld;
let running: Running;
beforeEach(async () => {
  world = await makeMountWorld();
});
afterEach(() => world.remove());

/** Runs a line of the shell in the folder beside the mount, which it finds as `$1`; rejects where it fails. */
async function sh(line: string): Promise<string> {
  const { code, output } = await world.call('bash', '-ec', line, 'bash', world.mnt);
  if (code !== 0) throw new Error(`${line}: exit ${code}: ${output}`);
  return output;
}

const cached = async (mode: 'writes' | 'full', ...flags: readonly string[]) => {
  running = await world.mount('--vfs-cache-mode', mode, '--vfs-write-back', '100ms', ...flags);
};

/** Changes a part of the file `$1/f` by a mapping of a descriptor that appends. */
const MAP_AND_WRITE = `
import mmap, os, sys
fd = os.open(sys.argv[1] + '/f', os.O_RDWR | os.O_APPEND)
m = mmap.mmap(fd, 0)
m[0:4] = b'ZZZZ'
m.flush()
m.close()
os.close(fd)`;

/** Ends the mount, and with it all uploads. */
async function settle(): Promise<void> {
  running.kill('SIGTERM');
  await running.ended;
}

/** A folder `tree` beside the mount, with times and odd names. */
async function makeTree(): Promise<void> {
  const tree = join(world.beside, 'tree');
  await mkdir(join(tree, 'sub/deep'), { recursive: true });
  for (const [name, size] of [
    ['a', 10],
    ['sub/ü b', 5_000],
    ['sub/deep/big', 3_000_000],
    ['empty', 0],
  ] as const) {
    await writeFile(join(tree, name), randomBytes(size));
    await utimes(join(tree, name), 1_000_000_000.5, 1_234_567_890.25);
  }
}

describe.skipIf(!canMount).each(['writes', 'full'] as const)('with cache mode %s', (mode) => {
  beforeEach(() => cached(mode));

  test('cp -a, mv and rm -rf: contents and times arrive in the bucket', async () => {
    await makeTree();
    await sh('cp -a tree "$1/copy"; mv "$1/copy" "$1/moved"; mv "$1/moved/a" "$1/moved/sub/a2"');
    await sh('diff -r tree/sub/deep "$1/moved/sub/deep"; cp -a tree "$1/gone"; rm -rf "$1/gone"');
    expect((await stat(join(world.mnt, 'moved/sub/a2'))).mtimeMs).toBe(1_234_567_890_250);
    await settle();
    const objects = await world.objects();
    expect(
      Object.keys(objects)
        .filter((key) => !key.endsWith('/'))
        .sort(),
    ).toEqual([...['moved/empty', 'moved/sub/a2', 'moved/sub/deep/big', 'moved/sub/ü b']]);
  });

  test.skipIf(!hasProgram('rsync'))('rsync -a, with and without --inplace', async () => {
    await makeTree();
    await sh('rsync -a tree/ "$1/one/"; rsync -a --inplace tree/ "$1/two/"');
    await sh(
      'echo more >> tree/sub/deep/big; rsync -a --inplace tree/ "$1/two/"; diff -r tree "$1/two"',
    );
    expect(await sh('rsync -ain tree/empty "$1/one/empty"; rsync -ain tree/ "$1/two/"')).toBe('');
  });

  test('dd conv=notrunc, truncate, append and reading what was just written', async () => {
    await sh(
      'head -c 100000 /dev/zero > "$1/f"; printf XY | dd of="$1/f" bs=1 seek=5000 conv=notrunc status=none',
    );
    await sh('truncate -s 200000 "$1/f"; echo end >> "$1/f"; truncate -s 6 "$1/short" ');
    const content = await readFile(join(world.mnt, 'f'));
    expect([content.length, content.subarray(5000, 5002).toString()]).toEqual([200_004, 'XY']);
    expect(content.subarray(-4).toString()).toBe('end\n');
    await settle();
    expect(await readFile(join(world.bucket, 'f'))).toEqual(content);
    expect((await stat(join(world.bucket, 'short'))).size).toBe(6);
  });

  test('save by rename, and unlink of an open file', async () => {
    await sh('echo old > "$1/doc"; echo new > "$1/.doc.tmp"; mv -f "$1/.doc.tmp" "$1/doc"');
    expect(
      await sh(
        'exec 3>"$1/open" 4<"$1/open"; rm "$1/open"; echo kept >&3; cat <&4; exec 3>&- 4<&-; ls -A "$1"',
      ),
    ).toBe('kept\ndoc\n');
    await settle();
    expect(await readFile(join(world.bucket, 'doc'), 'utf8')).toBe('new\n');
  });

  test('tar x', async () => {
    await makeTree();
    await sh('tar cf t.tar tree; tar xf t.tar -C "$1"; diff -r tree "$1/tree"');
    expect((await stat(join(world.mnt, 'tree/a'))).mtimeMs).toBe(1_234_567_890_000);
  });

  test('names with control characters stay what they are, as do those with look-alikes', async () => {
    const names = ['a\tb', 'a␉b', 'new\nline', 'del\x7f', 'd\x01r/\x1b[m'];
    await mkdir(join(world.mnt, 'd\x01r'));
    for (const name of names) await writeFile(join(world.mnt, name), JSON.stringify(name));
    await settle();
    await cached(mode);
    expect((await readdir(world.mnt)).sort()).toEqual([...names.slice(0, 4), 'd\x01r'].sort());
    for (const name of names) {
      expect(await readFile(join(world.mnt, name), 'utf8')).toBe(JSON.stringify(name));
    }
    expect(await sh('cd "$1"; rm -r a* new* d*; ls -A')).toBe('');
  });

  test('64 programs at once', async () => {
    await sh(
      'for i in $(seq 64); do (head -c 20000 /dev/zero | tr "\\0" "$((i % 10))" > "$1/p$i"; ' +
        'mkdir -p "$1/d$i"; mv "$1/p$i" "$1/d$i/q"; cksum < "$1/d$i/q" >> sums; ls "$1" > /dev/null) & done; wait',
    );
    expect((await sh('sort -u sums | wc -l; wc -l < sums')).trim().split('\n')).toEqual([
      '10',
      '64',
    ]);
  });
});

describe.skipIf(!canMount).each([
  ['the mount', []],
  ['the kernel', ['--write-back-cache']],
] as const)('appending, where %s knows the end', (_who, flags) => {
  beforeEach(() => cached('writes', ...flags));

  test('line after line, by one program and by several', async () => {
    await sh('for i in 1 2 3; do echo $i >> "$1/f"; done; (echo 4; echo 5) >> "$1/f"');
    await settle();
    expect(await readFile(join(world.bucket, 'f'), 'utf8')).toBe('1\n2\n3\n4\n5\n');
  });

  test.skipIf(!hasProgram('python3'))('a mapping of such a descriptor', async () => {
    await writeFile(join(world.mnt, 'f'), Buffer.alloc(10_000));
    await writeFile(join(world.beside, 'map.py'), MAP_AND_WRITE);
    await sh('python3 map.py "$1"');
    await settle();
    const content = await readFile(join(world.bucket, 'f'));
    expect([content.length, content.toString('latin1', 0, 5)]).toEqual([10_000, 'ZZZZ\0']);
  });
});

describe.skipIf(!canMount)('programs that need more', () => {
  test.skipIf(!hasProgram('git'))(
    'git clone, status, commit and gc',
    { timeout: 120_000 },
    async () => {
      await sh(
        'git init -q -b main repo; cd repo; git config user.email a@b; git config user.name c; ' +
          'for i in $(seq 30); do mkdir -p d$((i % 4)); echo "$i" > d$((i % 4))/f$i; done; git add .; git commit -qm one',
      );
      await cached('full');
      await sh(
        'git clone -q repo "$1/clone"; cd "$1/clone"; git status --short; echo x > new; git add new',
      );
      await sh(
        'cd "$1/clone"; git -c user.email=a@b -c user.name=c commit -qm two; git gc -q; git fsck',
      );
      expect(await sh('cd "$1/clone"; git status --short; git log --oneline | wc -l')).toBe('2\n');
    },
  );

  test.skipIf(!hasProgram('sqlite3'))('sqlite3 writes and reads a database', async () => {
    await cached('full');
    const rows = 'WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<2000)';
    await sh(
      `sqlite3 "$1/db" "CREATE TABLE t(i); ${rows} INSERT INTO t SELECT i FROM n; UPDATE t SET i=i*2"`,
    );
    expect(await sh('sqlite3 "$1/db" "SELECT sum(i) FROM t; PRAGMA integrity_check"')).toBe(
      '4002000\nok\n',
    );
    await settle();
    expect(await sh(`sqlite3 ${world.bucket}/db "SELECT count(*) FROM t"`)).toBe('2000\n');
  });

  test('files come and go past the cache: cat, cp and find without any', async () => {
    running = await world.mount();
    await makeTree();
    await sh(
      'cp -r tree "$1/copy"; diff -r tree "$1/copy"; cat "$1/copy/sub/deep/big" | cmp - tree/sub/deep/big',
    );
    expect(await sh('find "$1" -type f | wc -l; df --output=fstype "$1" | tail -1')).toBe(
      '4\nfuse.syncer\n',
    );
    expect(
      await sh('tail -c 100 "$1/copy/sub/deep/big" | cmp - <(tail -c 100 tree/sub/deep/big)'),
    ).toBe('');
  });

  test('what is read only stays as it is', async () => {
    await writeFile(join(world.bucket, 'a'), 'x');
    running = await world.mount('--read-only', '--vfs-cache-mode', 'full');
    await expect(sh('echo y > "$1/a"')).rejects.toThrow('Read-only file system');
    await expect(sh('rm -f "$1/a"')).rejects.toThrow('Read-only file system');
    expect(await sh('cat "$1/a"')).toBe('x');
  });

  test('filters and permissions', async () => {
    for (const name of ['a.txt', 'b.jpg']) await writeFile(join(world.bucket, name), 'x');
    const flags = ['--include', '*.txt', '--umask', '027', '--uid', '12', '--gid', '34'];
    running = await world.mount(...flags);
    expect(await sh('ls "$1"; stat -c "%a %u %g" "$1/a.txt" "$1"')).toBe(
      'a.txt\n640 12 34\n750 12 34\n',
    );
    await expect(sh('cat "$1/b.jpg"')).rejects.toThrow('No such file');
  });

  test('links are files on the remote, and links on the mount', async () => {
    await writeFile(join(world.bucket, 'file'), 'content');
    const flags = ['--vfs-links', '--vfs-refresh', '--link-perms', '0604', '--umask', '0'];
    running = await world.mount(...flags);
    await sh(
      'cd "$1"; ln -s file a; mv a b; ln -s nowhere c; cp -a c d; rm c; cp file new; mv new d',
    );
    expect(await sh('cd "$1"; ls -l | cut -c1-10 | tail -3; readlink b; cat b')).toBe(
      'lrw----r--\n-rw-rw-rw-\n-rw-rw-rw-\nfile\ncontent',
    );
    await expect(sh('echo x > "$1/e.rclonelink"')).rejects.toThrow('Invalid argument');
    expect(await sh(`ls ${world.bucket}`)).toBe('b.rclonelink\nd\nfile\n');
    expect(await readFile(join(world.bucket, 'b.rclonelink'), 'utf8')).toBe('file');
  });

  test('metadata as files, which are read and never listed', async () => {
    await writeFile(join(world.bucket, 'f'), 'content');
    running = await world.mount('--vfs-metadata-extension', '.metadata');
    expect(await sh('cd "$1"; tail -c 3 f.metadata; ls; wc -c < f.metadata')).toMatch(
      /^"\n\}f\n\d{3}\n$/,
    );
    expect(JSON.parse(await sh('cat "$1/f.metadata"'))).toHaveProperty('mtime');
    expect(await sh('cp "$1/f.metadata" "$1/g"; cmp "$1/f.metadata" "$1/g"; ls "$1"')).toBe(
      'f\ng\n',
    );
    for (const line of ['echo x > "$1/f.metadata"', 'rm -f "$1/f.metadata"', 'ls "$1/x.metadata"'])
      await expect(sh(line)).rejects.toThrow(/Permission denied|No such file/);
  });
});

test.skipIf(!canMount || !hasProgram('python3')).each([
  ['', "b'hello'\n"],
  ['--direct-io', 'No such device\n'],
])('a shared mapping of a file with flags "%s" prints %s', async (flags, seen) => {
  await writeFile(join(world.bucket, 'f'), 'hello');
  await world.mount(...flags.split(' ').filter((flag) => flag !== ''));
  const program = `
import mmap, os
f = os.open('f', os.O_RDONLY)
try:
  print(mmap.mmap(f, 0, mmap.MAP_SHARED, mmap.PROT_READ)[0:5])
except OSError as e:
  print(e.strerror)`;
  expect(await sh(`cd "$1" && python3 -c "${program}"`)).toBe(seen);
});

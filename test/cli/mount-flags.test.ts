import { appendFile, chmod, mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestGraph } from '../servers/graph/start-graph.ts';
import { someOf } from '../support/in-part.ts';
import { canMount } from '../support/mount-place.ts';
import { failureOf, isMounted, type MountWorld, makeMountWorld } from '../support/mount-world.ts';
import { waitFor } from '../support/wait-for.ts';

// Flags of `mount` by their effect on programs, which see the same on a mount of rclone 1.75.

const MIB = 1024 * 1024;

let world: MountWorld;
beforeEach(async () => {
  world = await makeMountWorld();
  // Other users reach the mount.
  await chmod(dirname(world.mnt), 0o755);
  await mkdir(join(world.bucket, 'd'));
  await writeFile(join(world.bucket, 'a.txt'), 'hello');
  await writeFile(join(world.bucket, 'd/b'), 'below');
  await writeFile(join(world.bucket, 'big'), Buffer.alloc(2 * MIB, 'content '));
  for (const name of ['a.txt', 'd/b', 'big'])
    await utimes(join(world.bucket, name), 1_600_000_000, 1_600_000_000);
});
afterEach(() => world.remove());

const cacheDir = () => join(world.beside, 'cache');

/** Mounts with these flags; the function returned runs a line of the shell with the mount, the bucket and the cache. */
async function mounted(flags: string) {
  const words = flags.split(' ').filter((word) => word !== '');
  const running = await world.mount('--cache-dir', cacheDir(), ...words);
  const sh = async (line: string) => {
    const args = ['bash', world.mnt, world.bucket, cacheDir()];
    const { output } = await world.call('bash', '-c', line, ...args);
    return output.replaceAll(world.mnt, 'MNT');
  };
  return { running, sh };
}

const NO_CACHE = '--attr-timeout 0s --dir-cache-time 0s';
const AS_USER = 'setpriv --reuid 65534 --clear-groups cat $1/a.txt';
const GROW = 'stat -c %s $1/a.txt; echo more >> $2/a.txt; stat -c %s $1/a.txt';
const ADD = 'ls $1; touch $2/new; ls $1';
const SET_TIME = 'touch -d @1500000000 $1/a.txt; stat -c %Y $1/a.txt';
const READ_AHEAD = 'cat /sys/class/bdi/$(mountpoint -d $1)/read_ahead_kb';
const OPTIONS = 'findmnt -no OPTIONS $1 | tr , "\\n" | grep -E ';

/** A program of Node with `f`, a descriptor of a file of the mount that is opened with `how`. */
const node = (name: string, how: string, what: string) => `${process.execPath} -e "
const { openSync, writeSync, readSync, closeSync } = require('node:fs');
const f = openSync('$1/${name}', '${how}');
try {
  ${what}
} catch ({ code }) {
  console.log(code);
}
"`;
const BACKWARDS = node(
  'new',
  'w',
  "writeSync(f, 'b'.repeat(10), 10); writeSync(f, 'a'.repeat(10), 0); closeSync(f); console.log('written')",
);
const UPDATE = node(
  'a.txt',
  'r+',
  "const b = Buffer.alloc(9); writeSync(f, 'p', 3); console.log(b.toString('utf8', 0, readSync(f, b, 0, 9, 0)))",
);

/** Flags, a line of the shell, and what it prints. */
const SEEN = [
  // The kernel and the mount remember what they saw.
  ['--attr-timeout 1h --dir-cache-time 0s', GROW, '5\n5\n'],
  [NO_CACHE, GROW, '5\n10\n'],
  ['--attr-timeout 0s --dir-cache-time 1h', ADD, 'a.txt\nbig\nd\na.txt\nbig\nd\n'],
  [NO_CACHE, ADD, 'a.txt\nbig\nd\na.txt\nbig\nd\nnew\n'],
  ['--vfs-cache-mode writes', SET_TIME, '1500000000\n'],
  ['--vfs-cache-mode writes --no-modtime', SET_TIME, '1600000000\n'],
  // Owners and permissions.
  ['--umask 027 --uid 12 --gid 34', 'stat -c "%a %u %g" $1 $1/a.txt', '750 12 34\n640 12 34\n'],
  [
    '--file-perms 0640 --dir-perms 0710 --umask 0',
    'stat -c %a $1 $1/a.txt $1/d',
    '710\n640\n710\n',
  ],
  ['--file-perms 0777 --umask 022', 'stat -c %a $1/a.txt', '755\n'],
  ['--allow-other --file-perms 0600', AS_USER, 'hello'],
  [
    '--allow-other --file-perms 0600 --default-permissions',
    AS_USER,
    'cat: MNT/a.txt: Permission denied\n',
  ],
  ['--allow-root', `cat $1/a.txt; ${AS_USER}`, 'hellocat: MNT/a.txt: Permission denied\n'],
  ['', AS_USER, 'cat: MNT/a.txt: Permission denied\n'],
  // What the kernel is told.
  ['--devname x --volname y', 'findmnt -no SOURCE,FSTYPE $1', 'x      fuse.syncer\n'],
  ['--volname y', 'findmnt -no SOURCE $1', 'y\n'],
  ['--option ro -o noatime', `${OPTIONS} '^(ro|noatime)$'`, 'ro\nnoatime\n'],
  ['--allow-idmap', `${OPTIONS} default`, 'default_permissions\n'],
  ['--max-read-ahead 64Ki', READ_AHEAD, '64\n'],
  ['', READ_AHEAD, '128\n'],
  // Space.
  [
    '--vfs-disk-space-total-size 10G --vfs-used-is-size',
    'df --output=size,used -B1 $1 | tail -1',
    `10737418240 ${2 * MIB + 4096}\n`,
  ],
  ['--vfs-disk-space-total-size 1T', 'df --output=size -BG $1 | tail -1', '1024G\n'],
  // Names.
  ['--vfs-case-insensitive', 'cat $1/A.TXT $1/D/B; ls $1', 'hellobelowa.txt\nbig\nd\n'],
  ['', 'cat $1/A.TXT', 'cat: MNT/A.TXT: No such file or directory\n'],
  ['--noappledouble --noapplexattr', 'touch $1/._a; ls -A $1', '._a\na.txt\nbig\nd\n'],
  // Writing.
  ['--vfs-write-wait 10ms', BACKWARDS, 'ESPIPE\n'],
  ['--vfs-cache-mode minimal --vfs-write-wait 10ms', BACKWARDS, 'ESPIPE\n'],
  ['--vfs-cache-mode writes', BACKWARDS, 'written\n'],
  ['--vfs-cache-mode minimal', UPDATE, 'helpo\n'],
  ['--read-only', 'touch $1/new', "touch: cannot touch 'MNT/new': Read-only file system\n"],
] as const;

describe.skipIf(!canMount)('what programs see', () => {
  test.each(someOf(SEEN, 6))('%s: %s', async (flags, line, seen) => {
    const { sh } = await mounted(flags);
    expect((await sh(line)).replace(/^ +| +(?= )/gm, '')).toBe(seen.replace(/ +(?= )/g, ''));
  });
});

describe.skipIf(!canMount)('requests', () => {
  /** Which bytes of `big` a line had requested. */
  async function asked(flags: string, line: string) {
    const { sh } = await mounted(flags);
    await sh(line);
    return world.s3.log.requests
      .filter(({ operation, key }) => operation === 'GetObject' && key === 'big')
      .map(({ headers }) => headers.range ?? '');
  }
  const SKIP = 'dd if=$1/big bs=4096 skip=400 count=1 status=none > /dev/null';
  const ALL = 'cat $1/big > /dev/null';
  const KIB = 1024;
  const range = (from: number, to: number) => `bytes=${from * KIB}-${to * KIB - 1}`;

  const RANGES: readonly (readonly [flags: string, ranges: readonly string[]])[] = [
    // Ranges that double up to their limit, or do not grow.
    [
      '--vfs-read-chunk-size 256Ki --vfs-read-chunk-size-limit 512Ki',
      [range(0, 256), range(256, 768), range(768, 1280), range(1280, 1792), range(1792, 2048)],
    ],
    [
      '--vfs-read-chunk-size 1Mi --vfs-read-chunk-size-limit 1Mi',
      [range(0, 1024), range(1024, 2048)],
    ],
    ['--vfs-read-chunk-size 512Ki', [range(0, 512), range(512, 1536), range(1536, 2048)]],
  ];
  test.each(someOf(RANGES, 1))('%s', async (flags, ranges) => {
    expect(await asked(flags, ALL)).toEqual(ranges);
  });

  test('--vfs-read-chunk-streams reads equal ranges, all of them once', async () => {
    const flags = '--vfs-read-chunk-size 512Ki --vfs-read-chunk-streams 4';
    const sizes = (await asked(flags, ALL)).map((text) => {
      const [from = 0, to = 0] = text.replace('bytes=', '').split('-').map(Number);
      return to - from + 1;
    });
    expect(Math.max(...sizes)).toBe(512 * KIB);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(2 * MIB);
  });

  const caching = [
    [' --vfs-handle-caching 0s', 2],
    ['', 1],
  ] as const;
  test.each(someOf(caching, 1))(
    'two programs that read one after the other%s: %d requests',
    async (flag, times) => {
      const line = `${SKIP.replace('400', '0')}; ${SKIP.replace('400', '1')}`;
      expect(await asked(`--direct-io${flag}`, line)).toHaveLength(times);
    },
  );

  const waits = [
    ['2s', false],
    ['0s', true],
  ] as const;
  test.each(someOf(waits, 1))(
    '--vfs-read-wait %s: an early read is a request of its own: %s',
    async (wait, jumps) => {
      const program = `${process.execPath} -e "
const { openSync, read, readSync } = require('node:fs');
const f = openSync('$1/big', 'r');
read(f, Buffer.alloc(4096), 0, 4096, ${900 * KIB}, () => {});
setTimeout(() => {
  for (let at = 0; at < ${1000 * KIB}; at += 4096) readSync(f, Buffer.alloc(4096), 0, 4096, at);
}, 300);
"`;
      const chunks = '--vfs-read-chunk-size 256Ki --vfs-read-chunk-size-limit 256Ki';
      const ranges = await asked(`--direct-io ${chunks} --vfs-read-wait ${wait}`, program);
      expect(ranges.some((text) => text.startsWith(`bytes=${900 * KIB}-`))).toBe(jumps);
    },
  );

  test('--bwlimit limits what a mount reads and uploads', async () => {
    const { running } = await mounted('--bwlimit 100Mi --dump layers');
    running.kill('SIGTERM');
    expect((await running.ended).stderr).toContain('observers, own-names, bandwidth');
  });

  test('--vfs-write-back waits for a file to be closed for good', async () => {
    const { sh, running } = await mounted('--vfs-cache-mode writes --vfs-write-back 1h');
    await sh('for i in 1 2 3 4 5; do echo $i > $1/new; ls $1 > /dev/null; done');
    running.kill('SIGTERM');
    await running.ended;
    expect(world.s3.log.count('PutObject')).toBe(1);
  });
});

describe.skipIf(!canMount)('the cache', () => {
  const size = async (sh: (line: string) => Promise<string>) =>
    Number((await sh('du -sk $3 | cut -f1')).trim());

  const LIMITS = [
    '--vfs-cache-max-age 1ms',
    '--vfs-cache-max-size 1Ki',
    '--vfs-cache-min-free-space 1P',
  ];
  test.each(someOf(LIMITS, 1))(
    '%s deletes what is not in use, and nothing before --vfs-cache-poll-interval',
    async (flag) => {
      const flags = `--vfs-cache-mode full --vfs-handle-caching 0s ${flag}`;
      const { sh, running } = await mounted(`${flags} --vfs-cache-poll-interval 1h`);
      await sh('cat $1/big > /dev/null');
      expect(await size(sh)).toBeGreaterThan(2000);
      await sh('fusermount3 -uz $1');
      await running.ended;
      const next = await mounted(`${flags} --vfs-cache-poll-interval 10ms`);
      await next.sh('cat $1/big > /dev/null');
      await expect.poll(() => size(next.sh)).toBeLessThan(2000);
    },
  );
});

describe.skipIf(!canMount)('a drive', () => {
  const polls = [
    ['100ms', 'a.txt\nnew.txt\n'],
    ['0', 'a.txt\n'],
  ] as const;
  test.each(someOf(polls, 1))('--poll-interval %s', async (interval, seen) => {
    const graph = await startTestGraph({ drives: [{ type: 'business' }] });
    try {
      graph.drive.put('a.txt', 'hello');
      const section = { ...graph.section(), graph_url: graph.graphUrl };
      const lines = Object.entries(section).map(([key, value]) => `${key} = ${value}\n`);
      await appendFile(world.config, `[drive]\n${lines.join('')}`);
      const flags = ['--poll-interval', interval, '--attr-timeout', '0s'];
      const running = world.start(['mount', 'drive:', world.mnt, ...flags]);
      await waitFor(() => isMounted(world.mnt), running.ended);
      const list = async () => (await world.call('ls', world.mnt)).output;
      expect(await list()).toBe('a.txt\n');
      // The first request says where the changes begin.
      if (interval !== '0') await expect.poll(() => graph.log.count('delta')).toBeGreaterThan(0);
      graph.drive.put('new.txt', 'new');
      if (interval === '0') expect(await list()).toBe(seen);
      else await expect.poll(list).toBe(seen);
      expect(graph.log.count('delta') > 0).toBe(interval !== '0');
      running.kill('SIGTERM');
      await running.ended;
    } finally {
      await graph.stop();
    }
  });
});

describe.skipIf(!canMount)('the log and the start', () => {
  test('--debug-fuse logs each request with -vv', async () => {
    const { sh, running } = await mounted('--debug-fuse -vv');
    await sh('cat $1/a.txt');
    await expect.poll(() => running.seen.stderr).toMatch(/DEBUG : .*lookup/i);
  });

  test('the process sends no request to its own mount: killed while it waits, it would not end', async () => {
    const { running } = await mounted('--debug-fuse -vv');
    await expect.poll(() => running.seen.stderr).toContain('Mounted store:bucket');
    running.kill('SIGTERM');
    const { stderr } = await running.ended;
    expect(stderr).not.toMatch(/ fuse: /);
  });

  test('--daemon-timeout fails requests that the remote does not answer', async () => {
    const { sh } = await mounted('--daemon-timeout 500ms');
    world.s3.setFaults(({ operation }) =>
      operation === 'GetObject' ? { hang: 'before' } : undefined,
    );
    expect(await sh('cat $1/a.txt')).toBe('cat: MNT/a.txt: Connection timed out\n');
  });

  test('--daemon-wait limits how long the parent waits', async () => {
    world.s3.setFaults(() => ({ hang: 'before' }));
    const words = ['mount', 'store:bucket', world.mnt, '--daemon', '--daemon-wait', '500ms'];
    expect(failureOf(await world.run(words))).toEqual({
      code: 5,
      message: expect.stringMatching(/was not mounted within 500ms \(--daemon-wait\)/),
    });
  });

  test('Ctrl-C ends the wait for a mount in the background, and the mount', async () => {
    world.s3.setFaults(() => ({ hang: 'before' }));
    const running = world.start(['mount', 'store:bucket', world.mnt, '--daemon']);
    await expect.poll(() => world.s3.log.requests.length).toBeGreaterThan(0);
    running.kill('SIGINT');
    const { code } = await running.ended;
    expect([code, isMounted(world.mnt)]).toEqual([130, false]);
  });

  test('--vfs-refresh lists all directories without being asked', async () => {
    await mounted('--vfs-refresh');
    const listed = () =>
      world.s3.log.requests.some(
        ({ operation, query }) => operation === 'ListObjectsV2' && query.get('prefix') === 'd/',
      );
    await expect.poll(listed).toBe(true);
  });
});

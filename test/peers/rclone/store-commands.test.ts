import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { joinModTime } from '../../../src/core/mod-time.ts';
import type { Remote } from '../../../src/core/remote.ts';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { readTree, writeTree } from '../../support/file-tree.ts';
import { OP, openS3 } from '../../support/open-s3.ts';
import { hasRclone, isRcloneNow, PROVIDER, runRclone } from '../../support/rclone.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';
import { section } from '../../support/s3-world.ts';

/** Files, some of them the same; `u` and `v` are of one time, so that the order of a listing decides. */
const TREE = {
  a: ['abc', 1_577_836_800],
  b: ['abc', 1_609_459_200],
  'd/c': ['abc', 1_546_300_800],
  'd/e/f.bin': ['other', 1_546_300_801],
  u: ['q', 1_546_300_800],
  v: ['q', 1_546_300_800],
  'empty.dat': ['', 1_000_000_000],
} as const;

/** Sums that are right, wrong, of a file that is missing, written twice, and no sums at all. */
const SUMS = [
  '900150983cd24fb0d6963f7d28e17f72  a',
  '900150983CD24FB0D6963F7D28E17F72 *b',
  '00000000000000000000000000000000  d/c',
  '00000000000000000000000000000000  missing',
  '11111111111111111111111111111111  missing',
  ...['no sum', 'none', 'nothing', 'not'],
  '7694f4a66316e53c8cdd9d9954bd611d  u',
].join('\n');

let world: SyncerWorld;
let s3: TestS3;

beforeAll(async () => {
  world = await makeSyncerWorld({ inOwnProcess: true });
  s3 = await startTestS3();
  await writeFile(world.config, section(s3, 's', { region: s3.region, ...PROVIDER }));
  await (await openS3(s3, 'bucket')).remote.makeDir('', OP);
  await writeFile(join(world.dir, 'sums'), SUMS);
});

afterAll(async () => {
  await s3.stop();
  await world.remove();
});

let cases = 0;

/** Runs a line with both programs, each on a copy of the tree of its own, for which `ROOT` stands. */
async function both(line: string, isS3: boolean) {
  const name = `case${++cases}`;
  const run = async (who: 'ours' | 'theirs') => {
    const path = `${name}/${who}`;
    const { remote } = await openS3(s3, `bucket/${path}`);
    if (isS3) await putTree(remote);
    else await writeTree(join(world.dir, path), TREE);
    const root = isS3 ? `s:bucket/${path}` : path;
    const args = line.replaceAll('ROOT', root).split(' ');
    const { code, stdout, stderr } =
      who === 'ours'
        ? await world.run(args)
        : await runRclone(args, { cwd: world.dir, config: world.config });
    const state = isS3 ? await listTree(remote) : await readTree(join(world.dir, path));
    await remote.close();
    return { seen: { code, lines: stdout.toString().split('\n').sort(), state }, stderr };
  };
  const [ours, theirs] = await Promise.all([run('ours'), run('theirs')]);
  return { ours: ours.seen, theirs: theirs.seen, stderr: `${ours.stderr}\n${theirs.stderr}` };
}

async function putTree(remote: Remote): Promise<void> {
  for (const [path, [content, second]] of Object.entries(TREE)) {
    const body = Buffer.from(content);
    const modTime = joinModTime(second, 0);
    const source = { path, size: body.length, modTime, seekable: true, open: async () => body };
    await remote.write(source, OP);
  }
}

/** What there is: path, size, time and tier. */
async function listTree(remote: Remote): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const page = await remote.can.listTreePage?.('', undefined, OP);
  for (const entry of page?.entries ?? []) {
    if (entry.kind === 'dir') continue;
    const { size, tier } = entry;
    found[entry.path] = [size, (await remote.can.details?.read(entry, OP))?.modTime, tier];
  }
  return found;
}

/** What does the same on a disk and on S3. */
const EVERYWHERE = [
  'touch -t 171030 ROOT/a',
  'touch --timestamp 2006-01-02T15:04:05.123456789 ROOT/d/c',
  'touch -t 2006-01-02T15:04:05 ROOT/new',
  'touch -t 2006-01-02T15:04:05 ROOT/new/below',
  'touch -t 2006-01-02 ROOT/a',
  'touch --no-create ROOT/new',
  'touch -C -t 171030 ROOT/a',
  'touch -R ROOT/new',
  'touch -n -t 171030 ROOT/a',
  'touch -n ROOT/new',
  'checksum md5 sums ROOT --combined -',
  'checksum MD5 sums ROOT --one-way --combined - --match ROOT.match',
  'checksum md5 sums ROOT --missing-on-src - --missing-on-dst - --differ - --match - --error -',
  'checksum sha1 --download sums ROOT --combined -',
  'checksum md5 sums ROOT --include u --combined -',
  'checksum md5 sums ROOT --min-size 1k --combined -',
  'checksum md5 sums ROOT/a --combined -',
  'checksum md5 nowhere ROOT --combined -',
  'md5sum -C sums ROOT',
  'md5sum --base64 -C sums ROOT',
  'dedupe ROOT',
  'dedupe --dedupe-mode list ROOT',
  'dedupe --by-hash list ROOT',
  'dedupe --by-hash skip ROOT',
  'dedupe --by-hash first ROOT',
  'dedupe --by-hash newest ROOT',
  'dedupe --by-hash --dedupe-mode oldest ROOT',
  'dedupe --by-hash largest ROOT',
  'dedupe --by-hash smallest ROOT',
  'dedupe --by-hash -n newest ROOT',
  'dedupe --by-hash nonsense ROOT',
  'cat --discard ROOT/a',
  'lsjson --encrypted ROOT',
];

/** What only a disk has, or answers in another way. */
const ON_DISK = [
  ...(isRcloneNow ? ['touch ROOT/new/', 'touch -C ROOT/new/below/'] : []),
  'touch -t 171030 ROOT/d',
  'touch -t 171030 ROOT/d/',
  'touch -t 171030 -R ROOT',
  'touch -t 171030 -R --max-depth 2 ROOT',
  'touch -t 171030 -R --include *.bin ROOT',
  'about --full nowhere',
  'link ROOT/a',
  'link nowhere',
  'settier STANDARD ROOT/a',
  'dedupe list nowhere',
  'checksum sha1 sums ROOT --combined -',
];

const ON_S3 = [
  // rclone 1.75 makes it 15 minutes.
  ...(isRcloneNow ? [] : ['link --expire 0 ROOT/a']),
  'touch ROOT/new/',
  'about s:bucket',
  'link ROOT/nowhere',
  'link ROOT/d',
  'link ROOT/d/',
  'link s:bucket',
  'settier glacier ROOT',
  'settier STANDARD_IA ROOT/d/c',
  'settier reduced_redundancy ROOT --include *.bin',
  'settier STANDARD s:nobucket',
  'checksum sha1 sums ROOT --combined -',
];

describe.skipIf(!hasRclone)('beside rclone', () => {
  test.concurrent.each([
    ...[...EVERYWHERE, ...ON_DISK].map((line) => [line, false] as const),
    ...[...EVERYWHERE, ...ON_S3].map((line) => [line, true] as const),
  ])('%s (S3: %s)', async (line, isS3) => {
    const { ours, theirs, stderr } = await both(line, isS3);
    if (line.includes('nonsense')) expect(ours.code, stderr).toBe(theirs.code);
    else expect(ours, stderr).toEqual(theirs);
  });

  test('about tells the same space', async () => {
    for (const flags of [['--full'], ['--json'], []]) {
      const args = ['about', ...flags, world.dir];
      const [ours, theirs] = await Promise.all([
        world.run(args),
        runRclone(args, { cwd: world.dir }),
      ]);
      // What is in use changes while other programs run; the total and all words stay.
      const fixed = (text: Buffer) => {
        const lines = text.toString().split('\n');
        return lines.map((line) => (/total/i.test(line) ? line : line.replaceAll(/[\d.]+/g, '0')));
      };
      expect(fixed(ours.stdout)).toEqual(fixed(theirs.stdout));
    }
  });

  test.each(['', '--expire 1h', '--expire 300h', '--expire 90s'])('link %s', async (flags) => {
    await writeTree(join(world.dir, 'linked'), { 'sp ace+é.txt': 'linked' });
    await world.run(['copy', 'linked', 's:bucket/linked']);
    const args = ['link', ...flags.split(' ').filter(Boolean), 's:bucket/linked/sp ace+é.txt'];
    const [ours, theirs] = await Promise.all([
      world.run(args),
      runRclone(args, { cwd: world.dir, config: world.config }),
    ]);
    const parts = (text: Buffer) => {
      const url = new URL(text.toString().trimEnd());
      const names = ['X-Amz-Expires', 'X-Amz-SignedHeaders', 'X-Amz-Algorithm'];
      return [url.pathname, ...names.map((name) => url.searchParams.get(name))];
    };
    expect(parts(ours.stdout)).toEqual(parts(theirs.stdout));
    expect(await (await fetch(ours.stdout.toString().trimEnd())).text()).toBe('linked');
  });

  test('rclone reveals what obscure prints, of an argument or of a line', async () => {
    const passwords = await Promise.all([
      world.run(['obscure', 'pass wörd']),
      world.run(['obscure', '-'], { input: 'pass wörd\r\nsecond line\n' }),
      world.run(['obscure', '-'], { input: 'pass wörd' }),
    ]);
    for (const { code, stdout } of passwords) {
      expect(code).toBe(0);
      const revealed = await runRclone(['reveal', '--', stdout.toString().trim()], {
        cwd: world.dir,
      });
      expect(revealed.stdout.toString()).toBe('pass wörd\n');
    }
  });
});

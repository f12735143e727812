import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { readTree, type Tree, writeTree } from '../../support/file-tree.ts';
import { hasRclone, isCompared, runRclone } from '../../support/rclone.ts';
import type { Compared } from '../../support/record.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';
import { section } from '../../support/s3-world.ts';

/** The same command line on two buckets of one server; `LOCAL` and `BUCKET` are the folder and bucket of each. */
interface Case extends Compared {
  readonly args: readonly string[];
  readonly local?: Tree;
  readonly bucket?: Tree;
}

const tree: Tree = {
  'same.txt': 'same',
  'changed.txt': ['new content', 1_500_000_000],
  'touched.txt': ['equal content', 1_400_000_000],
  'new.txt': 'new',
  'dir/deep/file.bin': 'deep',
  'dir/name with space': 'x',
  'dir/a+b%20c&d=e?f#g': 'odd',
  'dir/ünïcode ☃ 😀': 'snow',
  'new\nline': 'n',
  'a-b': '1',
  'a/b': '2',
  zero: '',
};

const older: Tree = {
  'same.txt': 'same',
  'changed.txt': 'old',
  'touched.txt': 'equal content',
  'extra.txt': 'extra',
  'gone/deep/x': 'x',
  'a-b': '1',
};

const both = { local: tree, bucket: older };
const reversed = { local: older, bucket: tree };

const CASES: Readonly<Record<string, Case>> = {
  'copy up': { args: ['copy', 'LOCAL', 'BUCKET'], local: tree },
  'copy up into a prefix': { args: ['copy', 'LOCAL', 'BUCKET/some/prefix'], local: tree },
  'sync up': { args: ['sync', 'LOCAL', 'BUCKET'], ...both },
  'sync up --checksum': { args: ['sync', 'LOCAL', 'BUCKET', '-c'], ...both },
  'sync up --size-only': { args: ['sync', 'LOCAL', 'BUCKET', '--size-only'], ...both },
  'sync up --dry-run': { args: ['sync', 'LOCAL', 'BUCKET', '-n'], ...both },
  'sync up --backup-dir': {
    args: ['sync', 'LOCAL', 'BUCKET/live', '--backup-dir', 'BUCKET/old'],
    local: tree,
  },
  'sync up --suffix': { args: ['sync', 'LOCAL', 'BUCKET', '--suffix', '.bak'], ...both },
  'copy up --no-traverse': { args: ['copy', 'LOCAL', 'BUCKET', '--no-traverse'], ...both },
  'move up': { args: ['move', 'LOCAL', 'BUCKET'], ...both },
  'copy up of a file': { args: ['copy', 'LOCAL/changed.txt', 'BUCKET'], ...both },
  'copy up in parts': {
    args: ['copy', 'LOCAL', 'BUCKET', '--s3-upload-cutoff', '0'],
    local: { a: 'content' },
  },
  'copy down': { args: ['copy', 'BUCKET', 'LOCAL/here'], bucket: tree },
  'sync down': { args: ['sync', 'BUCKET', 'LOCAL'], ...reversed },
  'sync down of a prefix': { args: ['sync', 'BUCKET/dir', 'LOCAL/dir'], ...reversed },
  'sync down of a missing prefix': {
    args: ['sync', 'BUCKET/nothing', 'LOCAL/dir'],
    local: { 'dir/x': 'x' },
    bucket: tree,
  },
  'move down': { args: ['move', 'BUCKET', 'LOCAL'], ...reversed },
  'copy down of a file': { args: ['copy', 'BUCKET/dir/deep/file.bin', 'LOCAL'], ...reversed },
  'copy within the bucket': { args: ['copy', 'BUCKET/dir', 'BUCKET/other'], bucket: tree },
  'move within the bucket': { args: ['move', 'BUCKET/dir', 'BUCKET/other'], bucket: tree },
  'sync within the bucket, overlapping': {
    args: ['sync', 'BUCKET/dir', 'BUCKET', '--retries', '1'],
    bucket: tree,
  },
  'check --checksum': {
    args: ['check', 'LOCAL', 'BUCKET', '--checksum', '--differ', '-'],
    ...both,
  },
  'check --download --one-way': {
    args: [
      'check',
      'LOCAL',
      'BUCKET',
      '--download',
      '--one-way',
      '--missing-on-dst',
      '-',
      '--checkers',
      '1',
    ],
    ...both,
  },
  delete: { args: ['delete', 'BUCKET', '--include', '*.txt'], bucket: tree },
  'purge of a prefix': { args: ['purge', 'BUCKET/dir'], bucket: tree },
  cat: { args: ['cat', 'BUCKET/changed.txt'], bucket: tree },
  'ls of a prefix': { args: ['ls', 'BUCKET/dir/deep'], bucket: tree },
  lsl: { args: ['lsl', 'BUCKET/dir/deep'], bucket: tree },
  'tree by size, directories and empty files': {
    args: ['tree', 'BUCKET', '--sort', 'size', '--sort-reverse'],
    bucket: { a: '', m: '', 'd/x': '1', 'e/f/y': '22', 'e/b': '', z: '333' },
  },
  'tree by size of one level': {
    args: ['tree', 'BUCKET', '--sort', 'size', '--max-depth', '1'],
    bucket: { a: '', m: '', 'd/x': '1', 'e/f/y': '22', 'e/b': '', z: '333' },
  },
  'lsf with times and sizes': {
    args: ['lsf', 'BUCKET', '-F', 'pst', '--files-only'],
    bucket: tree,
  },
  // rclone 1.75 breaks the line in a name.
  tree: { args: ['tree', 'BUCKET'], bucket: tree, only: 'old' },
  'tree of a prefix': { args: ['tree', 'BUCKET/dir'], bucket: tree },
  size: { args: ['size', '--json', 'BUCKET'], bucket: tree },
  'md5sum of a file': { args: ['md5sum', 'BUCKET/changed.txt'], bucket: tree },
  'ls of a missing bucket': { args: ['ls', 's3:no-such-bucket'] },
  'copy from a missing bucket': { args: ['copy', 's3:no-such-bucket', 'LOCAL', '--retries', '1'] },
  'an unknown remote': { args: ['ls', 'nowhere:bucket'] },
};

let world: SyncerWorld;
let server: TestS3;

beforeAll(async () => {
  world = await makeSyncerWorld({ inOwnProcess: true });
  server = await startTestS3();
  await writeFile(world.config, section(server, 's3', { env_auth: 'false' }));
});

afterAll(async () => {
  await server.stop();
  await world.remove();
});

const rclone = (args: readonly string[]) =>
  runRclone(args, { cwd: world.dir, config: world.config });

/** What a bucket holds as rclone tells it: path, size, modification time, MD5. */
async function bucketContents(bucket: string): Promise<string[]> {
  const { stdout } = await rclone([
    'lsf',
    '-R',
    '--files-only',
    '--format',
    'psth',
    '--hash',
    'MD5',
    `s3:${bucket}`,
  ]);
  return stdout.toString().split('\n').sort();
}

describe.skipIf(!hasRclone)('beside rclone on S3', () => {
  let number = 0;
  for (const [what, { args, local, bucket, ...compared }] of Object.entries(CASES)) {
    test.skipIf(!isCompared(compared)).concurrent(what, async () => {
      const id = ++number;
      const outcomes = [];
      for (const who of ['ours', 'theirs'] as const) {
        const folder = join(world.dir, `${id}-${who}`);
        const name = `bucket-${id}-${who}`;
        await writeTree(folder, local ?? {});
        if (bucket !== undefined) {
          await writeTree(`${folder}-seed`, bucket);
          await rclone(['copy', `${folder}-seed`, `s3:${name}`]);
        }
        const line = args.map((arg) =>
          arg.replace('LOCAL', folder).replace('BUCKET', `s3:${name}`),
        );
        const ended = await (who === 'ours' ? world.run(line) : rclone(line));
        const stored = await bucketContents(name);
        const stdout = ended.stdout.toString();
        outcomes.push({
          code: ended.code,
          stdout,
          files: await readTree(folder),
          stored,
          stderr: ended.stderr,
        });
      }
      const [{ stderr, ...ours } = { stderr: '' }, { stderr: _, ...theirs } = { stderr: '' }] =
        outcomes;
      expect(ours, stderr).toEqual(theirs);
    });
  }

  test('a second sync by the other tool finds nothing to do, in both directions', async () => {
    const folder = join(world.dir, 'shared');
    await writeTree(folder, { ...tree, big: 'x'.repeat(20_000_000) });
    await world.run(['sync', folder, 's3:by-us']);
    await rclone(['sync', folder, 's3:by-rclone']);
    for (const bucket of ['by-us', 'by-rclone']) {
      const theirs = await rclone(['sync', folder, `s3:${bucket}`, '-v', '--use-json-log']);
      expect(theirs.stderr).toContain('There was nothing to transfer');
      expect(theirs.stderr).not.toContain('Updated modification time');
      const ours = await world.run(['sync', folder, `s3:${bucket}`, '-v']);
      expect(ours.stderr).toContain('There was nothing to transfer');
      expect(ours.stderr).not.toContain('Updated modification time');
      const check = await rclone(['check', folder, `s3:${bucket}`]);
      expect(check.stderr).not.toContain('could not be checked');
      expect(check.code).toBe(0);
    }
    const { log } = server;
    log.clear();
    await world.run(['copy', 's3:by-us', join(world.dir, 'down')]);
    expect(log.count('HeadObject'), JSON.stringify(log.counts())).toBe(0);
  });
});

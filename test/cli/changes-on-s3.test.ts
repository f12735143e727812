import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ReportRecord } from '../../src/run/reports/report-record.ts';
import { writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';

const world = inProcessWorld();

const bucket = async (tree: Parameters<typeof writeTree>[1]) => {
  const name = `bucket-${world.count}`;
  await mkdir(join(world.s3.root, name), { recursive: true });
  await writeTree(join(world.s3.root, name), tree);
  return `s:${name}`;
};

const reported = async () =>
  JSON.parse(await readFile(join(world.dir, 'report.json'), 'utf8')) as ReportRecord;

const sums = async () => {
  const { stdout } = await world.syncer('history');
  return String(stdout).split('\n')[0];
};

test('a deletion into the backup counts once', async () => {
  const at = await bucket({ 'tree/x1': '1', 'tree/x2': '22' });
  await writeTree(world.dir, { 'from/new': 'new' });
  const { code } = await world.syncer(
    `sync @from ${at}/tree --backup-dir ${at}/old --report @report.json`,
  );
  expect(code).toBe(0);
  const { counts, bytes, deletions } = await reported();
  expect(counts).toMatchObject({ copied: 1, deleted: 2, moved: 0 });
  expect(bytes.deleted).toBe(3);
  expect(deletions.toSorted()).toEqual(['x1', 'x2']);
  expect(await sums()).toContain(', 2 deleted ');
});

test('a rename is one, and a move deletes nothing', async () => {
  const at = await bucket({});
  await writeTree(world.dir, { 'from/before': 'content' });
  await world.syncer(`sync @from ${at}/tree`);
  await rename(join(world.dir, 'from/before'), join(world.dir, 'from/after'));
  await world.syncer(`sync @from ${at}/tree --track-renames --report @report.json`);
  const { counts, deletions } = await reported();
  expect(counts).toMatchObject({ copied: 0, deleted: 0, renamed: 1 });
  expect(deletions).toEqual([]);
  expect(await sums()).not.toContain('deleted');

  await world.syncer(`move ${at}/tree ${at}/other --report @report.json`);
  expect((await reported()).counts).toMatchObject({ copied: 0, deleted: 0, moved: 1 });
  expect(await sums()).not.toContain('deleted');
});

test('a move to a disk comes back without metadata, and says so', async () => {
  const at = await bucket({});
  await writeTree(world.dir, { 'from/x': ['1', 5], 'from/y': ['2', 6] });
  await world.syncer(`copy @from ${at}/tree --header-upload Content-Type:text/odd`);
  const held = async () => (await world.syncer(`lsf ${at}/tree --format pst`)).stdout;
  const before = await held();
  expect((await world.syncer(`move ${at}/tree @to`)).code).toBe(0);
  const { code, stderr } = await world.syncer(`undo ${await world.lastRun()}`);
  expect([code, await held()], stderr).toEqual([0, before]);
  expect(stderr.match(/without the content types and metadata/g)).toHaveLength(1);
});

test('cleanup names each upload that it aborts', async () => {
  const at = await bucket({});
  const run = async (line: string) => (await world.syncer(line)).stdout;
  world.s3.setFaults(({ operation }) =>
    ['CompleteMultipartUpload', 'AbortMultipartUpload'].includes(operation)
      ? { status: 403 }
      : undefined,
  );
  await writeTree(world.dir, { 'from/dir/x': 'x'.repeat(6_000_000) });
  await world.syncer(
    `copy @from ${at} --s3-upload-cutoff 5M --s3-chunk-size 5M --retries 1 --no-resume`,
  );
  world.s3.setFaults(undefined);
  expect(await run(`uploads ls ${at}`)).toContain('dir/x');
  const { code, stderr } = await world.syncer(`cleanup ${at} --older-than -1m -v`);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/INFO {2}: dir\/x: Aborted the upload begun at 20\S+Z/),
  ]);
  expect(await run(`uploads ls ${at}`)).not.toContain('dir/x');
});

test('a deletion whose response was lost has an unknown result', async () => {
  const at = await bucket({ 'tree/x1': '1' });
  world.s3.setFaults(({ operation }) =>
    operation.startsWith('DeleteObject') ? { reset: 'after' } : undefined,
  );
  await world.syncer(`deletefile ${at}/tree/x1 --low-level-retries 1 --retries 1`);
  world.s3.setFaults(undefined);
  expect(await sums()).toContain('1 with unknown result');
});

test('a move whose source cannot be deleted has copied', async () => {
  const at = await bucket({ 'tree/x1': '1', 'tree/x2': '22' });
  await mkdir(world.dir);
  world.s3.setFaults(({ operation, key }) =>
    operation === 'DeleteObject' && key === 'tree/x2' ? { status: 403 } : undefined,
  );
  const { code, stderr } = await world.syncer(
    `move ${at}/tree ${at}/other -v --retries 1 --report @report.json`,
  );
  world.s3.setFaults(undefined);
  expect(code).toBe(1);
  expect(stderr).toContain('x2: Copied (server-side copy)');
  expect(stderr).toMatch(/ERROR : x2: .*tree\/x2/);
  expect((await reported()).counts).toMatchObject({ copied: 1, deleted: 0, moved: 1 });
  expect(
    String((await world.syncer(`lsf -R ${at}`)).stdout)
      .split('\n')
      .sort(),
  ).toEqual(['', 'other/', 'other/x1', 'other/x2', 'tree/', 'tree/x2']);
});

test.each([false, true])(
  'a purge names each object that stays, and deletes the others (with versions: %s)',
  async (hasVersions) => {
    const names = ['a', 'b', 'c', 'dir/d'];
    const at = await bucket(Object.fromEntries(names.map((name) => [`tree/${name}`, name])));
    if (hasVersions) await world.syncer(`backend versioning ${at} Enabled`);
    world.s3.setFaults(({ operation, key = '' }) => {
      if (operation === 'DeleteObjects') return { status: 501 };
      const isHeld = operation === 'DeleteObject' && ['tree/b', 'tree/dir/d'].includes(key);
      return isHeld ? { status: 403 } : undefined;
    });
    const { code, stderr } = await world.syncer(`purge ${at}/tree -v --low-level-retries 1`);
    world.s3.setFaults(undefined);
    expect(code).toBe(1);
    expect(stderr.match(/\S+: Deleted/g)?.toSorted()).toEqual(['a: Deleted', 'c: Deleted']);
    expect(stderr.match(/\S+: Couldn't delete/g)?.toSorted()).toEqual([
      "b: Couldn't delete",
      "dir/d: Couldn't delete",
    ]);
    expect(stderr).toContain('Failed to purge with 2 errors');
    expect((await world.syncer(`lsf -R --files-only ${at}`)).stdout).toBe('tree/b\ntree/dir/d\n');
  },
);

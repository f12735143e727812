import { chmod, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newRunId } from '../../src/core/run-id.ts';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { ALL } from '../support/in-part.ts';
import { inProcessWorld } from '../support/in-process-world.ts';
import { randomFrom } from '../support/random-from.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';
import { makeS3World } from '../support/s3-world.ts';
import { stateRows } from '../support/state-rows.ts';
import { waitFor } from '../support/wait-for.ts';

const world = inProcessWorld();
const { syncer, lastRun } = world;

/** What a remote holds: path → size, time and MD5. */
async function held(spec: string): Promise<readonly string[]> {
  const { stdout } = await syncer(`lsf -R ${spec} --format psth --hash md5`);
  return stdout.split('\n').filter((line) => line !== '' && !/^[^;]*\/;/.test(line));
}

/** A random tree: the same paths in each, so that most are in both. */
function randomTree(random: (below: number) => number, time: number): Tree {
  const tree: Record<string, readonly [string, number]> = {};
  for (const path of ['a', 'b', 'c', 'd/a', 'd/b', 'd/e/f', 'g/h', 'g/i/j', 'k ö/ä']) {
    if (random(10) < 4) continue;
    const size = random(20);
    tree[path] = ['x'.repeat(size) + String(random(4)), time + random(3)];
  }
  return tree;
}

const FLAGS = ['', ' --track-renames', ' --checksum', ' --delete-before', ' --backup-dir BACKUP'];

/** Where and with what; in `npm test` every flag is there once. */
const UNDONE = [
  ['a disk', '@to', '@kept', '', 0],
  ['S3 without versions', 's:plainN/to', 's:plainN/kept', '', 2],
  ['S3 with versions', 's:versionsN/to', 's:versionsN/kept', 'Enabled', 4],
] as const;

test.each(UNDONE)(
  '%s: what sync changed is as before after undo, and as after it when that is undone',
  async (_, at, beside, versions, first) => {
    const random = randomFrom(7);
    for (let round = first; round < first + (ALL ? 6 : 2); round++) {
      const [to, backup] = [at, beside].map((spec) => spec.replace('N', String(round)));
      const bucket = /^s:[^/]*/.exec(to ?? '')?.[0];
      if (bucket !== undefined) {
        await syncer(`mkdir ${bucket}`);
        if (versions !== '')
          expect((await syncer(`backend versioning ${bucket} ${versions}`)).code).toBe(0);
      }
      await rm(world.dir, { recursive: true, force: true });
      await writeTree(join(world.dir, 'old'), randomTree(random, 1_500_000_000));
      await writeTree(join(world.dir, 'new'), randomTree(random, 1_600_000_000));
      expect((await syncer(`sync @old ${to} --no-history`)).code).toBe(0);
      const before = await held(to ?? '');
      const flags = (FLAGS[round % FLAGS.length] ?? '').replace('BACKUP', backup ?? '');
      expect((await syncer(`sync @new ${to}${flags} --trash`)).code).toBe(0);
      const after = await held(to ?? '');
      const undone = await syncer(`undo ${await lastRun()}`);
      expect([undone.code, await held(to ?? '')], undone.stderr).toEqual([0, before]);
      const redone = await syncer(`undo ${await lastRun()}`);
      expect([redone.code, await held(to ?? '')], redone.stderr).toEqual([0, after]);
    }
  },
);

const TREE: Tree = { 'b/x': ['old', 5], 'b/extra': ['gone', 6], 'a/x': ['new!', 7], 'a/y': '2' };

test('what changed since is left, and --force takes it, into the trash', async () => {
  await writeTree(world.dir, TREE);
  await syncer('sync @a @b --trash');
  const id = await lastRun();
  await writeFile(join(world.dir, 'b/x'), 'edited since');
  const { code, stdout, stderr } = await syncer(`undo ${id}`);
  expect([code, stdout]).toEqual([
    22,
    `${id}: 1 file restored, 1 file deleted, 1 file left, changed since\n`,
  ]);
  expect(stderr).toContain('x: Left as it is: changed since the run');
  expect(await readFile(join(world.dir, 'b/x'), 'utf8')).toBe('edited since');
  expect((await syncer(`undo ${id} --force`)).code).toBe(0);
  const left = await readTree(join(world.dir, 'b'));
  expect(left).toMatchObject({ x: 'old@5', extra: 'gone@6' });
  expect(await readFile(join(world.dir, 'b/.syncer-trash', await lastRun(), 'x'), 'utf8')).toBe(
    'edited since',
  );
});

test.each([
  ['@b', ''],
  ['s:redone/b', 'none'],
  ['s:again/b', 'Enabled'],
])(
  'after an undo of its undo, a run in %s counts as not undone, and can be',
  async (to, status) => {
    await writeTree(world.dir, TREE);
    if (status !== '') {
      const [bucket] = to.split('/');
      await syncer(`mkdir ${bucket}`);
      if (status === 'Enabled') await syncer(`backend versioning ${bucket} Enabled`);
      await syncer(`sync @b ${to} --no-history`);
    }
    const before = await held(to);
    await syncer(`sync @a ${to} --trash`);
    const id = await lastRun();
    const told = async () => (await syncer(`history ${id}`)).stdout.split('\n')[2];
    for (const text of [/^Undone by/, /^Can be undone/, /^Undone by/]) {
      expect((await syncer(`undo ${await lastRun()}`)).code).toBe(0);
      expect(await told()).toMatch(text);
    }
    expect((await syncer(`undo ${await lastRun()}`)).code).toBe(0);
    const { code, stderr } = await syncer(`undo ${id}`);
    expect([code, stderr.includes('Already undone')], stderr).toEqual([0, false]);
    expect(await held(to)).toEqual(before);
    expect(await told()).toBe(`Undone by ${(await lastRun()).slice(-4)}`);
  },
);

test('a path is undone alone, and --dry-run changes nothing', async () => {
  await writeTree(world.dir, TREE);
  await syncer('sync @a @b --trash');
  const id = await lastRun();
  const after = await readTree(world.dir);
  const dry = await syncer(`undo ${id} -n`);
  expect(dry.stderr).toContain('extra: Skipped copy as --dry-run is set');
  expect(await readTree(world.dir)).toEqual(after);
  expect((await syncer(`undo ${id} extra`)).code).toBe(0);
  expect(await readTree(join(world.dir, 'b'))).toMatchObject({ extra: 'gone@6', x: 'new!@7' });
  expect((await syncer(`undo ${id} nothing`)).stderr).toContain('changed nothing at nothing');
});

test('for a path instead of a run, its last runs are named', async () => {
  await writeTree(world.dir, TREE);
  const ids: string[] = [];
  for (const verb of ['sync', 'touch', 'touch', 'touch']) {
    await syncer(verb === 'sync' ? 'sync @a @b --trash' : 'touch @b/x');
    ids.unshift(await lastRun());
  }
  const before = await readTree(world.dir);
  const { code, stderr } = await syncer('undo @b/x');
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /x" is not a run; it was last changed by \S+ \(syncer touch .*\), \d+ s ago, /,
  );
  expect(ids.map((id) => stderr.includes(id))).toEqual([true, true, true, false]);
  expect(stderr).toContain('"syncer history ');
  const gone = await syncer('undo @b/extra');
  expect(gone.stderr).toContain(`it was last changed by ${ids[3]} (syncer sync `);
  const none = await syncer('undo @b/none');
  expect(none.stderr).toContain('none whose changes are kept has changed this path');
  expect((await syncer('undo none')).stderr).toContain('there is no run "none"');
  expect(await readTree(world.dir)).toEqual(before);
});

test('without a trash, what is gone is named', async () => {
  await writeTree(world.dir, TREE);
  await syncer('sync @a @b');
  const id = await lastRun();
  const { code, stdout, stderr } = await syncer(`undo ${id}`);
  expect([code, stdout]).toEqual([
    4,
    `${id}: 0 files restored, 1 file deleted, 2 paths not kept\n`,
  ]);
  expect(stderr).toContain('extra: Not restored: its old content is not kept');
  expect(await readTree(join(world.dir, 'b'))).toMatchObject({ x: 'new!@7' });
});

test('a deletion is not made if the trash cannot take the file', async () => {
  await writeTree(world.dir, { 'b/extra': 'stay', 'a/x': '1' });
  await writeFile(join(world.dir, 'b/.syncer-trash'), 'a file is in the way');
  const { code, stderr } = await syncer('sync @a @b --trash --retries 1');
  expect(code).toBe(1);
  expect(stderr).toContain('extra');
  expect(await readTree(join(world.dir, 'b'))).toMatchObject({
    extra: expect.stringContaining('stay'),
  });
});

test('--trash without a history that can be written changes nothing', async () => {
  await writeTree(world.dir, TREE);
  const state = join(world.env.HOME, '.local/state/syncer');
  await rename(join(state, 'runs'), join(state, 'aside')).catch(() =>
    mkdir(state, { recursive: true }),
  );
  await writeFile(join(state, 'runs'), '');
  try {
    const { code, stderr } = await syncer('sync @a @b --trash --retries 1');
    expect([code, stderr]).toEqual([7, expect.stringContaining('which --trash needs')]);
    expect(await readTree(join(world.dir, 'b'))).toEqual({ x: 'old@5', extra: 'gone@6' });
  } finally {
    await rm(join(state, 'runs'));
    await rename(join(state, 'aside'), join(state, 'runs')).catch(() => {});
  }
});

test('a move to S3 and back', async () => {
  await writeTree(world.dir, { 'a/x': ['1', 5], 'a/d/y': ['2', 6] });
  await syncer('mkdir s:moves');
  const before = await readTree(join(world.dir, 'a'));
  expect((await syncer('move @a s:moves/to')).code).toBe(0);
  expect(await held('@a')).toEqual([]);
  const { code, stderr } = await syncer(`undo ${await lastRun()}`);
  expect([code, await readTree(join(world.dir, 'a'))], stderr).toEqual([0, before]);
  expect(await held('s:moves/to')).toEqual([]);
});

test('a renamed directory, a purge and a touch are undone', async () => {
  await writeTree(world.dir, { 'a/x': ['1', 5], 'a/d/y': ['2', 6] });
  const before = await readTree(join(world.dir, 'a'));
  expect((await syncer('moveto @a @z')).code).toBe(0);
  const undone = await syncer(`undo ${await lastRun()}`);
  expect([undone.code, undone.stderr]).toEqual([0, expect.not.stringContaining('ERROR')]);
  expect(await readTree(join(world.dir, 'a'))).toEqual(before);
  expect((await syncer('purge @a/d --trash')).code).toBe(0);
  expect((await syncer(`undo ${await lastRun()}`)).code).toBe(0);
  expect((await readTree(join(world.dir, 'a')))?.['d/y']).toBe('2@6');
  expect((await syncer('touch @a/x -t 2026-01-31T12:00:00')).code).toBe(0);
  expect((await syncer(`undo ${await lastRun()}`)).code).toBe(0);
  expect((await stat(join(world.dir, 'a/x'))).mtimeMs).toBe(5000);
});

test('a deleted directory gets all bits of its mode back', async () => {
  await writeTree(world.dir, { 'a/keep': '1', 'b/keep': '1', 'b/open/x': '2', 'b/group/y': '3' });
  await chmod(join(world.dir, 'b/open'), 0o1777);
  await chmod(join(world.dir, 'b/group'), 0o2750);
  expect((await syncer('sync @a @b --trash')).code).toBe(0);
  expect(await readTree(join(world.dir, 'b/open'))).toBe(undefined);
  expect((await syncer(`undo ${await lastRun()}`)).code).toBe(0);
  const modes = ['open', 'group'].map(async (dir) => (await stat(join(world.dir, 'b', dir))).mode);
  expect((await Promise.all(modes)).map((mode) => mode & 0o7777)).toEqual([0o1777, 0o2750]);
});

test('deletions on a disk copy no byte: the trash has the same inodes', async () => {
  await writeTree(world.dir, { 'a/keep': '1', 'b/keep': '1', 'b/d/extra': 'x' });
  const { ino } = await stat(join(world.dir, 'b/d/extra'));
  await syncer('sync @a @b --trash');
  const kept = join(world.dir, 'b/.syncer-trash', await lastRun(), 'd/extra');
  expect((await stat(kept)).ino).toBe(ino);
  await utimes(kept, 9, 9);
  await chmod(kept, 0o600);
  // What is in the trash is not what was deleted: only what it is now can be restored.
  expect((await syncer(`undo ${await lastRun()}`)).code).toBe(0);
  expect((await stat(join(world.dir, 'b/d/extra'))).ino).toBe(ino);
});

test('a bucket with versions gets no request more for the trash than one', async () => {
  const requests = async (flags: string, bucket: string) => {
    await syncer(`mkdir s:${bucket}`);
    await syncer(`backend versioning s:${bucket} Enabled`);
    await rm(world.dir, { recursive: true, force: true });
    await writeTree(world.dir, TREE);
    await syncer(`copy @b s:${bucket} --no-history`);
    const from = world.s3.log.requests.length;
    expect((await syncer(`sync @a s:${bucket}${flags}`)).code).toBe(0);
    return world.s3.log.requests
      .slice(from)
      .map(({ method }) => method)
      .sort();
  };
  const plain = await requests('', 'requests1');
  const kept = await requests(' --trash', 'requests2');
  expect(kept).toEqual(['GET', ...plain].sort());
});

test('in a bucket with versions, a purge and files that a filter hid are undone without a trash', async () => {
  await syncer('mkdir s:kept');
  expect((await syncer('backend versioning s:kept Enabled')).code).toBe(0);
  await writeTree(world.dir, { 'a/big': 'x'.repeat(50), 'a/d/e': '1', 'b/big': 'y' });
  expect((await syncer('sync @a s:kept/to --no-history')).code).toBe(0);
  const before = await held('s:kept/to');
  // The old file of that name is not listed.
  expect((await syncer('copy @b s:kept/to --max-size 5B')).code).toBe(0);
  expect(await held('s:kept/to')).not.toEqual(before);
  expect((await syncer(`undo ${await lastRun()}`)).code).toBe(0);
  expect(await held('s:kept/to')).toEqual(before);
  expect((await syncer('purge s:kept/to')).code).toBe(0);
  expect((await syncer('lsf s:kept/to')).stdout).toBe('');
  const purge = await lastRun();
  expect((await syncer(`history ${purge}`)).stdout).toContain('d/e');
  expect((await syncer(`undo ${purge}`)).code).toBe(0);
  expect(await held('s:kept/to')).toEqual(before);
  expect((await syncer('purge s:kept/none')).code).toBe(0);
});

test('of versions with the same content, the one under the delete marker of the run is restored', async () => {
  await syncer('mkdir s:same');
  expect((await syncer('backend versioning s:same Enabled')).code).toBe(0);
  await writeTree(world.dir, { 'a/f': ['1', 1_500_000_000] });
  await syncer('copy @a s:same --no-history');
  expect((await syncer('deletefile s:same/f')).code).toBe(0);
  const id = await lastRun();
  await writeTree(world.dir, { 'a/f': ['1', 1_600_000_000] });
  await syncer('copy @a s:same --no-history');
  await syncer('deletefile s:same/f --no-history');
  expect((await syncer(`undo ${id}`)).code).toBe(0);
  expect((await held('s:same')).join()).toContain('2017-07-14');
});

test('earlier runs leave the trash after --trash-keep', async () => {
  await writeTree(world.dir, { ...TREE, 'b/.syncer-trash/20260101-000000-2222/x': 'ancient' });
  await syncer('sync @a @b --trash --trash-keep off');
  expect(await readTree(join(world.dir, 'b/.syncer-trash/20260101-000000-2222'))).toBeDefined();
  await writeTree(world.dir, {
    'b/more': '1',
    'b/.syncer-trash/20000101-000000-2222/x': 'its clock had not been set',
  });
  // Only the clock says that it is old: a run of the day before proves it.
  await syncer('sync @a @b --trash');
  expect(await readTree(join(world.dir, 'b/.syncer-trash/20260101-000000-2222'))).toBeDefined();
  const before = newRunId(Date.now() - 25 * 3_600_000);
  await writeTree(world.dir, { 'b/more': '2', [`b/.syncer-trash/${before}/x`]: 'of yesterday' });
  await syncer('sync @a @b --trash');
  expect(await readTree(join(world.dir, 'b/.syncer-trash/20260101-000000-2222'))).toBeUndefined();
  expect(await readTree(join(world.dir, 'b/.syncer-trash/20000101-000000-2222'))).toBeDefined();
});

test('--trash-dir keeps files outside of the destination', async () => {
  await writeTree(world.dir, TREE);
  expect((await syncer(`sync @a @b --trash-dir ${join(world.dir, 'bin')}`)).code).toBe(0);
  const id = await lastRun();
  expect(Object.keys((await readTree(join(world.dir, 'bin'))) ?? {})).toContain(`${id}/extra`);
  expect((await syncer(`undo ${id}`)).code).toBe(0);
  expect(await readTree(join(world.dir, 'b'))).toMatchObject({ x: 'old@5', extra: 'gone@6' });
});

test.each([
  ['a line that cannot be read', (text: string) => text.replace(/.*"path":"x2".*/, 'garbage')],
  ['the end is missing', (text: string) => text.slice(0, -5)],
  ['a result is missing', (text: string) => text.replace(/.*"done":.*\n/, '')],
  ['swapped lines', (text: string) => text.replace(/(.*"do":.*\n)(.*\n)/, '$2$1')],
])('a damaged journal: %s: undo does what it can, and says so', async (_, spoil) => {
  await writeTree(world.dir, { 'a/x1': 'new', 'a/x2': 'new', 'b/x1': 'old!', 'b/x2': 'old!' });
  await syncer('sync @a @b --trash');
  const id = await lastRun();
  const path = join(world.env.HOME, '.local/state/syncer/runs', id, 'journal.jsonl');
  await writeFile(path, spoil(await readFile(path, 'utf8')));
  const { code, stderr } = await syncer(`undo ${id}`);
  expect(code).toBe(22);
  expect(stderr).toContain('is damaged');
  expect(await readFile(join(world.dir, 'b/x1'), 'utf8')).toBe('old!');
  expect((await syncer(`history ${id}`)).stdout).toContain(
    'Undo only in part, the journal is damaged: ',
  );
  expect((await syncer(`history ${id}`)).stdout).not.toContain('ndone by');
});

test('undo obeys filters and --max-delete, and a part of a run is not the run', async () => {
  await writeTree(world.dir, TREE);
  await syncer('sync @a @b --trash');
  const id = await lastRun();
  expect((await syncer(`undo ${id} --max-delete 0`)).code).toBe(7);
  expect(await readTree(join(world.dir, 'b'))).toHaveProperty('y');
  expect((await syncer(`undo ${id} --include extra`)).code).toBe(0);
  expect(await readTree(join(world.dir, 'b'))).toMatchObject({
    extra: 'gone@6',
    y: expect.anything(),
  });
  expect((await syncer(`undo ${id} --include nothing`)).code).toBe(1);
  expect((await syncer(`undo ${id} -n`)).code).toBe(0);
  expect((await syncer(`history ${id}`)).stdout).not.toContain('ndone by');
  expect((await syncer(`undo ${id}`)).code).toBe(0);
  expect((await syncer(`history ${id}`)).stdout).toContain('Undone by');
});

test('an undo that is undone counts the files that it restores and deletes', async () => {
  await writeTree(world.dir, TREE);
  await syncer('sync @a @b --trash');
  const undone = await syncer(`undo ${await lastRun()}`);
  expect(undone.stdout).toContain(': 2 files restored, 1 file deleted\n');
  const redone = await syncer(`undo ${await lastRun()}`);
  expect(redone.stdout).toContain(': 2 files restored, 1 file deleted\n');
});

test('a directory in the way is named, and no advice to use --force', async () => {
  await writeTree(world.dir, TREE);
  await syncer('sync @a @b --trash');
  const id = await lastRun();
  await mkdir(join(world.dir, 'b/extra'));
  const { code, stderr } = await syncer(`undo ${id} --force`);
  expect(code).toBe(22);
  expect(stderr).toContain('1 path was left: a directory of that name is there');
  expect(stderr).not.toContain('--force');
});

test('a file with the name of a directory is in the way of what was in it', async () => {
  await writeTree(world.dir, { 'b/d/x': 'gone', 'b/y': 'gone too' });
  await syncer('delete @b --rmdirs --trash');
  await writeTree(world.dir, { 'b/d': 'file' });
  const { code, stderr } = await syncer(`undo ${await lastRun()}`);
  expect([code, stderr]).toEqual([22, expect.stringContaining('rename the file and try again')]);
  expect(await readFile(join(world.dir, 'b/d'), 'utf8')).toBe('file');
  expect(await readFile(join(world.dir, 'b/y'), 'utf8')).toBe('gone too');
});

test('a trash that is gone is named', async () => {
  await writeTree(world.dir, TREE);
  await syncer('sync @a @b --trash');
  const id = await lastRun();
  await rm(join(world.dir, 'b/.syncer-trash'), { recursive: true });
  const { code, stderr } = await syncer(`undo ${id}`);
  expect(code).toBe(4);
  expect(stderr).toContain(`/b/.syncer-trash/${id}, and is not there as it was kept`);
  expect(stderr).not.toContain('--trash keeps it');
});

test('a killed sync is undone', async () => {
  const killed = await makeSyncerWorld();
  onTestFinished(() => killed.remove());
  const files = (text: string) =>
    Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`d${n % 3}/${text}${n}`, text]));
  await writeTree(join(killed.dir, 'new'), { ...files('created'), same: 'new' });
  await writeTree(join(killed.dir, 'to'), { ...files('deleted'), same: 'old' });
  const before = await readTree(join(killed.dir, 'to'));
  const words = ['sync', 'new', 'to', '--trash', '--delete-before', '--bwlimit', '50', '-v'];
  const running = killed.start(words);
  await waitFor(() => /Copied/.test(running.seen.stderr), running.ended);
  running.kill('SIGKILL');
  await running.ended;
  expect(await readTree(join(killed.dir, 'to'))).not.toMatchObject(before ?? {});
  const history = await killed.run(['history', '--json']);
  const undone = await killed.run(['undo', JSON.parse(history.stdout.toString()).id]);
  expect(undone.code, undone.stderr).toBe(0);
  const after = Object.entries((await readTree(join(killed.dir, 'to'))) ?? {});
  const own = after.filter(([path]) => !path.startsWith('.syncer-trash'));
  expect(Object.fromEntries(own)).toEqual(before);
});

test('a move within a bucket that is killed before the response to its deletion is undone', async () => {
  const killed = await makeS3World();
  onTestFinished(() => killed.remove());
  await writeTree(join(killed.dir, 'old'), { a: 'content of a', 'd/b': 'content of b' });
  await killed.run(['copy', 'old', 'store:bucket/from', '--no-history']);
  const before = await killed.objects();
  let isStuck = false;
  let isLost = false;
  killed.s3.setFaults(({ operation }) => {
    if (isLost) {
      isStuck = true;
      return { hang: 'before' };
    }
    isLost = /^DeleteObjects?$/.test(operation);
    return isLost ? { reset: 'after' } : undefined;
  });
  const running = killed.start(['move', 'store:bucket/from', 'store:bucket/to', '--transfers=1']);
  await waitFor(() => isStuck, running.ended);
  running.kill('SIGKILL');
  await running.ended;
  killed.s3.setFaults(undefined);
  expect(await killed.objects()).not.toEqual(before);
  const history = await killed.run(['history', '--json']);
  const undone = await killed.run(['undo', JSON.parse(history.stdout.toString()).id]);
  expect(undone.code, undone.stderr).toBe(0);
  const after = Object.entries(await killed.objects());
  const own = after.filter(([key]) => !key.startsWith('to/.syncer-trash/'));
  expect(Object.fromEntries(own)).toEqual(before);
});

test('a run that goes on in another container is not undone', async () => {
  await rm(world.dir, { recursive: true, force: true });
  await writeTree(join(world.dir, 'from'), { a: ['1', 1_500_000_000] });
  expect((await syncer('copy @from @to')).code).toBe(0);
  const id = await lastRun();
  const socket = join(world.dir, 'run.sock');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const sql = 'UPDATE runs SET ended_ms = ?, mark = ?, is_listed = 1, socket = ? WHERE id = ?';
  stateRows(
    join(world.dir, '../.local/state/syncer'),
    sql,
    null,
    'container-1-1',
    Buffer.from(socket),
    id,
  );
  const refused = await syncer(`undo ${id}`);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is not finished')]);
  await new Promise((resolve) => server.close(resolve));
  expect((await syncer(`undo ${id}`)).code).toBe(0);
  expect(await readTree(join(world.dir, 'to'))).not.toHaveProperty('a');
});

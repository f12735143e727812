import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { oneOfEach, testOfAll } from '../support/in-part.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';
import { stateRows } from '../support/state-rows.ts';
import { waitFor } from '../support/wait-for.ts';

let world: S3World;
beforeEach(async () => {
  world = await makeS3World();
});
afterEach(() => world.remove());

const nameOf = (i: number) => `img_${String(i).padStart(5, '0')}`;
const PAGES = ['--s3-list-chunk', '20', '--transfers', '4', '--s3-no-check-bucket'];
const SYNC = ['sync', 'store:bucket/a', 'store:bucket/b', '--checkpoint', ...PAGES];

async function fill(dir: string, from: number, to: number): Promise<void> {
  await mkdir(join(world.bucket, dir), { recursive: true });
  for (let i = from; i < to; i++)
    await writeFile(join(world.bucket, dir, nameOf(i)), `content ${i}`);
}

const inState = (sql: string, ...values: (string | number)[]) =>
  stateRows(join(world.dir, '../home/.local/state/syncer'), sql, ...values);

const checkpoints = () =>
  inState('SELECT * FROM checkpoints') as { readonly owner: string; readonly ledger: string }[];

/** The ranges that the checkpoint has as done, with files of the source or extra files. */
function finished(kind: 'files' | 'extra'): readonly unknown[] {
  const [{ ledger = '{"ranges":[]}' } = {}] = checkpoints();
  return JSON.parse(ledger).ranges.filter(
    ({ isDone, [kind]: count }: never) => isDone && count > 0,
  );
}

/** Kills a sync of which a range with files is done, or with extra files. */
async function kill(kind: 'files' | 'extra' = 'files'): Promise<void> {
  const run = world.start([...SYNC, '--tpslimit', '75', '--tpslimit-burst', '1']);
  await waitFor(() => finished(kind).length > 0, run.ended);
  run.kill('SIGKILL');
  expect((await run.ended).signal).toBe('SIGKILL');
}

test('a killed sync continues behind the finished ranges, and deletes extra files only at the end', async () => {
  await fill('a', 0, 300);
  await fill('b', 300, 340);
  await kill();
  expect(await readdir(join(world.bucket, 'b'))).toContain(nameOf(339));
  const copied = await readdir(join(world.bucket, 'b'));
  world.s3.log.clear();
  const next = await world.run(SYNC);
  expect(next).toMatchObject({ code: 0 });
  expect(next.stderr).toMatch(/Continuing the run of .* UTC: \d+ of \d+ ranges are done/);
  const left = 300 - copied.filter((name) => name < nameOf(300)).length;
  expect(world.s3.log.count('CopyObject')).toBe(left);
  expect((await readdir(join(world.bucket, 'b'))).sort()).toEqual(
    Array.from({ length: 300 }, (_, i) => nameOf(i)),
  );
  expect(checkpoints()).toEqual([]);
  const again = await world.run(SYNC);
  expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Continuing') });
});

testOfAll(
  'a destination that is gone, a damaged checkpoint or other flags start from the first name',
  async () => {
    await fill('a', 0, 300);
    await fill('b', 300, 340);
    await kill();
    const other = await world.run([...SYNC, '--size-only']);
    expect(other).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Continuing') });
    expect(checkpoints()).toHaveLength(1);
    inState('UPDATE checkpoints SET ledger = ?', '{"phase":"copying"');
    await rm(join(world.bucket, 'b'), { recursive: true });
    const fresh = await world.run(SYNC);
    expect(fresh).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Continuing') });
    expect(await readdir(join(world.bucket, 'b'))).toHaveLength(300);
  },
);

testOfAll('a checkpoint with a changed digit is not used', async () => {
  await fill('a', 100, 400);
  await fill('b', 0, 100);
  await kill('extra');
  const [{ ledger = '' } = {}] = checkpoints();
  const changed = ledger.replaceAll(/"extra":\d+/g, '"extra":0');
  inState('UPDATE checkpoints SET ledger = ?', changed);
  const next = await world.run(SYNC);
  expect(next).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Continuing') });
  expect(await readdir(join(world.bucket, 'b'))).toHaveLength(300);
});

testOfAll('the checkpoint of another run is not used', async () => {
  await fill('a', 0, 300);
  await fill('b', 300, 340);
  await kill();
  // The ledger, and its sum, are those of another key.
  const [{ ledger = '' } = {}] = checkpoints();
  inState('UPDATE checkpoints SET sum = ?', crc32(`another\n${ledger}`));
  const next = await world.run(SYNC);
  expect(next).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Continuing') });
});

testOfAll(
  'of two runs at the same time, one records, and the other one does all by itself',
  async () => {
    await fill('a', 0, 300);
    const first = world.start([...SYNC, '--tpslimit', '30', '--tpslimit-burst', '1']);
    await waitFor(() => finished('files').length > 0, first.ended);
    const [before] = checkpoints();
    const second = await world.run(SYNC);
    expect(second).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^(?!.*Continuing).*Another run of the same command has/s),
    });
    expect(await readdir(join(world.bucket, 'b'))).toHaveLength(300);
    expect(checkpoints()).toMatchObject([{ owner: before?.owner }]);
    first.kill('SIGKILL');
    await first.ended;
    expect((await world.run(SYNC)).stderr).toContain('Continuing the run of');
    expect(checkpoints()).toEqual([]);
  },
);

test.each([
  [['--track-renames'], "can't use --checkpoint with --track-renames"],
  [['--delete-before'], "can't use --checkpoint with --delete-before"],
])('%j is refused', async (flags, why) => {
  const { code, stderr } = await world.run([...SYNC, ...flags]);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(why) });
});

const STOPPED: readonly (readonly [string[], number, number, string])[] = [
  [['--guard', 'on'], 0, 150, 'guard empty: the source has no files, and 150 of 150 files'],
  [['--guard', 'on'], 20, 150, 'guard percent: 130 of 150 files'],
  [['--guard', 'count=9'], 100, 110, 'guard count: 10 files would be deleted, more than 9'],
  [['--max-delete', '10%'], 10, 20, '--max-delete 10%: 10 of 20 files'],
];

test.each(oneOfEach(STOPPED, ([[flag = '']]) => flag))(
  '%j stops before the first deletion: %i of %i files',
  async (flags, source, dest, why) => {
    await fill('a', 0, source);
    await fill('b', 0, dest);
    const guarded = await world.run([...SYNC, ...flags]);
    expect(guarded).toMatchObject({ code: 21, stderr: expect.stringContaining(why) });
    expect(guarded.stderr).toContain(`${nameOf(source)}, ${nameOf(source + 1)}, `);
    expect(guarded.stderr).toContain('nothing was deleted');
    expect(await readdir(join(world.bucket, 'b'))).toHaveLength(dest);
    // With a source that was corrected the next run has other numbers.
    expect(checkpoints()).toEqual([]);
    const allowed = `${dest - source}`;
    expect(await world.run([...SYNC, ...flags, '--allow-deletes', allowed])).toMatchObject({
      code: 0,
    });
    const left = await readdir(join(world.bucket, 'b')).catch(() => []);
    expect(left).toHaveLength(source);
  },
);

testOfAll('guards look at all ranges, also at those of a killed run', async () => {
  await fill('a', 0, 300);
  await fill('b', 200, 410);
  await kill();
  const guard = [...SYNC, '--guard', 'count=100'];
  const guarded = await world.run(guard);
  expect(guarded.stderr).not.toContain('Continuing the run');
  expect(guarded).toMatchObject({ code: 21, stderr: expect.stringContaining('110 files would') });
  expect(await world.run([...SYNC, '--guard', 'count=110'])).toMatchObject({ code: 0 });
  expect(await readdir(join(world.bucket, 'b'))).toHaveLength(300);
});

testOfAll(
  '--max-delete-size counts the deletions of each run, also of extra files that a killed run found',
  async () => {
    await fill('a', 140, 600);
    await fill('b', 100, 140);
    await kill('extra');
    for (const left of [490, 480]) {
      const limited = await world.run([...SYNC, '--max-delete-size', '115B']);
      expect(limited.stderr).toMatch(/Continuing the run of .* UTC: \d+ of \d+ ranges are done/);
      expect(limited).toMatchObject({
        code: 7,
        stderr: expect.stringContaining('--max-delete-size'),
      });
      expect(await readdir(join(world.bucket, 'b'))).toHaveLength(left);
    }
    expect(await world.run(SYNC)).toMatchObject({ code: 0 });
    expect(await readdir(join(world.bucket, 'b'))).toHaveLength(460);
  },
);

test('guards about places look before a run in ranges', async () => {
  await fill('a', 0, 2);
  const guarded = await world.run([...SYNC, '--guard', 'marker=no']);
  expect(guarded).toMatchObject({ code: 21, stderr: expect.stringContaining('guard marker') });
  expect(await readdir(join(world.bucket, 'b')).catch(() => [])).toEqual([]);
  expect(await world.run([...SYNC, '--guard', `marker=${nameOf(1)}`])).toMatchObject({ code: 0 });
});

test('a name whose key sorts elsewhere is an error, and nothing is deleted', async () => {
  await fill('a', 0, 60);
  await fill('b', 100, 101);
  await writeFile(join(world.bucket, 'a', 'm\u0001x'), 'odd');
  const { code, stderr } = await world.run([...SYNC, '--retries', '1']);
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('run without --checkpoint'),
  });
  expect(await readdir(join(world.bucket, 'b'))).toHaveLength(61);
});

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startTestGraph } from '../servers/graph/start-graph.ts';
import { expectFailure } from '../support/expect-failure.ts';
import { configureDrive } from '../support/graph-world.ts';
import { testOfAll } from '../support/in-part.ts';
import { PART, resumedUploads } from '../support/resumed-uploads.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';
import { waitFor } from '../support/wait-for.ts';

/** What is stored of an upload of at least 64 MiB is kept. */
const uploads = resumedUploads(15);
const { uploadUntil, finish, expectUploaded, sentParts } = uploads;

test('a killed upload is resumed', async () => {
  const running = await uploadUntil(10);
  running.kill('SIGKILL');
  await running.ended;
  const ended = await finish();
  await expectUploaded(ended);
  expect(ended.stderr).toContain('(10 of 15 parts verified)');
  expect(new Set(sentParts().slice(-5))).toEqual(new Set([11, 12, 13, 14, 15]));
});

testOfAll('a killed upload to a drive is resumed', async () => {
  const [world, graph] = await Promise.all([makeSyncerWorld(), startTestGraph()]);
  onTestFinished(async () => {
    await Promise.all([world.remove(), graph.stop()]);
  });
  const env = await configureDrive(world.config, graph);
  const content = 'content '.repeat(8_500_000);
  await writeFile(join(world.dir, 'file'), content);
  const words = ['copy', 'file', 'd:to', '--onedrive-chunk-size', '1280Ki', '-v'];
  graph.setFaults(({ operation }, n) =>
    operation === 'putFragment' && n >= 14 ? { hang: 'before' } : undefined,
  );
  const running = world.start(words, { env });
  await waitFor(() => graph.log.count('putFragment') > 14, running.ended);
  running.kill('SIGKILL');
  await running.ended;
  graph.setFaults(undefined);
  const ended = await world.run(words, { env });
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).toMatch(/Resuming the upload at \d+% \(14 of 52 parts verified\)/);
  expect(graph.drive.read('to/file')?.toString() === content).toBe(true);
  expect(graph.openSessions()).toEqual([]);
  expect(graph.log.count('createUploadSession')).toBe(1);
});

testOfAll('Ctrl-C keeps what is stored, and names the command that deletes it', async () => {
  const running = await uploadUntil(13);
  running.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect(ended.stderr).toContain('syncer uploads abort store:bucket/file');
  const listed = await uploads.world.run(['uploads', 'ls', 'store:bucket']);
  expect(listed.stdout.toString()).toMatch(
    /^bytes {2}parts {2}begun +path\n {1,2}65Mi {5}13 {2}\d+ s ago +bucket\/file\n$/,
  );
  await expectUploaded(await finish(['--report', 'r.json']));
  const report = JSON.parse(await readFile(join(uploads.world.dir, 'r.json'), 'utf8'));
  expect(report).toMatchObject({
    counts: { resumedUploads: 1 },
    bytes: { resumed: 13 * PART },
    throttledSeconds: 0,
  });
  const history = (await uploads.world.run(['history', '--json'])).stdout.toString();
  expect(history).toContain(`"resumedBytes":${13 * PART}`);
});

testOfAll(
  'uploads abort deletes an upload, and the next run starts from the beginning',
  async () => {
    const running = await uploadUntil(13);
    running.kill('SIGINT');
    await running.ended;
    const before = await uploads.world.run(['doctor', '--json']);
    expect(JSON.parse(before.stdout.toString()).checks).toContainEqual(
      expect.objectContaining({
        check: 'unfinished-transfers',
        verdict: 'warning',
        mend: 'syncer uploads abort store:bucket/file',
      }),
    );
    const dry = await uploads.world.run(['uploads', 'abort', 'store:bucket/file', '--dry-run']);
    expect(dry.stderr).toContain('Skipped abort the upload of as --dry-run is set');
    const young = await uploads.world.run([
      'uploads',
      'abort',
      'store:bucket',
      '--older-than',
      '1h',
    ]);
    expect(young.stdout.toString()).toBe('');
    expect(await uploads.world.unfinishedUploads()).toEqual(['file']);
    const other = await uploads.world.run(['uploads', 'ls', 'store:bucket/fil', '--json']);
    expect(JSON.parse(other.stdout.toString())).toEqual([]);
    const json = await uploads.world.run(['uploads', 'ls', 'store:', '--json']);
    expect(JSON.parse(json.stdout.toString())).toMatchObject([
      { Path: 'bucket/file', Size: 13 * PART, Parts: 13 },
    ]);
    const aborted = await uploads.world.run(['uploads', 'abort', 'store:bucket/file']);
    expect(aborted.stdout.toString()).toBe('Aborted the upload of bucket/file (13 parts, 65Mi)\n');
    expect(await uploads.world.unfinishedUploads()).toEqual([]);
    const doctor = await uploads.world.run(['doctor', '--json']);
    expect(JSON.parse(doctor.stdout.toString()).checks).toContainEqual(
      expect.objectContaining({ check: 'unfinished-transfers', text: 'none' }),
    );
    const ended = await finish();
    expect(ended.stderr).not.toContain('Resuming');
    await expectUploaded(ended);
  },
);

test('--no-resume keeps nothing', async () => {
  const running = await uploadUntil(4, ['--no-resume']);
  running.kill('SIGINT');
  expect((await running.ended).stderr).not.toContain('Interrupted');
  expect(await uploads.world.unfinishedUploads()).toEqual([]);
});

test('a disk has no unfinished uploads to list', async () => {
  const ended = await uploads.world.run(['uploads', 'ls', '.']);
  expectFailure(ended, { code: 1, says: ['has no list of unfinished uploads'] });
});

test('records of an earlier version are named once, and kept', async () => {
  const state = join(uploads.world.dir, '../home/.local/state/syncer');
  await mkdir(join(state, 'uploads'), { recursive: true });
  await writeFile(join(state, 'uploads/place.free.0.jsonl'), '{}\n');
  await writeFile(join(uploads.world.dir, 'small'), 'x');
  const words = ['copy', 'small', 'store:bucket'];
  const [first, second] = [await uploads.world.run(words), await uploads.world.run(words)];
  expect(first.stderr).toContain(`their records are now in ${join(state, 'uploads.earlier')}`);
  expect(first.stderr).toContain('syncer uploads ls');
  expect([first.code, second]).toMatchObject([0, { code: 0, stderr: '' }]);
  expect(await readdir(join(state, 'uploads.earlier'))).toEqual(['place.free.0.jsonl']);
});

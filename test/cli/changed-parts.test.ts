import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { answerOf, type Lie } from '../servers/lies/lie.ts';
import { S3_LIES } from '../servers/lies/s3-lies.ts';
import { bytesOf, changedAt, MIB } from '../support/delta-world.ts';
import { makeLieWorld } from '../support/lie-world.ts';
import { makeS3World, type S3World, section } from '../support/s3-world.ts';
import { waitFor } from '../support/wait-for.ts';

const SIZE = 24 * MIB;
const OLD = bytesOf('old', SIZE);
const NEW = changedAt(OLD, 12 * MIB);
/** What is sent of the new content: the part that has changed. */
const SENT = 5 * MIB;

let world: S3World;
beforeAll(async () => {
  world = await makeS3World();
  const options = { provider: 'AWS', force_path_style: 'true', delta: 'on', upload_cutoff: '6M' };
  await writeFile(world.config, section(world.s3, 'store', options));
});
afterAll(() => world.remove());
beforeEach(() => world.s3.setFaults(undefined));

/** Uploads files, each over an older object of its name; with the report of the run. */
async function upload(
  files: Readonly<Record<string, Buffer>>,
  words: readonly string[] = [],
): Promise<{ code: number | null; stderr: string; report: Record<string, never> }> {
  for (const [name, content] of Object.entries(files))
    await writeFile(join(world.dir, name), content);
  world.s3.log.clear();
  const names = Object.keys(files).flatMap((name) => ['--include', `/${name}`]);
  const report = ['--report', 'report.json'];
  const ended = await world.run(['copy', '.', 'store:bucket', ...names, ...report, ...words]);
  const { code, stderr } = ended;
  return {
    code,
    stderr,
    report: JSON.parse(await readFile(join(world.dir, 'report.json'), 'utf8')),
  };
}

test('the statistics of an upload that copies parts have what was sent as transferred', async () => {
  await upload({ file: OLD });
  const { code, stderr, report } = await upload({ file: NEW }, ['-v', '--stats=1h']);
  expect(code, stderr).toBe(0);
  expect(report).toMatchObject({
    counts: { replaced: 1 },
    bytes: { transferred: SENT, copiedByServer: SIZE - SENT },
  });
  expect(stderr).toContain('Transferred:   	        5 MiB / 5 MiB, 100%');
  expect(stderr).toMatch(/Server Side Copies: +1 @ 19 MiB/);
  expect(stderr).toContain('Copied (replaced existing, sent 5 MiB of 24 MiB)');
});

test('an upload whose copies are refused counts what it sent, and once', async () => {
  await upload({ file: OLD });
  world.s3.setFaults(({ operation }) =>
    operation === 'UploadPartCopy' ? { status: 403 } : undefined,
  );
  const { code, stderr, report } = await upload({ file: NEW });
  expect(code, stderr).toBe(0);
  expect(report).toMatchObject({ bytes: { transferred: SIZE, copiedByServer: 0 } });
});

test('--max-transfer counts what an upload with copied parts has sent', async () => {
  await upload({ one: OLD, two: OLD });
  const words = ['--max-transfer', '40M', '--transfers=1'];
  const { code, stderr } = await upload({ one: NEW, two: NEW }, words);
  expect(code, stderr).toBe(0);
  const third = await upload({ one: OLD, two: OLD }, ['--max-transfer', '25M', '--transfers=1']);
  expect(third.code, third.stderr).toBe(8);
});

test('a wrong object that copied parts have made is undone when the whole file cannot be sent', async () => {
  const lies = await makeLieWorld({
    ...{ provider: 'Minio', delta: 'on', upload_cutoff: '6M' },
    use_data_integrity_protections: 'false',
  });
  onTestFinished(() => lies.remove());
  const contents = [OLD, NEW].map((content) => content.toString('base64'));
  const upload = async (file = '') => {
    await lies.fill('from', { file });
    return lies.run(['copy', join(lies.disk, 'from'), 's:to', '-vv']);
  };
  await lies.fill('s:to', {});
  expect((await upload(contents[0])).code).toBe(0);
  let isWrong = false;
  const { tell } = S3_LIES['part-copy-lying-etag'] as Lie;
  lies.proxy.setLie({
    lie: {
      about: 'parts are copied from another place, and then no part is taken',
      of: ['UploadPartCopy', 'UploadPart', 'CompleteMultipartUpload'],
      tell(call) {
        const { operation } = call.request;
        if (operation === 'UploadPart') return isWrong ? answerOf(500) : undefined;
        isWrong ||= operation === 'CompleteMultipartUpload';
        return tell(call);
      },
    },
  });
  const { code, stderr } = await upload(contents[1]);
  expect(isWrong, stderr).toBe(true);
  expect([code, await lies.read('s:to')], stderr).toEqual([1, {}]);
});

test('--dry-run of an upload that would copy parts says "at most", and sends nothing', async () => {
  await upload({ file: OLD });
  const { code, stderr } = await upload({ file: NEW }, ['--dry-run']);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('file: Skipped copy as --dry-run is set (size at most 24Mi)');
  expect(world.s3.log.counts()).not.toHaveProperty('CreateMultipartUpload');
});

test('two writers of one name leave the content of one of them whole, and no upload', async () => {
  await upload({ file: OLD });
  const other = changedAt(OLD, 3 * MIB);
  for (const [name, content] of [
    ['a', NEW],
    ['b', other],
  ] as const)
    await writeFile(join(world.dir, name), content);
  const both = await Promise.all(
    ['a', 'b'].map((name) => world.start(['copyto', name, 'store:bucket/file', '-v']).ended),
  );
  for (const { code, stderr } of both) expect(code, stderr).toBe(0);
  const stored = await readFile(join(world.bucket, 'file'));
  expect([NEW, other].some((content) => stored.equals(content))).toBe(true);
  expect(await world.unfinishedUploads()).toEqual([]);
});

test('Ctrl-C while parts are copied leaves the old object, and no upload', async () => {
  await upload({ file: OLD });
  await writeFile(join(world.dir, 'file'), NEW);
  world.s3.setFaults(({ operation }) =>
    operation === 'UploadPartCopy' ? { hang: 'before' } : undefined,
  );
  const running = world.start(['copyto', 'file', 'store:bucket/file', '-v']);
  const copies = () => world.s3.log.count('UploadPartCopy');
  world.s3.log.clear();
  await waitFor(() => copies() > 0, running.ended);
  running.kill('SIGINT');
  const { code, stderr } = await running.ended;
  expect(code, stderr).toBe(130);
  expect((await readFile(join(world.bucket, 'file'))).equals(OLD)).toBe(true);
  expect(await world.unfinishedUploads()).toEqual([]);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';
import { bytesOf, changedAt, DeltaWorld, MIB, md5Of } from '../../../../support/delta-world.ts';
import { someOf, testOfAll } from '../../../../support/in-part.ts';
import { OP, openS3 } from '../../../../support/open-s3.ts';
import { uploadRecordsIn } from '../../../../support/upload-records-in.ts';

const SIZE = 17 * MIB;
const FIRST = bytesOf('first', SIZE);
/** The parts of a whole upload. */
const ALL_PARTS = Math.ceil(SIZE / (5 * MIB));

let s3: TestS3;
let world: DeltaWorld;
beforeAll(async () => {
  s3 = await startTestS3();
});
beforeEach(async () => {
  s3.setFaults(undefined);
  world = new DeltaWorld(s3);
  const { remote } = await openS3(s3, 'bucket', { options: world.options });
  await remote.makeDir('', OP);
  if ((await remote.stat('file', OP)) !== undefined)
    await remote.delete([{ kind: 'file', path: 'file', size: SIZE }], OP);
  await remote.close();
});
afterAll(() => s3.stop());

test('the second upload of a file that changed in place sends the changed parts', async () => {
  await world.write(FIRST);
  const changed = changedAt(changedAt(FIRST, 1 * MIB), 12 * MIB);
  const { written, copies, parts } = await world.write(changed);
  expect(await world.md5()).toBe(md5Of(changed));
  expect({ copies, parts, sent: written.sent }).toEqual({ copies: 2, parts: 2, sent: 10 * MIB });
});

test('the second upload of a file that grew sends what is new, without notes of the first', async () => {
  await world.write(FIRST);
  world.noted.objects.clear();
  const grown = Buffer.concat([FIRST, bytesOf('more', 3 * MIB)]);
  const { written } = await world.write(grown);
  expect(await world.md5()).toBe(md5Of(grown));
  expect(written.sent).toBeLessThanOrEqual(8 * MIB);
});

test('the third upload of content that moved sends hardly more than what is new', async () => {
  await world.write(FIRST);
  const second = changedAt(FIRST, 8 * MIB);
  await world.write(second);
  const moved = Buffer.concat([Buffer.from('in front'), second.subarray(0.5 * MIB)]);
  const { written, copies } = await world.write(moved);
  expect(await world.md5()).toBe(md5Of(moved));
  expect(copies).toBeGreaterThan(0);
  expect(written.sent).toBeLessThanOrEqual(5 * MIB);
});

test('an object with copied parts has the headers, the ETag and the checksum of a whole upload', async () => {
  const changed = changedAt(FIRST, 9 * MIB);
  await world.write(FIRST);
  await world.write(changed);
  const head = await world.head();
  const { copies } = await world.write(changed, { options: { delta: 'off' } });
  expect(copies).toBe(0);
  expect(head).toEqual(await world.head());
});

testOfAll(
  'without notes of an object that was replaced otherwise all of a file is sent',
  async () => {
    await world.write(FIRST);
    world.noted.objects.clear();
    const { copies, parts, written } = await world.write(changedAt(FIRST, 0));
    expect([copies, parts, written.sent]).toEqual([0, ALL_PARTS, undefined]);
  },
);

testOfAll(
  'a file that gained nothing twice is not read for it again, until its size has changed',
  async () => {
    await world.write(FIRST);
    await world.write(bytesOf('second', SIZE));
    const planned = async (content: Buffer) =>
      (await world.write(content)).logs.some((line) =>
        line.includes('the replaced object: sending'),
      );
    expect(await planned(bytesOf('third', SIZE))).toBe(true);
    expect(await planned(bytesOf('fourth', SIZE))).toBe(true);
    expect(await planned(bytesOf('fifth', SIZE))).toBe(false);
    expect(await planned(bytesOf('sixth', SIZE + 2 * MIB))).toBe(true);
  },
);

testOfAll('with auto, files below 64 MiB and unknown providers are sent whole', async () => {
  const auto = new DeltaWorld(s3, { delta: 'auto' });
  await auto.write(FIRST);
  expect(await auto.write(changedAt(FIRST, 0))).toMatchObject({ copies: 0 });
  const other = new DeltaWorld(s3, { delta: 'auto', provider: 'Other' });
  const large = bytesOf('large', 66 * MIB);
  await other.write(large);
  const unknown = await other.write(changedAt(large, 0));
  expect(unknown.copies).toBe(0);
  expect(unknown.logs.join('\n')).toContain('syncer backend probe test:bucket');
});

testOfAll(
  'a remote that a probe has shown to copy parts gains from the second upload on',
  async () => {
    const other = new DeltaWorld(s3, { delta: 'auto', provider: 'Other' });
    const { remote } = await openS3(s3, 'bucket', {
      options: other.options,
      noted: other.noted.access,
    });
    const call = {
      ...{ args: [], options: new Map(), op: OP, mayChange: async () => true },
      ...{ files: async function* () {}, lose: async () => true, fail: () => {} },
    };
    const shown = await remote.can.commands?.['probe']?.run(call);
    expect(shown).toMatchObject({ ranges: true, ifMatch: true, unequalParts: true, used: true });
    expect((await remote.listPage('', undefined, OP)).entries).toEqual([]);
    await remote.close();
    const large = bytesOf('large', 66 * MIB);
    await other.write(large);
    expect((await other.write(changedAt(large, 0))).written.sent).toBe(5 * MIB);
  },
);

test.each(someOf([400, 403, 404, 412, 500, 501], 2))(
  'a copy that the store refuses with %i lets the whole file be sent',
  async (status) => {
    await world.write(FIRST);
    const changed = changedAt(FIRST, 0);
    const code = status === 412 ? 'PreconditionFailed' : undefined;
    s3.setFaults(({ operation }) =>
      operation === 'UploadPartCopy' ? { status, ...(code && { code }) } : undefined,
    );
    const { logs, written } = await world.write(changed);
    s3.setFaults(undefined);
    expect(written.sent).toBeUndefined();
    expect(await world.md5()).toBe(md5Of(changed));
    expect(logs.join('\n')).toContain('Sending all of it');
    expect(await world.unfinished()).toBe(0);
  },
);

testOfAll('a copy that fails for a moment is tried again', async () => {
  await world.write(FIRST);
  s3.setFaults(({ operation }, n) =>
    operation === 'UploadPartCopy' && n < 2 ? { status: 503 } : undefined,
  );
  const changed = changedAt(FIRST, 0);
  const { written } = await world.write(changed);
  expect(await world.md5()).toBe(md5Of(changed));
  expect(written.sent).toBe(5 * MIB);
});

test('a store that refuses to join the parts gets the whole file', async () => {
  await world.write(FIRST);
  s3.setFaults(({ operation }, n) =>
    operation === 'CompleteMultipartUpload' && n === 0
      ? { status: 400, code: 'EntityTooSmall' }
      : undefined,
  );
  const changed = changedAt(FIRST, 0);
  const { written, parts } = await world.write(changed);
  expect(await world.md5()).toBe(md5Of(changed));
  expect([written.sent, parts]).toEqual([undefined, 1 + ALL_PARTS]);
  expect(await world.unfinished()).toBe(0);
});

test('an upload with copied parts that is left is aborted when the next one is a single request', async () => {
  const single = new DeltaWorld(s3, { upload_cutoff: '200M' });
  const dir = await mkdtemp(join(tmpdir(), 'syncer-delta-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const uploads = uploadRecordsIn(dir);
  await single.write(FIRST, { uploads });
  await single.write(changedAt(FIRST, 0), { uploads });
  s3.setFaults(({ operation }) =>
    ['UploadPartCopy', 'AbortMultipartUpload'].includes(operation) ? { status: 403 } : undefined,
  );
  await single.write(changedAt(FIRST, 9 * MIB), { uploads });
  s3.setFaults(undefined);
  expect(await single.unfinished()).toBe(1);
  await single.write(bytesOf('other', SIZE), { uploads });
  expect(await single.unfinished()).toBe(0);
});

test('an object that was replaced after the listing is not copied from', async () => {
  await world.write(FIRST);
  const other = bytesOf('of another', SIZE);
  const changed = changedAt(FIRST, 0);
  let isReplaced = false;
  s3.setFaults(({ operation }) => {
    if (operation !== 'CreateMultipartUpload' || isReplaced) return undefined;
    isReplaced = true;
    return { until: new DeltaWorld(s3, { delta: 'off', upload_cutoff: '1G' }).write(other) };
  });
  const { written } = await world.write(changed);
  expect(written.sent).toBeUndefined();
  expect(await world.md5()).toBe(md5Of(changed));
});

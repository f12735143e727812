import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AbortMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WriteSource } from '../../../../src/core/remote.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';
import type { SeenRequest } from '../../../servers/fault.ts';
import { sdkClient } from '../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, type OpenS3Options, openS3, sourceOf } from '../../../support/open-s3.ts';
import { stateRows } from '../../../support/state-rows.ts';
import { recordRows, uploadRecordsIn } from '../../../support/upload-records-in.ts';

const MIB = 1024 ** 2;
/** Less than 16 MiB of an upload are not kept for the next run. */
const SIZE = 22 * MIB;
const PARTS = Math.ceil(SIZE / (5 * MIB));
const options = { upload_cutoff: '6M', upload_concurrency: '1' };

let s3: TestS3;
let folder: string;
const content = Buffer.alloc(SIZE);
for (let at = 0; at < SIZE; at += 4) content.writeUInt32LE((at * 2_654_435_761) >>> 0, at);

beforeAll(async () => {
  s3 = await startTestS3();
  const { remote } = await openS3(s3, 'bucket');
  await remote.makeDir('', OP);
  await remote.close();
});
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'syncer-test-')), 'uploads');
  s3.setFaults(undefined);
  s3.log.clear();
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));
afterAll(() => s3.stop());

/** A file of a disk: its content is read again in every run. */
const fileOf = (
  bytes: Buffer = content,
  fingerprint: string | undefined = 'as it was',
): WriteSource => ({
  ...sourceOf('file', bytes),
  fingerprint: () => fingerprint,
});

/** Writes the file in a run that is stopped when `parts` parts are there. */
async function interrupt(parts: number, more: OpenS3Options = {}, file = fileOf()): Promise<void> {
  const { error } = await write({ ...more, stopAt: parts }, file);
  expect(error).toMatchObject({ message: 'stopped by the test' });
  s3.log.clear();
  s3.setFaults(undefined);
}

interface Trial extends OpenS3Options {
  readonly stopAt?: number;
}

/** One run. What it logged, and how it ended. */
async function write({ stopAt, ...more }: Trial = {}, file = fileOf()) {
  const stop = new AbortController();
  if (stopAt !== undefined) {
    s3.setFaults((request, n) => {
      if (request.operation !== 'UploadPart' || n < stopAt) return undefined;
      stop.abort(new Error('stopped by the test'));
      return { hang: 'before' };
    });
  }
  const uploads = uploadRecordsIn(folder, { now: more.now });
  const opened = await openS3(s3, 'bucket', {
    uploads,
    ...more,
    options: { ...options, ...more.options },
  });
  const error: unknown = await opened.remote.write(file, { signal: stop.signal }).then(
    () => undefined,
    (thrown) => thrown,
  );
  await opened.remote.close();
  const logs = opened.events.flatMap((event) =>
    event.type === 'log' ? [`${event.level} ${messageOf(event)}`] : [],
  );
  return { error, logs };
}

const numbersOf = (requests: readonly SeenRequest[]) =>
  requests.flatMap(({ operation, query }) =>
    operation === 'UploadPart' ? [Number(query.get('partNumber'))] : [],
  );

const stored = () => readFile(join(s3.root, 'bucket/file'));
const from = (first: number) => Array.from({ length: PARTS - first + 1 }, (_, i) => first + i);

async function uploadIds(): Promise<string[]> {
  const client = sdkClient(s3);
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: 'bucket' }));
  client.destroy();
  return Uploads.map(({ UploadId = '' }) => UploadId);
}

/** Nothing is left of the upload, and the object is the file. */
async function expectDone(bytes: Buffer = content): Promise<void> {
  expect((await stored()).equals(bytes)).toBe(true);
  expect(await uploadIds()).toEqual([]);
  expect(recordRows(folder)).toEqual([]);
}

describe('an interrupted upload', () => {
  it('is resumed: each part is sent once', async () => {
    await interrupt(4);
    expect(await uploadIds()).toHaveLength(1);
    const { error, logs } = await write();
    expect(error).toBeUndefined();
    expect(logs).toEqual(['info Resuming the upload at 90% (4 of 5 parts verified)']);
    expect(numbersOf(s3.log.requests)).toEqual(from(5));
    await expectDone();
  });

  it('says what it keeps, and how it is deleted', async () => {
    const { logs } = await write({ stopAt: 4 });
    expect(logs).toEqual([
      'notice Interrupted: the server keeps 20Mi of 22Mi for 7 days, for the next run; to delete it: syncer uploads abort test:bucket/file',
    ]);
    s3.setFaults(undefined);
    await write();
    await expectDone();
  });

  it('of which little is stored is aborted', async () => {
    await interrupt(3);
    expect(await uploadIds()).toEqual([]);
    expect(recordRows(folder)).toEqual([]);
  });

  it('is aborted with --no-resume', async () => {
    const stop = new AbortController();
    s3.setFaults(({ operation }, n) => {
      if (operation !== 'UploadPart' || n < 4) return undefined;
      stop.abort();
      return { hang: 'before' };
    });
    const { remote } = await openS3(s3, 'bucket', { options });
    await expect(remote.write(fileOf(), { signal: stop.signal })).rejects.toThrow();
    expect(await uploadIds()).toEqual([]);
  });

  it('is resumed by the next attempt after a network failure', async () => {
    s3.setFaults(({ operation }, n) =>
      operation === 'UploadPart' && n >= 4 ? { reset: 'before' } : undefined,
    );
    const first = await write();
    expect(first.error).toMatchObject({ code: 'network' });
    s3.setFaults(undefined);
    s3.log.clear();
    await write();
    expect(numbersOf(s3.log.requests)).toEqual(from(5));
    await expectDone();
  });
});

describe('an upload starts from the beginning', () => {
  /** The next run sends all parts, and says why. */
  async function expectRestart(why: string, more: OpenS3Options = {}, file = fileOf()) {
    const { error, logs } = await write(more, file);
    expect(error).toBeUndefined();
    expect(logs).toContain(`info Starting the upload from the beginning: ${why}`);
    const count = Number(more.options?.['chunk_size']?.replace('M', '') ?? 5);
    const sent = numbersOf(s3.log.requests).slice(-Math.ceil(SIZE / (count * MIB)));
    expect(sent).toEqual(Array.from(sent, (_, i) => i + 1));
    const bytes = await file.open(undefined, OP);
    await expectDone(bytes as Buffer);
  }

  it('if the source has another time', async () => {
    await interrupt(4);
    await expectRestart('the source has changed', {}, fileOf(content, 'another time'));
  });

  it('if a byte was changed under an unchanged time', async () => {
    await interrupt(4);
    const changed = Buffer.from(content);
    changed[12 * MIB] = (changed[12 * MIB] ?? 0) ^ 1;
    const why = 'part 3 of the source is not what an earlier run has sent';
    await expectRestart(why, {}, fileOf(changed));
  });

  it('with another part size', async () => {
    await interrupt(4);
    await expectRestart('the part size is another one', { options: { chunk_size: '6M' } });
  });

  it('with other options', async () => {
    await interrupt(4);
    await expectRestart('the content or the options are others', {
      options: { storage_class: 'STANDARD_IA' },
    });
  });

  it('if another program aborted it', async () => {
    await interrupt(4);
    const client = sdkClient(s3);
    const [UploadId = ''] = await uploadIds();
    const of = { Bucket: 'bucket', Key: 'file', UploadId };
    await client.send(new AbortMultipartUploadCommand(of));
    client.destroy();
    await expectRestart('the server no longer has it');
  });

  it('if it is aborted while it is resumed', async () => {
    await interrupt(4);
    s3.setFaults(({ operation }, n) =>
      operation === 'UploadPart' && n === 0 ? { status: 404, code: 'NoSuchUpload' } : undefined,
    );
    const { error } = await write();
    expect(error).toBeUndefined();
    expect(numbersOf(s3.log.requests)).toEqual([5, ...from(1)]);
    await expectDone();
  });

  it.each([
    ['a part that is too short', { size: 5 * MIB - 1 }, 'part 3 was too short'],
    ['another part', { etag: '0'.repeat(32) }, 'part 3 on the server is another one'],
    ['a part that the server lacks', { number: 5, size: 2 * MIB }, 'the server lacks part 5'],
  ])('if the record has %s', async (_what, wrong, why) => {
    await interrupt(4);
    const columns = Object.keys(wrong).map((name) => `${name} = ?`);
    const sql = `UPDATE upload_parts SET ${columns.join()} WHERE number = 3`;
    stateRows(folder, sql, ...Object.values(wrong));
    await expectRestart(why);
  });

  it('if the server refuses parts that it listed', async () => {
    await interrupt(4);
    s3.setFaults(({ operation }, n) =>
      operation === 'CompleteMultipartUpload' && n === 0
        ? { status: 400, code: 'InvalidPart' }
        : undefined,
    );
    const { error } = await write();
    expect(error).toBeUndefined();
    expect(numbersOf(s3.log.requests)).toEqual([...from(5), ...from(1)]);
    await expectDone();
  });

  it('if the server does not list parts', async () => {
    await interrupt(4);
    s3.setFaults(({ operation }) => (operation === 'ListParts' ? { status: 501 } : undefined));
    const { error } = await write();
    expect(error).toBeUndefined();
    expect(numbersOf(s3.log.requests)).toEqual(from(1));
    await expectDone();
  });
});

it('keeps the record if the server cannot be reached', async () => {
  await interrupt(4);
  s3.setFaults(({ operation }) => (operation === 'ListParts' ? { reset: 'before' } : undefined));
  expect((await write()).error).toMatchObject({ code: 'network' });
  s3.setFaults(undefined);
  s3.log.clear();
  await write();
  expect(numbersOf(s3.log.requests)).toEqual(from(5));
  await expectDone();
});

it('does not resume a source that nothing identifies', async () => {
  const { error } = await write({ stopAt: 4 }, { ...fileOf(), fingerprint: () => undefined });
  expect(error).toBeDefined();
  expect(await uploadIds()).toEqual([]);
  expect(recordRows(folder)).toEqual([]);
});

it('aborts uploads that were interrupted more than a week ago', async () => {
  await interrupt(4);
  const old = Date.now() - Math.round(7.1 * 86_400_000);
  stateRows(folder, 'UPDATE uploads SET created_ms = ?', old);
  stateRows(folder, 'UPDATE upload_parts SET added_ms = ?', old);
  const small = { ...sourceOf('small', 'a small file') };
  const { logs } = await write({}, small);
  expect(logs).toEqual(['info Deleted an upload that was interrupted more than 7 days ago']);
  expect(await uploadIds()).toEqual([]);
  expect(recordRows(folder)).toEqual([]);
});

it('two runs at the same time never share an upload', async () => {
  await interrupt(4);
  await Promise.all([write(), write()]);
  const ids = new Set(
    s3.log.requests
      .filter(({ operation }) => operation === 'CompleteMultipartUpload')
      .map(({ query }) => query.get('uploadId')),
  );
  expect(ids.size).toBe(2);
  await expectDone();
});

it('an upload that could not be aborted is aborted by the next run, and not continued', async () => {
  s3.setFaults(({ operation }) =>
    operation === 'UploadPart' || operation === 'AbortMultipartUpload'
      ? { status: 403, code: 'AccessDenied' }
      : undefined,
  );
  expect((await write()).error).toMatchObject({ code: 'access-denied' });
  s3.setFaults(undefined);
  // Its content may be the reason: it is not continued.
  const { logs } = await write();
  expect(logs.filter((line) => line.includes('Resuming'))).toEqual([]);
  expect(logs).toContainEqual(expect.stringContaining('an earlier run could not abort it'));
  expect(await uploadIds()).toEqual([]);
  expect(recordRows(folder)).toEqual([]);
});

it('a copy in parts that could not be aborted is recorded, too', async () => {
  await write();
  const copy = { copy_cutoff: '5Mi', chunk_size: '5Mi' };
  const uploads = uploadRecordsIn(folder);
  const { remote } = await openS3(s3, 'bucket', { uploads, options: copy });
  const file = await remote.stat('file', OP);
  if (file?.kind !== 'file') throw new Error('the file is missing');
  s3.setFaults(({ operation }) =>
    operation === 'UploadPartCopy' || operation === 'AbortMultipartUpload'
      ? { status: 403, code: 'AccessDenied' }
      : undefined,
  );
  const copied = remote.can.copyFrom?.(remote, file, 'copy', OP);
  await expect(copied).rejects.toMatchObject({ code: 'access-denied' });
  await remote.close();
  expect(recordRows(folder)).toHaveLength(1);
});

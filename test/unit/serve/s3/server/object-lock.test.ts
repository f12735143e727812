import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectLegalHoldCommand,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  type ObjectLockRetention,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  PutObjectLegalHoldCommand,
  PutObjectLockConfigurationCommand,
  PutObjectRetentionCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getText, refusal, sdkClient } from '../../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';

let root: string;
let s3: TestS3;
let client: S3Client;
/** How far the server's clock is ahead, in milliseconds. */
let ahead = 0;
const Bucket = 'locked';
const Key = 'a/key';
const MINUTE = 60_000;

async function start(): Promise<void> {
  s3 = await startTestS3({ root, now: () => Date.now() + ahead });
  client = sdkClient(s3);
}
async function stop(): Promise<void> {
  client.destroy();
  await s3.stop();
}
beforeEach(async () => {
  ahead = 0;
  root = await mkdtemp(join(tmpdir(), 'syncer-locks-'));
  await start();
  await client.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
});
afterEach(async () => {
  await stop();
  await rm(root, { recursive: true });
});

const until = (ms: number) => new Date(Math.floor((Date.now() + ms) / 1000) * 1000);
const put = async (more: Partial<PutObjectCommandInput> = {}) =>
  (await client.send(new PutObjectCommand({ Bucket, Key, Body: 'content', ...more }))).VersionId;
const remove = (VersionId?: string, bypass = false) => {
  const input = { Bucket, Key, VersionId, ...(bypass && { BypassGovernanceRetention: true }) };
  return client.send(new DeleteObjectCommand(input));
};
const retain = (Retention: ObjectLockRetention, more: object = {}) =>
  client.send(new PutObjectRetentionCommand({ Bucket, Key, Retention, ...more }));
const retention = async (VersionId?: string) =>
  (await client.send(new GetObjectRetentionCommand({ Bucket, Key, VersionId }))).Retention;
const hold = (Status: 'ON' | 'OFF') =>
  client.send(new PutObjectLegalHoldCommand({ Bucket, Key, LegalHold: { Status } }));
const rule = (Mode: 'GOVERNANCE' | 'COMPLIANCE', period: { Days?: number; Years?: number }) =>
  client.send(
    new PutObjectLockConfigurationCommand({
      Bucket,
      ObjectLockConfiguration: {
        ObjectLockEnabled: 'Enabled',
        Rule: { DefaultRetention: { Mode, ...period } },
      },
    }),
  );

test.each(['GOVERNANCE', 'COMPLIANCE'] as const)(
  '%s keeps a version until its time',
  async (ObjectLockMode) => {
    const id = await put({ ObjectLockMode, ObjectLockRetainUntilDate: until(5 * MINUTE) });
    expect(await refusal(remove(id))).toBe('403 AccessDenied');
    // A delete marker hides it, and nothing of it is lost: not by a restart, and not as an old version.
    const { VersionId: marker } = await remove();
    await stop();
    await start();
    expect(await refusal(remove(id))).toBe('403 AccessDenied');
    expect((await getText(client, { Bucket, Key, VersionId: id })).text).toBe('content');
    await remove(marker);
    ahead = 6 * MINUTE;
    await remove(id);
    expect(await refusal(getText(client, { Bucket, Key }))).toBe('404 NoSuchKey');
  },
);

test('only GOVERNANCE can be bypassed', async () => {
  const ObjectLockRetainUntilDate = until(5 * MINUTE);
  const soft = await put({ ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate });
  const hard = await put({ ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate });
  expect(await refusal(remove(hard, true))).toBe('403 AccessDenied');
  const input = {
    ...{ Bucket, BypassGovernanceRetention: true },
    Delete: { Objects: [soft, hard].map((VersionId) => ({ Key, VersionId })) },
  };
  const { Deleted, Errors } = await client.send(new DeleteObjectsCommand(input));
  expect(Deleted?.map((each) => each.VersionId)).toEqual([soft]);
  expect(Errors?.map((each) => [each.VersionId, each.Code])).toEqual([[hard, 'AccessDenied']]);
});

test('a retention is extended freely, and shortened or changed only by a bypass', async () => {
  const id = await put();
  const set = (Mode: 'GOVERNANCE' | 'COMPLIANCE', minutes: number, bypass = false) =>
    retain(
      { Mode, RetainUntilDate: until(minutes * MINUTE) },
      { BypassGovernanceRetention: bypass },
    );
  await set('GOVERNANCE', 5);
  await set('GOVERNANCE', 6);
  for (const [mode, minutes] of [
    ['GOVERNANCE', 4],
    ['COMPLIANCE', 8],
  ] as const) {
    expect(await refusal(set(mode, minutes))).toBe('403 AccessDenied');
  }
  expect(await refusal(retain({}))).toBe('403 AccessDenied');
  await set('GOVERNANCE', 4, true);
  await retain({}, { BypassGovernanceRetention: true });
  expect(await refusal(retention(id))).toBe('404 NoSuchObjectLockConfiguration');
  await set('COMPLIANCE', 5);
  await set('COMPLIANCE', 6);
  expect(await refusal(set('COMPLIANCE', 5, true))).toBe('403 AccessDenied');
  expect(await refusal(set('GOVERNANCE', 9, true))).toBe('403 AccessDenied');
  expect((await retention(id))?.Mode).toBe('COMPLIANCE');
});

test('an old version can be retained, too', async () => {
  const old = await put();
  await put({ Body: 'newer' });
  await retain({ Mode: 'COMPLIANCE', RetainUntilDate: until(MINUTE) }, { VersionId: old });
  expect(await refusal(remove(old))).toBe('403 AccessDenied');
  await stop();
  await start();
  expect((await retention(old))?.Mode).toBe('COMPLIANCE');
  expect(await refusal(retention())).toBe('404 NoSuchObjectLockConfiguration');
});

test('a legal hold keeps a version until it is taken off', async () => {
  const id = await put({ ObjectLockLegalHoldStatus: 'ON' });
  expect(await refusal(remove(id, true))).toBe('403 AccessDenied');
  await hold('OFF');
  const { LegalHold } = await client.send(new GetObjectLegalHoldCommand({ Bucket, Key }));
  expect(LegalHold?.Status).toBe('OFF');
  await remove(id);
});

test('new objects get the retention of the bucket, unless they have their own', async () => {
  await rule('GOVERNANCE', { Days: 3 });
  const ask = new GetObjectLockConfigurationCommand({ Bucket });
  const { ObjectLockConfiguration } = await client.send(ask);
  expect(ObjectLockConfiguration?.Rule?.DefaultRetention).toEqual({ Mode: 'GOVERNANCE', Days: 3 });
  await put();
  const days = ((await retention())?.RetainUntilDate?.getTime() ?? 0) - Date.now();
  expect(Math.round(days / (24 * 60 * MINUTE))).toBe(3);
  const input = { Bucket, Key: 'copy', CopySource: `${Bucket}/${Key}` };
  await client.send(new CopyObjectCommand(input));
  const copy = await client.send(new HeadObjectCommand({ Bucket, Key: 'copy' }));
  expect(copy.ObjectLockMode).toBe('GOVERNANCE');
  const ObjectLockRetainUntilDate = until(MINUTE);
  await put({ ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate });
  expect(await retention()).toEqual({
    Mode: 'COMPLIANCE',
    RetainUntilDate: ObjectLockRetainUntilDate,
  });
});

test('a bucket that locks keeps its versions', async () => {
  const VersioningConfiguration = { Status: 'Suspended' } as const;
  const suspend = new PutBucketVersioningCommand({ Bucket, VersioningConfiguration });
  expect(await refusal(client.send(suspend))).toBe('409 InvalidBucketState');
});

test('what is no lock is refused', async () => {
  expect(await refusal(rule('GOVERNANCE', { Days: 1, Years: 1 }))).toBe('400 MalformedXML');
  expect(await refusal(rule('GOVERNANCE', { Days: 0 }))).toBe('400 InvalidRetentionPeriod');
  expect(await refusal(rule('other' as 'GOVERNANCE', { Days: 1 }))).toBe('400 MalformedXML');
  const past = { ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate: until(-MINUTE) } as const;
  expect(await refusal(put(past))).toBe('400 InvalidArgument');
  expect(await refusal(put({ ObjectLockMode: 'GOVERNANCE' }))).toBe('400 InvalidArgument');
  expect(await refusal(put({ ObjectLockLegalHoldStatus: 'on' as 'ON' }))).toBe(
    '400 InvalidArgument',
  );
  expect(await refusal(getText(client, { Bucket, Key }))).toBe('404 NoSuchKey');
});

test('a bucket without locks refuses them, until its versions are kept and it is told to lock', async () => {
  const plain = { Bucket: 'plain' };
  await client.send(new CreateBucketCommand(plain));
  await put(plain);
  expect(await refusal(put({ ...plain, ObjectLockLegalHoldStatus: 'ON' }))).toBe(
    '400 InvalidRequest',
  );
  const Retention = { Mode: 'COMPLIANCE', RetainUntilDate: until(MINUTE) } as const;
  expect(await refusal(retain(Retention, plain))).toBe('400 InvalidRequest');
  const input = { ...plain, ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled' } } as const;
  const enable = () => client.send(new PutObjectLockConfigurationCommand(input));
  expect(await refusal(enable())).toBe('409 InvalidBucketState');
  const VersioningConfiguration = { Status: 'Enabled' } as const;
  await client.send(new PutBucketVersioningCommand({ ...plain, VersioningConfiguration }));
  await enable();
  await retain(Retention, plain);
});

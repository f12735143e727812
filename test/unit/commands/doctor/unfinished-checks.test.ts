import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CheckResult } from '../../../../commands/doctor/check.ts';
import { unfinishedChecks } from '../../../../commands/doctor/folder-checks.ts';
import type { RecordKind } from '../../../../src/state/uploads.ts';
import { uploadRecordsIn } from '../../../support/upload-records-in.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-doctor-'));
});
afterEach(() => rm(dir, { recursive: true }));

const MIB = 1024 ** 2;
const SECRET = 'https://upload.example/a-marker-that-must-not-be-seen';
const access = (kind: RecordKind) => uploadRecordsIn(join(dir, 'state'), { kind });

async function interrupt(kind: RecordKind, about: { store: string; path: string; id: string }) {
  const more = { partSize: 5 * MIB, size: 90 * MIB, source: 's', options: 'o' };
  const record = await (await access(kind).open()).create({ ...about, ...more });
  await record.add({ number: 1, size: 5 * MIB, etag: 'e', md5: 'm' });
  return record;
}

async function found(): Promise<readonly CheckResult[]> {
  const remoteOf = async (store: string) => (store === 'known' ? 'photos' : undefined);
  const [uploads, downloads] = [access('upload'), access('download')];
  const all: CheckResult[] = [];
  for await (const check of unfinishedChecks({ uploads, downloads }, remoteOf)) all.push(check);
  return all;
}

test('what ended processes have left is told with the command that deletes it', async () => {
  expect(await found()).toEqual([{ check: 'unfinished-transfers', verdict: 'ok', text: 'none' }]);
  const upload = await interrupt('upload', { store: 'known', path: 'b/a file', id: SECRET });
  expect(await found()).toMatchObject([{ text: 'none' }]);
  await upload.release();
  await (await interrupt('upload', { store: 'other', path: 'b/c', id: SECRET })).release();
  const partial = join(dir, '.syncer-x');
  await (await interrupt('download', { store: 'disk', path: '/to/f', id: partial })).release();
  const kept = '5 MiB of 90 MiB are kept for';
  const resumed = 'the next run of the same command resumes it';
  const all = (await found()).toSorted((a, b) => (a.text < b.text ? -1 : 1));
  const of = { check: 'unfinished-transfers', verdict: 'warning' };
  expect(all).toEqual([
    { ...of, text: `${kept} /to/f: ${resumed}`, mend: `rm ${partial}` },
    { ...of, text: `${kept} b/c of a remote that is not configured` },
    {
      ...of,
      text: `${kept} photos:b/a file: ${resumed}`,
      mend: "syncer uploads abort 'photos:b/a file'",
    },
  ]);
  expect(JSON.stringify(all)).not.toContain(SECRET);
});

import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettings } from '../../../../src/backends/s3/settings.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

let s3: TestS3;
beforeAll(async () => {
  s3 = await startTestS3();
  const { remote } = await openS3(s3, 'bucket', {
    options: { bucket_object_lock_enabled: 'true' },
  });
  await remote.makeDir('', OP);
  await remote.close();
});
afterAll(() => s3.stop());

const UNTIL = '2036-01-02T03:04:05Z';
const COPY = {
  object_lock_mode: 'copy',
  object_lock_retain_until_date: 'copy',
  object_lock_legal_hold_status: 'copy',
};
const LOCKED = {
  'object-lock-mode': 'GOVERNANCE',
  'object-lock-retain-until-date': UNTIL,
  'object-lock-legal-hold-status': 'ON',
};

const opening = async (options: Record<string, string> = {}) =>
  (await openS3(s3, 'bucket', { options })).remote;
const metadataOf = async (path: string) =>
  ((await (await opening()).stat(path, OP)) as FileEntry).metadata;

test.each(['false', 'true'])('uploads are locked, by requests of their own: %s', async (after) => {
  const path = `locked-${after}`;
  const remote = await opening({
    ...{ object_lock_mode: 'governance', object_lock_retain_until_date: UNTIL },
    ...{ object_lock_legal_hold_status: 'ON', object_lock_set_after_upload: after },
  });
  await remote.write(sourceOf(path, 'x'), OP);
  expect(await metadataOf(path)).toMatchObject(LOCKED);
  await remote.close();
});

test('parts are locked when they are joined, for a time from now', async () => {
  const remote = await opening({
    ...{ object_lock_mode: 'COMPLIANCE', object_lock_retain_until_date: '1d', upload_cutoff: '0' },
  });
  await remote.write(sourceOf('parts', 'x'), OP);
  const { 'object-lock-mode': mode, 'object-lock-retain-until-date': until } =
    (await metadataOf('parts')) ?? {};
  expect(mode).toBe('COMPLIANCE');
  const hours = (Date.parse(until ?? '') - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
  await remote.close();
});

test('the lock of the source is taken from its metadata, and is none of the copy by default', async () => {
  const remote = await opening(COPY);
  const source = { ...sourceOf('uploaded', 'x'), metadata: { ...LOCKED, other: '1' } };
  await remote.write(source, OP);
  expect(await metadataOf('uploaded')).toMatchObject({ ...LOCKED, other: '1' });
  const file = (await remote.stat('uploaded', OP)) as FileEntry;
  await remote.can.copyFrom?.(remote, file, 'copied', OP, { set: {} });
  expect(await metadataOf('copied')).toMatchObject({ ...LOCKED, other: '1' });
  const plain = await opening();
  await plain.write({ ...source, path: 'plain' }, OP);
  await plain.can.copyFrom?.(plain, file, 'plain-copy', OP, { set: {} });
  for (const path of ['plain', 'plain-copy']) {
    expect(Object.keys((await metadataOf(path)) ?? {}).join()).not.toContain('object-lock');
  }
  await remote.close();
});

test('a version in governance is deleted only if that is bypassed', async () => {
  const lock = { object_lock_mode: 'GOVERNANCE', object_lock_retain_until_date: UNTIL };
  const remote = await opening({ ...lock, versions: 'true' });
  await remote.write(sourceOf('governed', 'x'), OP);
  const file = (await remote.stat('governed', OP)) as FileEntry;
  await expect(deleteOne(remote, file, OP)).rejects.toMatchObject({ code: 'access-denied' });
  const bypassing = await opening({ versions: 'true', bypass_governance_retention: 'true' });
  await deleteOne(bypassing, file, OP);
  expect(await bypassing.stat('governed', OP)).toBeUndefined();
  await Promise.all([remote.close(), bypassing.close()]);
});

test('a server that ignores locks is noticed at the first object', async () => {
  const open = await startTestS3({ authKeys: [] });
  const { hostname, port } = new URL(open.endpoint);
  const deaf = createServer((request, response) => {
    const { headers, method, url } = request;
    const kept = Object.entries(headers).filter(([name]) => !name.includes('object-lock'));
    const to = { hostname, port, method, path: url, headers: Object.fromEntries(kept) };
    const sent = forward(to, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(sent);
  });
  await new Promise<void>((done) => deaf.listen(0, '127.0.0.1', done));
  const endpoint = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}`;
  const options = { object_lock_legal_hold_status: 'ON' };
  const { remote } = await openS3({ ...open, endpoint }, 'bucket', { options });
  await expect(remote.write(sourceOf('unlocked', 'x'), OP)).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining('the server does not show the lock of bucket/unlocked'),
  });
  await remote.close();
  deaf.closeAllConnections();
  await new Promise((done) => deaf.close(done));
  await open.stop();
});

test.each([
  [{ object_lock_mode: 'GOVERNANCE' }, 'object_lock_mode'],
  [{ object_lock_retain_until_date: '1d' }, 'object_lock_retain_until_date'],
  [{ object_lock_mode: 'x', object_lock_retain_until_date: '1d' }, 'object_lock_mode'],
  [{ ...COPY, object_lock_retain_until_date: 'x' }, 'object_lock_retain_until_date'],
  [{ ...COPY, object_lock_supported: 'false' }, 'object_lock_supported'],
])('%j is refused', (options, name) => {
  const message = expect.stringContaining(`option ${name}`);
  expect(() => readSettings('r', options, {})).toThrow(
    expect.objectContaining({ code: 'config', message }),
  );
});

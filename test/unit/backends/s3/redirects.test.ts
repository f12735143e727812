import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

let here: TestS3;
let there: TestS3;
beforeAll(async () => {
  [here, there] = await Promise.all([startTestS3(), startTestS3()]);
  const { remote } = await openS3(there, 'bucket');
  await remote.write(sourceOf('dir/file', 'content'), OP);
  await remote.close();
});
beforeEach(() => {
  for (const s3 of [here, there]) {
    s3.setFaults(undefined);
    s3.log.clear();
  }
});
afterAll(() => Promise.all([here.stop(), there.stop()]));

const redirectTo = (to: string, status = 307) => ({
  ...{ status, code: status === 301 ? 'PermanentRedirect' : 'TemporaryRedirect' },
  headers: { location: to },
});
const file: FileEntry = { kind: 'file', path: 'dir/file', size: 7 };

describe('a redirect without a region', () => {
  it.each([301, 307])('of status %i is followed, and remembered for the bucket', async (status) => {
    here.setFaults(({ url }) => redirectTo(there.endpoint + url, status));
    const { remote } = await openS3(here, 'bucket');
    expect(String(await remote.read(file, undefined, OP))).toBe('content');
    await remote.write(sourceOf(`written-${status}`, 'x'), OP);
    expect((await remote.listPage('dir', undefined, OP)).entries.length).toBe(1);
    expect(here.log.count()).toBe(1);
    expect(there.log.count()).toBe(3);
    await remote.close();
  });

  it('is followed for a file that cannot be sent twice', async () => {
    here.setFaults(({ url }) => redirectTo(there.endpoint + url));
    const { remote } = await openS3(here, 'bucket');
    const large = Buffer.alloc(17 * 1024 ** 2, 'large');
    const { createHash } = await import('node:crypto');
    const hash = async () => createHash('md5').update(large).digest('hex');
    expect(await remote.write({ ...sourceOf('large', large), hash }, OP)).toMatchObject({
      etag: await hash(),
    });
    await remote.close();
  });

  it.each([
    ['in circles', (url: string) => here.endpoint.replace('127.0.0.1', 'localhost') + url],
    ['to where it came from', (url: string) => here.endpoint + url],
    ['to another scheme', (url: string) => there.endpoint.replace('http:', 'https:') + url],
    ['to no bucket', () => `${there.endpoint}/sign-in`],
  ])('is refused in plain words where it leads %s', async (_name, to) => {
    here.setFaults(({ url }) => redirectTo(to(url)));
    const { remote } = await openS3(here, 'bucket');
    await expect(remote.read(file, undefined, OP)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(
        /^cannot read bucket\/dir\/file: the bucket is at another endpoint; set the options region and endpoint \(TemporaryRedirect: it is at https?:\/\/\S+:\d+\)$/,
      ),
    });
    expect(there.log.count()).toBe(0);
    expect(here.log.count()).toBeLessThanOrEqual(2);
    await remote.close();
  });

  it('is refused where it leads nowhere', async () => {
    here.setFaults(() => ({ status: 307, code: 'TemporaryRedirect' }));
    const { remote } = await openS3(here, 'bucket');
    await expect(remote.read(file, undefined, OP)).rejects.toMatchObject({ code: 'config' });
    expect(here.log.count()).toBe(1);
    await remote.close();
  });
});

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
  it.each([301, 307])(
    'of status %i to another path of the host is followed, and remembered',
    async (status) => {
      here.setFaults(({ url }) =>
        url.startsWith('/moved/')
          ? { status: 404 }
          : redirectTo(`${here.endpoint}/moved${url}`, status),
      );
      const { remote } = await openS3(here, 'bucket');
      for (let i = 0; i < 2; i++) {
        await expect(remote.read(file, undefined, OP)).rejects.toMatchObject({
          code: 'file-not-found',
        });
      }
      expect(here.log.requests.map(({ url }) => url.startsWith('/moved/'))).toEqual([
        false,
        true,
        true,
      ]);
      await remote.close();
    },
  );

  it('is not followed to another port or host with what is to be written', async () => {
    here.setFaults(({ url }) => redirectTo(there.endpoint + url));
    const { remote } = await openS3(here, 'bucket');
    await expect(remote.write(sourceOf('written', 'x'), OP)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(`it is at ${there.endpoint}`),
    });
    expect([here.log.count(), there.log.count()]).toEqual([1, 0]);
    await remote.close();
  });

  it.each([
    ['to another host', (url: string) => here.endpoint.replace('127.0.0.1', 'localhost') + url],
    ['to another port', (url: string) => there.endpoint + url],
    ['in circles', (url: string) => `${here.endpoint}/again${url}`],
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

import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreError } from '../../../../src/backends/s3/store-error.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { writeOnlyOver } from '../../../../src/system/only-over.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { someOf } from '../../../support/in-part.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

let s3: TestS3;
beforeAll(async () => {
  s3 = await startTestS3();
  const { remote } = await openS3(s3, 'bucket');
  await remote.write(sourceOf('dir/file', 'x'), OP);
});
afterAll(() => s3.stop());

const file: FileEntry = { kind: 'file', path: 'dir/file', size: 1 };

describe('what the store refuses', () => {
  it('tells a wrong secret', async () => {
    const { remote } = await openS3({ ...s3, secretAccessKey: 'WRONG' }, 'bucket');
    for (const call of [
      () => remote.listPage('', undefined, OP),
      () => remote.stat('dir/file', OP),
      () => remote.stat('', OP),
      () => remote.write(sourceOf('f', 'x'), OP),
      () => remote.read(file, undefined, OP),
    ]) {
      const error = await call().catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'sign-in' });
      expect(error.message).toMatch(/the secret key is wrong; check access_key_id/);
      expect(error.message).not.toContain('WRONG');
    }
  });

  it('tells an unknown key, and who may not come in at all', async () => {
    const { remote } = await openS3({ ...s3, accessKeyId: 'NOBODY' }, 'bucket');
    await expect(remote.listPage('', undefined, OP)).rejects.toMatchObject({
      code: 'sign-in',
      message: expect.stringContaining('access key not recognised'),
    });
    const anonymous = await openS3({ ...s3, accessKeyId: '', secretAccessKey: '' }, 'bucket');
    await expect(anonymous.remote.listPage('', undefined, OP)).rejects.toMatchObject({
      code: 'access-denied',
    });
  });

  it('finds a prefix below which a key may only list', async () => {
    s3.setFaults(({ method, query }) => {
      const isAllowed = method === 'GET' && query.get('prefix')?.startsWith('dir/');
      return isAllowed ? undefined : { status: 403, code: 'AccessDenied' };
    });
    const { remote } = await openS3(s3, 'bucket');
    expect(await remote.stat('dir', OP)).toEqual({ kind: 'dir', path: 'dir' });
    expect((await remote.listPage('dir', undefined, OP)).entries).toMatchObject([{ size: 1 }]);
    await expect(remote.stat('other', OP)).rejects.toMatchObject({ code: 'access-denied' });
    s3.setFaults(undefined);
  });

  it('tells a lock, which only the message names', () => {
    const answer = (message: string) =>
      new StoreError({ status: 403, s3Code: 'AccessDenied', message }, 'delete', 'bucket/a')
        .message;
    expect(answer('Access Denied because object protected by object lock.')).toBe(
      'cannot delete bucket/a: the object is locked; its retention or legal hold has to end first (AccessDenied)',
    );
    expect(answer('Access Denied.')).toContain('the key lacks the permission');
  });

  it('tells a clock that is wrong', async () => {
    const now = () => Date.now() - 2 * 86_400_000;
    const { remote } = await openS3(s3, 'bucket', { now });
    await expect(remote.listPage('', undefined, OP)).rejects.toMatchObject({
      message: expect.stringContaining('the local clock differs'),
    });
  });

  it('tells a missing bucket by its name, and a missing prefix as empty', async () => {
    const { remote } = await openS3(s3, 'nowhere/dir');
    for (const call of [
      () => remote.listPage('', undefined, OP),
      () => remote.can.listTreePage?.('', undefined, OP),
      () => remote.can.purge?.('', OP),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: 'directory-not-found',
        message: expect.stringContaining('nowhere'),
      });
    }
    expect(await remote.stat('', OP)).toBeUndefined();
    await expect(remote.read(file, undefined, OP)).rejects.toMatchObject({
      code: 'file-not-found',
    });
    const empty = await openS3(s3, 'bucket/missing');
    expect(await empty.remote.listPage('', undefined, OP)).toEqual({ entries: [] });
  });
});

describe('a server that refuses only the form of a request', () => {
  const refused = [
    [400, 'NotImplemented'],
    [400, 'InvalidArgument'],
    [403, 'AccessDenied'],
    [405, 'MethodNotAllowed'],
    [501, 'NotImplemented'],
  ] as const;
  const files = async (remote: Remote) =>
    (await remote.listPage('dir', undefined, OP)).entries as readonly [FileEntry];

  it.each(refused)(
    'with %i %s copies without a condition what is unchanged',
    async (status, code) => {
      s3.setFaults(({ headers }) =>
        'x-amz-copy-source-if-match' in headers ? { status, code } : undefined,
      );
      s3.log.clear();
      const { remote } = await openS3(s3, 'bucket');
      const [listed] = await files(remote);
      for (const path of ['copy-1', 'copy-2']) {
        expect(await remote.can.copyFrom?.(remote, listed, path, OP)).toMatchObject({ size: 1 });
      }
      // Once with the condition.
      expect(s3.log.count('CopyObject')).toBe(3);
      const other = { ...listed, etag: 'f'.repeat(32) };
      await expect(remote.can.copyFrom?.(remote, other, 'copy-3', OP)).rejects.toMatchObject({
        code: 'source-changed',
      });
      await remote.close();
    },
  );

  it.each(someOf(refused, 2))(
    'with %i %s copies large objects without a condition',
    async (status, code) => {
      s3.setFaults(({ headers }) =>
        'x-amz-copy-source-if-match' in headers ? { status, code } : undefined,
      );
      const { remote } = await openS3(s3, 'bucket', {
        options: { copy_cutoff: '5Mi', upload_cutoff: '20Mi' },
      });
      const written = await remote.write(sourceOf('large', Buffer.alloc(6 * 1024 ** 2)), OP);
      const copied = await remote.can.copyFrom?.(remote, written, 'large-copy', OP);
      expect(copied).toMatchObject({ size: 6 * 1024 ** 2 });
      await remote.close();
    },
  );

  it.each(someOf(refused, 2))(
    'with %i %s uploads in parts without checksums',
    async (status, code) => {
      s3.setFaults(({ headers }) =>
        'x-amz-checksum-algorithm' in headers ? { status, code } : undefined,
      );
      const { remote } = await openS3(s3, 'bucket', { options: { upload_cutoff: '5Mi' } });
      const written = await remote.write(sourceOf('parts', Buffer.alloc(6 * 1024 ** 2)), OP);
      expect(written.size).toBe(6 * 1024 ** 2);
      await remote.close();
    },
  );

  it.each(refused)(
    'with %i %s writes without a condition what is still the same',
    async (status, code) => {
      s3.setFaults(({ headers }) =>
        'if-match' in headers || 'if-none-match' in headers ? { status, code } : undefined,
      );
      const { remote } = await openS3(s3, 'bucket');
      const path = `conditional-${status}-${code}`;
      for (const only of ['nothing', undefined] as const) {
        const file = only ?? ((await remote.stat(path, OP)) as FileEntry);
        const written = await writeOnlyOver(remote, sourceOf(path, 'x'), { file }, OP);
        expect(written.size).toBe(1);
      }
      const late = writeOnlyOver(remote, sourceOf(path, 'x'), { file: 'nothing' }, OP);
      await expect(late).rejects.toMatchObject({ code: 'precondition-failed' });
      await remote.close();
    },
  );

  it.each(refused)(
    'with %i %s for its versioning takes writes that undo notes',
    async (status, code) => {
      s3.setFaults(({ query }) => (query.has('versioning') ? { status, code } : undefined));
      const { remote } = await openS3(s3, 'bucket');
      expect(await remote.can.restoring?.keeps(OP)).toEqual({ deleted: false, replaced: false });
      await remote.close();
    },
  );

  it('lists in the form of version 1, whatever the refusal of version 2 says', async () => {
    for (const [status, code] of refused.filter(([status]) => status !== 403)) {
      s3.setFaults(({ query }) => (query.get('list-type') === '2' ? { status, code } : undefined));
      const { remote } = await openS3(s3, 'bucket');
      expect(await files(remote)).toMatchObject([{ path: 'dir/file' }]);
      await remote.close();
    }
  });
});

describe('a bucket in another region', () => {
  it('is found where the store says it is', async () => {
    const far = await startTestS3({ region: 'eu-central-1' });
    const { remote } = await openS3(far, 'bucket');
    await remote.makeDir('', OP);
    far.log.clear();
    await remote.write(sourceOf('a', 'x'), OP);
    await remote.write(sourceOf('b', 'x'), OP);
    expect(far.log.count()).toBe(2);
    expect(await remote.stat('a', OP)).toMatchObject({ kind: 'file' });
    await remote.close();
    await far.stop();
  });
});

describe('what is no S3 server', () => {
  it('tells that nothing listens, after few tries', async () => {
    const { port } = await listening((socket) => socket.destroy(), true);
    const { remote, events } = await openS3(at(port), 'bucket');
    await expect(remote.listPage('', undefined, OP)).rejects.toMatchObject({
      code: 'network',
      message: `cannot connect to 127.0.0.1:${port} (connection refused); check the endpoint`,
    });
    expect(events.length).toBe(2);
  });

  it('tells a host that does not exist', async () => {
    const nowhere = { ...s3, endpoint: 'http://syncer-test.invalid' };
    const { remote } = await openS3(nowhere, 'bucket');
    await expect(remote.stat('', OP)).rejects.toMatchObject({
      code: 'network',
      message: expect.stringMatching(/syncer-test\.invalid/),
    });
  });

  it('tells what answers something else', async () => {
    const answers: [string, RegExp][] = [
      ['SSH-2.0-OpenSSH\r\n', /does not speak HTTP/],
      ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', /not XML/],
      ['HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', /bucket .* not found/],
      [
        'HTTP/1.1 418 I am a teapot\r\nContent-Length: 0\r\n\r\n',
        /refused the request \(status 418\)/,
      ],
    ];
    for (const [answer, expected] of answers) {
      const { port, close } = await listening((socket) =>
        socket.once('data', () => socket.end(answer)),
      );
      const { remote } = await openS3(at(port), 'bucket');
      await expect(remote.listPage('', undefined, OP)).rejects.toThrow(expected);
      await remote.close();
      close();
    }
  });

  it('tells a TLS endpoint that is none', async () => {
    const tls = { ...s3, endpoint: s3.endpoint.replace('http:', 'https:') };
    const { remote } = await openS3(tls, 'bucket');
    await expect(remote.listPage('', undefined, OP)).rejects.toMatchObject({
      code: 'bad-answer',
      message: expect.stringMatching(/127\.0\.0\.1:\d+ does not speak TLS; try endpoint/),
    });
  });
});

function at(port: number) {
  return { endpoint: `http://127.0.0.1:${port}`, accessKeyId: 'a', secretAccessKey: 'b' };
}

async function listening(
  onConnection: Parameters<typeof createServer>[1] & {},
  closeAtOnce = false,
): Promise<{ port: number; close: () => void }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  if (closeAtOnce) await new Promise((resolve) => server.close(resolve));
  return { port, close: () => server.close() };
}

it('a bucket that may not be created ends a run, if it is the one of the remote', async () => {
  const readOnly = await startTestS3({ readOnly: true, root: s3.root });
  try {
    const { remote } = await openS3(readOnly, 'new');
    await remote.listPage('', undefined, OP).catch(() => {});
    await expect(remote.write(sourceOf('f', 'x'), OP)).rejects.toMatchObject({
      ...{ code: 'config', stop: true, exit: 1 },
      message: expect.stringContaining('cannot create bucket new: access denied'),
    });
    const all = await openS3(readOnly, '');
    await all.remote.listPage('new', undefined, OP).catch(() => {});
    await expect(all.remote.write(sourceOf('new/f', 'x'), OP)).rejects.toMatchObject({
      ...{ code: 'access-denied', stop: false },
    });
  } finally {
    await readOnly.stop();
  }
});

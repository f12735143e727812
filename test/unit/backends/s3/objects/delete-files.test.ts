import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileEntry } from '../../../../../src/core/remote.ts';
import { type Forgetting, startForgetfulStore } from '../../../../servers/forgetful-store.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../../support/open-s3.ts';

const NAMES = ['d/a', 'd/b', 'd/c', 'd/e', 'd/f'];

let s3: TestS3;
beforeEach(async () => {
  s3 = await startTestS3();
  const { remote } = await openS3(s3, 'bucket');
  for (const name of NAMES) await remote.write(sourceOf(name, 'x'), OP);
  await remote.close();
});
afterEach(() => s3.stop());

const files = (names: readonly string[]): FileEntry[] =>
  names.map((path) => ({ kind: 'file', path, size: 1 }));

describe('a server that refuses a request for many objects', () => {
  it.each([
    [400, 'NotImplemented'],
    [400, 'MethodNotAllowed'],
    [400, 'InvalidArgument'],
    [400, 'KeyTooLongError'],
    [403, 'AccessDenied'],
    [404, 'NoSuchKey'],
    [405, 'MethodNotAllowed'],
    [411, 'MissingContentLength'],
    [413, 'EntityTooLarge'],
    [418, 'Teapot'],
    [501, 'NotImplemented'],
  ])(
    'with %i %s deletes them one by one, and is asked for many only once',
    async (status, code) => {
      s3.setFaults(({ operation }) =>
        operation === 'DeleteObjects' ? { status, code } : undefined,
      );
      const { remote } = await openS3(s3, 'bucket');
      expect(await remote.delete(files(NAMES.slice(0, 2)), OP)).toEqual(new Map());
      await remote.can.purge?.('d', OP);
      await remote.close();
      const deletions = [s3.log.count('DeleteObjects'), s3.log.count('DeleteObject')];
      expect(deletions).toEqual([1, NAMES.length]);
      const { remote: plain } = await openS3(s3, 'bucket');
      expect((await plain.listPage('d', undefined, OP)).entries).toEqual([]);
      await plain.close();
    },
  );

  it.each([
    [401, 'Unauthorized'],
    [403, 'InvalidAccessKeyId'],
    [403, 'SignatureDoesNotMatch'],
    [503, 'SlowDown'],
  ])('with %i %s is not asked for each of them', async (status, code) => {
    s3.setFaults(({ operation }) => (operation === 'DeleteObjects' ? { status, code } : undefined));
    const { remote } = await openS3(s3, 'bucket');
    await expect(remote.delete(files(NAMES), OP)).rejects.toThrow(code);
    expect(s3.log.count('DeleteObject')).toBe(0);
    await remote.close();
  });

  it('gives the reason of each that it refuses as well, and gets each request once', async () => {
    s3.setFaults(({ operation }) => {
      if (operation === 'DeleteObjects') return { status: 400, code: 'NotImplemented' };
      return operation === 'DeleteObject' ? { status: 403, code: 'AccessDenied' } : undefined;
    });
    const { remote } = await openS3(s3, 'bucket');
    for (const half of [NAMES.slice(0, 2), NAMES.slice(2)]) {
      const failures = [...(await remote.delete(files(half), OP)).values()];
      expect(failures.map((error) => (error as { code?: string }).code)).toEqual(
        half.map(() => 'access-denied'),
      );
    }
    const deletions = [s3.log.count('DeleteObjects'), s3.log.count('DeleteObject')];
    expect(deletions).toEqual([1, NAMES.length]);
    await remote.close();
  });
});

describe('a server that refuses the condition of a deletion', () => {
  it.each([
    [400, 'InvalidArgument'],
    [403, 'AccessDenied'],
    [405, 'MethodNotAllowed'],
    [501, 'NotImplemented'],
  ])('with %i %s deletes the file that is still the listed one', async (status, code) => {
    s3.setFaults(({ operation, headers }) =>
      operation === 'DeleteObject' && 'if-match' in headers ? { status, code } : undefined,
    );
    const { remote } = await openS3(s3, 'bucket');
    const { entries } = await remote.listPage('d', undefined, OP);
    const [first, second] = entries as FileEntry[];
    if (first === undefined || second === undefined) throw new Error('no files');
    expect(await remote.delete([first], OP, { ifUnchanged: true })).toEqual(new Map());
    await remote.write(sourceOf(second.path, 'other'), OP);
    const failed = await remote.delete([second], OP, { ifUnchanged: true });
    expect(failed.get(second)).toMatchObject({ code: 'source-changed' });
    await remote.close();
  });
});

describe('a server that loses its place in a listing while entries are deleted', () => {
  const ways: Forgetting['continues'][] = ['behind an entry', 'at a number'];
  const VERSIONS = { versions: 'true' };
  const open = async (
    continues: Forgetting['continues'],
    options: Readonly<Record<string, string>> = VERSIONS,
    lies = false,
  ) => {
    const ids = Array.from({ length: 20 }, (_, n) => `v${String(n).padStart(2, '0')}`);
    const stored = ids.map((id) => ({ key: options === VERSIONS ? 'd/m' : `d/${id}`, id }));
    const store = await startForgetfulStore(stored, { continues, lies });
    const { remote } = await openS3(store, 'bucket', { options });
    return { store, remote };
  };

  it.each(ways)('and continues %s has no version left after a purge', async (way) => {
    const { store, remote } = await open(way);
    await remote.can.purge?.('d', OP);
    expect(store.stored).toEqual([]);
    await remote.close();
    store.close();
  });

  it.each(['1', '2'])('has no object left after a purge with listings of version %s', async (v) => {
    for (const way of v === '1' ? ways.slice(0, 1) : ways) {
      const { store, remote } = await open(way, { list_version: v });
      await remote.can.purge?.('d', OP);
      expect(store.stored).toEqual([]);
      await remote.close();
      store.close();
    }
  });

  it.each([VERSIONS, {}])('and deletes nothing ends the purge with an error', async (options) => {
    const { store, remote } = await open('behind an entry', options, true);
    await expect(remote.can.purge?.('d', OP)).rejects.toMatchObject({
      code: 'not-empty',
      message: expect.stringContaining('it is listed again, although the server said'),
    });
    await remote.close();
    store.close();
  });

  it('has no upload left that is old, after a cleanup', async () => {
    const { store, remote } = await open('behind an entry');
    await remote.can.cleanUp?.(0, OP);
    expect(store.stored).toEqual([]);
    await remote.close();
    store.close();
  });

  it.each(['listUploads', 'listVersions'] as const)(
    'has nothing left if all of %s is deleted page by page',
    async (what) => {
      const { store, remote } = await open('behind an entry');
      for await (const page of remote.can[what]?.('', OP) ?? []) {
        expect(await remote.can.deleteKept?.(page, OP)).toEqual(new Map());
      }
      expect(store.stored).toEqual([]);
      await remote.close();
      store.close();
    },
  );
});

import { expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import type { FileEntry } from '../../../src/core/remote.ts';
import { detailReader, type WantedDetails } from '../../../src/listing/detail-reader.ts';
import { remoteBut, remoteWith } from '../../support/memory-world.ts';

const op = { signal: new AbortController().signal };
const nothing: WantedDetails = {
  modTime: false,
  mimeType: false,
  metadata: false,
  hashes: [],
  useServerModTime: false,
};
const bare: FileEntry = { kind: 'file', path: 'a', size: 3 };

async function reader(wanted: Partial<WantedDetails>, fails = false) {
  const remote = await remoteWith({ a: 'abc' }, { slowModTime: true, slowHash: true });
  const errors: string[] = [];
  const { details } = remote.can;
  let asked = 0;
  const counted = remoteBut(remote, {
    can: {
      ...remote.can,
      details: {
        async read(file, ...rest) {
          asked++;
          if (fails) throw new SyncerError('file-not-found', 'gone');
          return (await details?.read(file, ...rest)) ?? file;
        },
      },
    },
  });
  const read = detailReader(counted, { ...nothing, ...wanted }, op, (thrown, path) =>
    errors.push(`${path}: ${(thrown as Error).message}`),
  );
  return { read, errors, asked: () => asked };
}

test('nothing is asked where nothing is wanted, or the listing told it', async () => {
  const { read, asked } = await reader({ modTime: true });
  const told = { ...bare, modTime: 5n };
  expect(read(told)).toEqual(told);
  expect((await reader({})).read(bare)).toEqual(bare);
  expect(asked()).toBe(0);
});

test('times and hashes are asked for', async () => {
  const { read, asked } = await reader({ modTime: true, hashes: ['md5', 'sha1'] });
  const file = await read(bare);
  expect(file.modTime).toBe(1_000_000_000_000n);
  expect(file.hashes).toMatchObject({
    md5: '900150983cd24fb0d6963f7d28e17f72',
    sha1: 'a9993e364706816aba3e25717850c26c9cd0d89d',
  });
  expect(asked()).toBe(1);
});

test('several hashes that mean reading the file come from one reading', async () => {
  const asked: string[] = [];
  const remote = await remoteWith({ a: 'abc' }, { slowHash: true });
  const counted = remoteBut(remote, {
    can: {
      ...remote.can,
      hash: async (_, name) => `${asked.push(name)}`,
      hashes: async (_, names) => ({ md5: `${asked.push(names.join())}`, sha1: 's' }),
    },
  });
  const fail = (thrown: unknown) => expect.fail(String(thrown));
  const both = detailReader(counted, { ...nothing, hashes: ['md5', 'sha1'] }, op, fail);
  expect((await both(bare)).hashes).toEqual({ md5: '1', sha1: 's' });
  const one = detailReader(counted, { ...nothing, hashes: ['md5'] }, op, fail);
  expect((await one(bare)).hashes).toEqual({ md5: '2' });
  expect(asked).toEqual(['md5,sha1', 'md5']);
});

test('the time of the store stands for the file’s own where that is wanted', async () => {
  const { read, asked } = await reader({ modTime: true, useServerModTime: true });
  expect(read({ ...bare, storedTime: 7n })).toMatchObject({ modTime: 7n });
  expect(asked()).toBe(0);
});

test('what cannot be read is told, and the file stays', async () => {
  const { read, errors } = await reader({ modTime: true }, true);
  expect(await read(bare)).toEqual(bare);
  expect(errors).toEqual(['a: gone']);
});

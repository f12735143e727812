import { expect, test } from 'vitest';
import type { Metadata } from '../../../src/core/entry-details.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Details, Remote, WriteSource } from '../../../src/core/remote.ts';
import { contentsOf, remoteBut, remoteWith, runOnce } from '../../support/memory-world.ts';

const OP = { signal: new AbortController().signal };

async function put(remote: Remote, path: string, metadata: Metadata): Promise<void> {
  const body = Buffer.from(path);
  const open = async () => body;
  const source = { path, size: body.length, modTime: 5_000_000_000n, metadata, seekable: true };
  await remote.write({ ...source, open }, OP);
}

/** The remote, and what is written to it. */
function watched(remote: Remote): { remote: Remote; written: Map<string, WriteSource> } {
  const written = new Map<string, WriteSource>();
  const write: Remote['write'] = (source, op) => {
    written.set(source.path, source);
    return remote.write(source, op);
  };
  return { remote: remoteBut(remote, { write }), written };
}

test('a copy has metadata only where that is wanted', async () => {
  const source = await remoteWith({});
  await put(source, 'file', { colour: 'red', shape: 'round' });
  for (const [metadata, expected] of [
    [undefined, undefined],
    [{ set: {} }, { colour: 'red', shape: 'round' }],
    [{ set: { colour: 'blue' } }, { colour: 'blue', shape: 'round' }],
  ] as const) {
    const { remote, written } = watched(await remoteWith({}));
    await runOnce('copy', source, remote, metadata === undefined ? {} : { metadata });
    expect(written.get('file')?.metadata).toEqual(expected);
    expect(written.get('file')?.modTime).toBe(5_000_000_000n);
  }
});

test('the time in the metadata counts', async () => {
  const source = await remoteWith({ file: 'content' });
  const dest = await remoteWith({});
  const set = { mtime: '1970-01-01T00:00:09Z' };
  await runOnce('copy', source, dest, { metadata: { set } });
  expect(await contentsOf(dest)).toEqual({ file: 'content@9' });
});

test('a store that tells details with the content is asked once', async () => {
  const stored = await remoteWith({}, { slowModTime: true });
  await put(stored, 'file', { colour: 'red' });
  const details: Details = {
    body: true,
    async read(file, op, asked) {
      if (asked?.onBody === undefined) throw new SyncerError('other', 'asked twice');
      return (await stored.can.details?.read(file, op, asked)) ?? file;
    },
  };
  const source = remoteBut(stored, { can: { ...stored.can, details } });
  const { remote, written } = watched(await remoteWith({}));
  const { error } = await runOnce('copy', source, remote, { metadata: { set: {} } });
  expect(error).toBeUndefined();
  expect(written.get('file')?.metadata).toEqual({ colour: 'red' });
});

test('a store without details has metadata that are set', async () => {
  const source = await remoteWith({ file: 'content' }, { without: ['details'] });
  const { remote, written } = watched(await remoteWith({}));
  await runOnce('copy', source, remote, { metadata: { set: { colour: 'red' } } });
  expect(written.get('file')?.metadata).toEqual({ colour: 'red' });
});

test('metadata that cannot be set are an error, tried once; a move keeps its source', async () => {
  const source = await remoteWith({ file: 'content' });
  const stored = await remoteWith({});
  let writes = 0;
  const write: Remote['write'] = async (file, op) => {
    writes++;
    await stored.write(file, op);
    throw new SyncerError('metadata', 'failed to set metadata: no');
  };
  const dest = remoteBut(stored, { write });
  const moved = await runOnce('move', source, dest, { metadata: { set: {} } });
  expect(moved.error?.code).toBe('metadata');
  expect(moved.worthRetrying).toBe(true);
  expect(moved.log).toContain('error: file: Failed to move: failed to set metadata: no');
  expect(writes).toBe(1);
  expect(await contentsOf(source)).toEqual({ file: 'content@1000' });
});

test('a backup keeps the metadata of what is replaced, also where no copy does', async () => {
  const source = await remoteWith({ file: ['new content', 9] });
  const dest = await remoteWith({});
  await put(dest, 'file', { colour: 'red' });
  const { remote, written } = watched(await remoteWith({}));
  const backup = { remote, suffix: '', keepExtension: false };
  await runOnce('copy', source, dest, { backup });
  expect(written.get('file')?.metadata).toEqual({ colour: 'red' });
});

test('a backup without some of its metadata is told, and the file replaced', async () => {
  const source = await remoteWith({ file: 'new content' });
  const dest = await remoteWith({ file: 'old' });
  const stored = await remoteWith({});
  const write: Remote['write'] = async (file, op) => {
    await stored.write(file, op);
    throw new SyncerError('metadata', 'failed to set metadata: no');
  };
  const backup = { remote: remoteBut(stored, { write }), suffix: '', keepExtension: false };
  const { error, log } = await runOnce('copy', source, dest, { backup });
  expect(error).toBeUndefined();
  expect(log).toContain('notice: file: In the backup: failed to set metadata: no');
  expect(await contentsOf(dest)).toEqual({ file: 'new content@1000' });
  expect(await contentsOf(stored)).toEqual({ file: 'old@1000' });
});

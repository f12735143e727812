import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { ContentsWorld, CREATE, op, UPDATE, WRITE, writeFile } from './contents-world.ts';

test.each(['off', 'writes', 'full'] as const)(
  '%s: what was flushed and not closed is uploaded, what was not flushed is not',
  async (cacheMode) => {
    const world = new ContentsWorld();
    const contents = await world.open({ cacheMode });
    const empty = await contents.open('empty', undefined, CREATE, op);
    await empty.flush(op);
    const whole = await contents.open('whole', undefined, CREATE, op);
    await whole.write(0, Buffer.from('all of it'), op);
    await whole.flush(op);
    const half = await contents.open('half', undefined, CREATE, op);
    await half.write(0, Buffer.from('half of'), op);
    await contents.finish(op);
    await contents.close();
    expect(String(await world.get('empty'))).toBe('');
    expect(String(await world.get('whole'))).toBe('all of it');
    expect(await world.get('half')).toBeUndefined();
  },
);

test('what was changed after it was flushed is not finished', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('f', 'old');
  const contents = await world.open();
  const file = await contents.open('f', entry, UPDATE, op);
  await file.write(0, Buffer.from('new'), op);
  await file.flush(op);
  await file.write(0, Buffer.from('n'), op);
  await contents.finish(op);
  expect(String(await world.get('f'))).toBe('old');
  await contents.close();
  expect(contents.state()).toMatchObject({ uploadsWaiting: 1, pendingBytes: 3 });
});

test('one that cannot be finished leaves the others in peace', async () => {
  const world = new ContentsWorld();
  const { remote } = world;
  world.remote = remoteBut(remote, {
    write: async (source, at) => {
      if (source.path === 'a') throw new SyncerError('access-denied', 'not this one');
      return remote.write(source, at);
    },
  });
  const contents = await world.open({ cacheMode: 'off' });
  for (const path of ['a', 'b']) await (await contents.open(path, undefined, WRITE, op)).flush(op);
  await expect(contents.finish(op)).rejects.toThrow('not this one');
  expect(String(await world.get('b'))).toBe('');
});

test('what is left is known after the end', async () => {
  const world = new ContentsWorld();
  world.remote = remoteBut(world.remote, {
    write: async () => {
      throw new SyncerError('access-denied', 'you may not write there');
    },
  });
  const contents = await world.open();
  await writeFile(contents, 'a', 'content');
  await writeFile(contents, 'b', 'content');
  await expect(contents.finish(op)).rejects.toThrow('you may not');
  await contents.close();
  expect(contents.state()).toMatchObject({ uploadsWaiting: 2, uploadsFailed: 0, pendingBytes: 14 });
});

test('what was uploaded is not left', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  await writeFile(contents, 'a', 'content');
  await contents.finish(op);
  await contents.close();
  expect(contents.state()).toMatchObject({ uploadsWaiting: 0, pendingBytes: 0 });
});

test('the time of an empty file can be set while it is closed: then it is on the remote', async () => {
  const world = new ContentsWorld();
  const contents = await world.open({ cacheMode: 'off' });
  const file = await contents.open('f', undefined, CREATE, op);
  await file.flush(op);
  const released = file.release(op);
  expect(await contents.setModTime('f', 5n)).toBe(false);
  expect(await world.get('f')).toBeDefined();
  await released;
});

import { expect, test } from 'vitest';
import { collectBody } from '../../../../src/core/body.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { WriteSource } from '../../../../src/core/remote.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { waitFor } from '../../../support/wait-for.ts';
import {
  ContentsWorld,
  closeFile,
  hastyClock,
  op,
  READ,
  UPDATE,
  writeFile,
} from './contents-world.ts';

/** Uploads in two halves, waits between them, and does not care whether anybody still wants it. */
function inHalves(world: ContentsWorld, between: () => Promise<void>): string[] {
  const { remote } = world;
  const arrived: string[] = [];
  world.remote = remoteBut(remote, {
    write: async (source) => {
      const half = Math.floor((source.size ?? 0) / 2);
      const first = await collectBody(
        await source.open({ offset: 0, length: half }, op),
        op.signal,
      );
      await between();
      const second = await collectBody(await source.open({ offset: half }, op), op.signal);
      const whole = Buffer.concat([first, second]);
      arrived.push(String(whole));
      return remote.write({ ...source, open: async () => whole } satisfies WriteSource, op);
    },
  });
  return arrived;
}

test('what changes while it is uploaded is uploaded anew, never a mixture', async () => {
  const world = new ContentsWorld();
  const steps: (() => Promise<void>)[] = [];
  const arrived = inHalves(world, async () => steps.shift()?.());
  const contents = await world.open({ writeBack: 0 });
  const told: string[] = [];
  contents.onUploaded((path) => told.push(path));
  steps.push(async () => {
    const file = await contents.open('f', undefined, UPDATE, op);
    await file.write(0, Buffer.from('BBBB'), op);
    await closeFile(file);
  });
  await writeFile(contents, 'f', 'aaaa');
  await waitFor(() => arrived.length > 0);
  await contents.drain(op);
  expect(arrived).toEqual(['BBBB']);
  expect(told).toEqual(['f']);
  expect(String(await world.get('f'))).toBe('BBBB');
});

test('an upload that fails is tried again until it succeeds', async () => {
  const world = new ContentsWorld();
  world.clock = hastyClock;
  let tries = 0;
  const { remote } = world;
  world.remote = remoteBut(remote, {
    write: async (source, at) => {
      if (++tries < 4) throw new SyncerError('server', 'not now');
      return remote.write(source, at);
    },
  });
  const contents = await world.open({ writeBack: 0 });
  await writeFile(contents, 'f', 'content');
  await contents.drain(op);
  expect(tries).toBe(4);
  expect(contents.state()).toMatchObject({ uploadsWaiting: 0, uploadsFailed: 0, pendingBytes: 0 });
  expect(world.logLines().filter((line) => line.includes('trying again'))).toHaveLength(3);
});

test('an upload of a mount that succeeds after failures says at which attempt', async () => {
  const world = new ContentsWorld();
  world.clock = hastyClock;
  const { remote } = world;
  let failures = 2;
  world.remote = remoteBut(remote, {
    write: async (source, at) => {
      if (failures-- > 0) throw new SyncerError('server', 'not now');
      return remote.write(source, at);
    },
  });
  const contents = await world.open({ writeBack: 0 });
  for (const text of ['first', 'second']) {
    await writeFile(contents, text, text);
    await contents.drain(op);
  }
  expect(world.logLines().filter((line) => line.includes('Succeeded'))).toEqual([
    'info: first: Succeeded on attempt 3',
  ]);
});

test('a drain ends with the error where nothing else can come', async () => {
  const world = new ContentsWorld();
  world.remote = remoteBut(world.remote, {
    write: async () => {
      throw new SyncerError('access-denied', 'you may not write there');
    },
  });
  const contents = await world.open();
  await writeFile(contents, 'f', 'content');
  await expect(contents.drain(op)).rejects.toMatchObject({ code: 'access-denied' });
  expect(contents.state()).toMatchObject({ uploadsFailed: 1, pendingBytes: 7 });
});

test('a drain ends with its signal, and what waited is there for the next mount', async () => {
  const world = new ContentsWorld();
  const { remote } = world;
  world.remote = remoteBut(remote, {
    write: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  });
  const contents = await world.open();
  await writeFile(contents, 'f', 'content');
  const bound = new AbortController();
  const drained = contents.drain({ signal: bound.signal });
  await waitFor(() => contents.state().uploadsRunning === 1);
  bound.abort(new SyncerError('timed-out', 'long enough'));
  await expect(drained).rejects.toMatchObject({ code: 'timed-out' });
  await contents.close();
  world.remote = remote;
  const next = await world.open();
  await next.drain(op);
  expect(String(await world.get('f'))).toBe('content');
});

test('no more uploads at once than allowed', async () => {
  const world = new ContentsWorld();
  const { remote } = world;
  let [now, most] = [0, 0];
  world.remote = remoteBut(remote, {
    write: async (source, at) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now--;
      return remote.write(source, at);
    },
  });
  const contents = await world.open({ transfers: 3 });
  await Promise.all(Array.from({ length: 12 }, (_, i) => writeFile(contents, `f${i}`, 'x')));
  await contents.drain(op);
  expect(most).toBe(3);
});

test('an upload whose answer was lost with the mount is not made again', async () => {
  const world = new ContentsWorld();
  const { remote } = world;
  let writes = 0;
  world.remote = remoteBut(remote, {
    write: (...args) => {
      writes++;
      return remote.write(...args);
    },
  });
  const contents = await world.open();
  await writeFile(contents, 'f', 'content');
  const pending = contents.pending('f');
  world.crash();
  await world.put('f', 'content', pending?.modTime);
  const next = await world.open();
  await next.drain(op);
  expect(writes).toBe(0);
  expect(world.logLines().filter((line) => line.includes('Changed'))).toEqual([]);
});

test('a read that is given up frees its connection', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('f', Buffer.alloc(100));
  let [begun, aborted] = [0, 0];
  world.remote = remoteBut(world.remote, {
    read: (_, __, { signal }) =>
      new Promise((_resolve, reject) => {
        begun++;
        signal.addEventListener('abort', () => {
          aborted++;
          reject(signal.reason);
        });
      }),
  });
  const contents = await world.open({ cacheMode: 'off' });
  const file = await contents.open('f', entry, READ, op);
  const stop = new AbortController();
  const reading = file.read(0, 10, { signal: stop.signal });
  await waitFor(() => begun === 1);
  stop.abort(new SyncerError('interrupted', 'given up'));
  await expect(reading).rejects.toMatchObject({ code: 'interrupted' });
  expect(aborted).toBe(1);
  await closeFile(file);
});

test('an older version that is on its way cannot arrive after a newer one', async () => {
  const world = new ContentsWorld();
  const { remote } = world;
  const late = Promise.withResolvers<void>();
  let writes = 0;
  world.remote = remoteBut(remote, {
    write: async (source) => {
      // The store goes on although the request was broken off.
      const bytes = await collectBody(await source.open(undefined, op), op.signal);
      if (++writes === 1) await late.promise;
      return remote.write({ ...source, open: async () => bytes }, op);
    },
  });
  const contents = await world.open({ writeBack: 0 });
  await writeFile(contents, 'f', 'old');
  await waitFor(() => writes === 1);
  await writeFile(contents, 'f', 'new one');
  const drained = contents.drain(op);
  setTimeout(() => late.resolve(), 20);
  await drained;
  expect(String(await world.get('f'))).toBe('new one');
  expect(contents.state()).toMatchObject({ uploadsWaiting: 0, uploadsRunning: 0, pendingBytes: 0 });
});

test('a file that is closed again without a change during its upload can be changed after it', async () => {
  const world = new ContentsWorld();
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  world.remote = remoteBut(world.remote, {
    write: async (source, at) => {
      begun.resolve();
      await gate.promise;
      return world.plain.write(source, at);
    },
  });
  const contents = await world.open({ writeBack: 100 });
  await writeFile(contents, 'f', 'x'.repeat(50_000));
  await begun.promise;
  await closeFile(await contents.open('f', undefined, UPDATE, op));
  gate.resolve();
  await expect.poll(() => contents.pending('f')).toBe(undefined);
  await contents.truncate('f', await world.entry('f'), 20_000, op);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await contents.drain(op);
  expect(await world.get('f')).toHaveLength(20_000);
});

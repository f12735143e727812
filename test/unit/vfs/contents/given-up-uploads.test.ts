import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { collectBody } from '../../../../src/core/body.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { ContentsWorld, closeFile, hastyClock, op, UPDATE, writeFile } from './contents-world.ts';

const LATE_MS = 100;

/** A store that has the bytes at once and the file later, whether or not anybody still waits for it. */
function lateStore(world: ContentsWorld): { readonly begun: string[]; readonly done: string[] } {
  const { remote } = world;
  const [begun, done]: [string[], string[]] = [[], []];
  world.remote = remoteBut(remote, {
    write: async (source, { signal }) => {
      const body = await collectBody(await source.open(undefined, op), op.signal);
      begun.push(String(body));
      const stored = sleep(LATE_MS).then(() => {
        done.push(String(body));
        return remote.write({ ...source, open: async () => body }, op);
      });
      const givenUp = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return Promise.race([stored, givenUp]);
    },
  });
  return { begun, done };
}

test('the version before does not arrive after the one that counts', async () => {
  const world = new ContentsWorld();
  const { begun, done } = lateStore(world);
  const contents = await world.open({ writeBack: 0 });
  await writeFile(contents, 'f', 'before');
  await waitFor(() => begun.includes('before'));
  await writeFile(contents, 'f', 'after');
  await contents.drain(op);
  await sleep(2 * LATE_MS);
  expect(done).toEqual(['before', 'after']);
  expect(String(await world.get('f'))).toBe('after');
});

test('nor after its name was removed', async () => {
  const world = new ContentsWorld();
  const { begun } = lateStore(world);
  const contents = await world.open({ writeBack: 0 });
  await writeFile(contents, 'f', 'before');
  await waitFor(() => begun.includes('before'));
  const letGo = await contents.hold('f', op);
  const entry = await world.entry('f');
  expect(entry).toBeDefined();
  if (entry !== undefined) await deleteOne(world.plain, entry, op);
  await contents.removed('f');
  letGo();
  await sleep(2 * LATE_MS);
  expect(await world.get('f')).toBeUndefined();
});

test('one that never ends is broken off', async () => {
  const world = new ContentsWorld();
  world.clock = hastyClock;
  const { remote } = world;
  let tries = 0;
  world.remote = remoteBut(remote, {
    write: (source, at) => {
      if (++tries > 1) return remote.write(source, at);
      return new Promise((_, reject) => {
        at.signal.addEventListener('abort', () => reject(at.signal.reason), { once: true });
      });
    },
  });
  const contents = await world.open({ writeBack: 0 });
  await writeFile(contents, 'f', 'before');
  await waitFor(() => tries === 1);
  await writeFile(contents, 'f', 'after');
  await contents.drain(op);
  expect(String(await world.get('f'))).toBe('after');
});

test('that it arrived is told, as it has to be removed with the file', async () => {
  const world = new ContentsWorld();
  const { begun } = lateStore(world);
  const contents = await world.open({ writeBack: 0 });
  const told: string[] = [];
  contents.onUploaded((path) => told.push(path));
  await writeFile(contents, 'f', 'before');
  await waitFor(() => begun.includes('before'));
  const file = await contents.open('f', undefined, UPDATE, op);
  await file.write(0, Buffer.from('after'), op);
  const letGo = await contents.hold('f', op);
  expect(told).toEqual(['f']);
  expect(await contents.removed('f')).toBe(false);
  letGo();
  await closeFile(file);
});

test('an upload that arrived without a response is reported before its name is deleted, also after a change', async () => {
  const world = new ContentsWorld();
  world.clock = hastyClock;
  const { remote } = world;
  let tries = 0;
  world.remote = remoteBut(remote, {
    write: async (source, at) => {
      if (++tries > 1) {
        return new Promise((_, reject) => {
          at.signal.addEventListener('abort', () => reject(at.signal.reason), { once: true });
        });
      }
      await remote.write(source, at);
      throw new SyncerError('network', 'the response was lost');
    },
  });
  const contents = await world.open({ writeBack: 0 });
  const reported: string[] = [];
  contents.onUploaded((path) => reported.push(path));
  await writeFile(contents, 'f', 'before');
  await waitFor(() => tries === 2);
  const file = await contents.open('f', undefined, UPDATE, op);
  await file.write(0, Buffer.from('after'), op);
  const letGo = await contents.hold('f', op);
  expect(reported).toEqual(['f']);
  expect(await contents.removed('f')).toBe(false);
  letGo();
  await closeFile(file);
});

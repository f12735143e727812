import { expect } from 'vitest';
import { SyncerError } from '../../src/core/errors.ts';
import type { WriteSource } from '../../src/core/remote.ts';
import { type ContractTest, promise } from './contract-test.ts';
import { expectError, md5, noise, OP, streamSource, type World } from './contract-world.ts';

const MIB = 1024 * 1024;

/** Writes where nothing is and where something is, checks how it fails, and that nothing came of it. */
async function writeInVain(
  world: World,
  sourceFor: (path: string) => WriteSource,
  check: (writing: Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  await world.put('old', 'old content');
  for (const name of ['new', 'old']) {
    await check(world.remote.write(sourceFor(world.at(name)), OP));
    expect(await world.remote.stat(world.at('new'), OP)).toBeUndefined();
    expect(await world.text('old')).toBe('old content');
    expect(await world.names()).toEqual(['old']);
  }
}

async function* stalling(content: Buffer, started: () => void) {
  yield content;
  started();
  await new Promise(() => undefined);
}

export const failedWriteTests: readonly ContractTest[] = [
  promise('refuses content with a wrong hash', [], async (world) => {
    for (const size of [11, 200_000]) {
      const content = noise(size);
      const source = (path: string): WriteSource => ({
        ...streamSource(path, size, [content]),
        hashes: { md5: md5('something else') },
      });
      await writeInVain(world, source, (writing) => expectError(writing, 'corrupted'));
    }
  }),

  promise('refuses a whole Buffer with a wrong hash', [], async (world) => {
    await world.put('old', 'old content');
    const hashes = { md5: md5('something else') };
    for (const name of ['old', 'new']) {
      await expectError(world.put(name, 'new content', { hashes }), 'corrupted');
    }
    expect(await world.names()).toEqual(['old']);
    expect(await world.text('old')).toBe('old content');
  }),

  promise('refuses content that is too short', [], async (world) => {
    await writeInVain(
      world,
      (path) => streamSource(path, 200_000, [noise(100_000)]),
      (writing) => expectError(writing, 'corrupted', 'body-cut'),
    );
  }),

  promise('refuses content that is too long', [], async (world) => {
    await writeInVain(
      world,
      (path) => streamSource(path, 100_000, [noise(200_000)]),
      (writing) => expectError(writing, 'corrupted'),
    );
  }),

  promise('leaves nothing of a body that breaks', [], async (world) => {
    for (const size of [undefined, 300_000]) {
      await writeInVain(
        world,
        (path) =>
          streamSource(path, size, [noise(200_000), new SyncerError('body-cut', 'body was cut')]),
        (writing) => expectError(writing, 'body-cut'),
      );
    }
  }),

  promise('leaves nothing of a large body that breaks late', [], async (world) => {
    const chunks = [...Array(12).fill(noise(MIB)), new SyncerError('network', 'reset')];
    await writeInVain(
      world,
      (path) => streamSource(path, undefined, chunks),
      (writing) => expectError(writing, 'network'),
    );
  }),

  promise('tells an error that is none of ours as one of ours', [], async (world) => {
    await writeInVain(
      world,
      (path) => streamSource(path, 10, [Buffer.from('12345'), new Error('of the stream\nmore')]),
      (writing) => expectError(writing),
    );
  }),

  promise('leaves nothing when the source cannot be opened', [], async (world) => {
    await writeInVain(
      world,
      (path) => ({
        ...streamSource(path, 10, []),
        open: async () => {
          throw new SyncerError('file-not-found', 'source is gone');
        },
      }),
      (writing) => expectError(writing, 'file-not-found'),
    );
  }),

  promise('leaves nothing when the signal is aborted', [], async (world) => {
    await world.put('old', 'old content');
    const reason = new SyncerError('interrupted', 'interrupted');
    for (const [name, size] of [
      ['new', undefined],
      ['old', 200_000],
    ] as const) {
      const controller = new AbortController();
      const body = stalling(noise(100_000), () => controller.abort(reason));
      const source = streamSource(world.at(name), size, body);
      await expect(world.remote.write(source, { signal: controller.signal })).rejects.toBe(reason);
      await expect(world.remote.write(source, { signal: AbortSignal.abort(reason) })).rejects.toBe(
        reason,
      );
    }
    expect(await world.names()).toEqual(['old']);
    expect(await world.text('old')).toBe('old content');
  }),
];

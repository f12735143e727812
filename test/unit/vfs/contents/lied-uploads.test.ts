import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { proofObserver } from '../../../../src/caches/proof-observer.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import { observed } from '../../../../src/core/observed.ts';
import { startS3Server } from '../../../../src/serve/s3/s3-server.ts';
import { startTestGraph } from '../../../servers/graph/start-graph.ts';
import { startLyingProxy } from '../../../servers/lies/lying-proxy.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { openS3 } from '../../../support/open-s3.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { ContentsWorld, op, readAll, writeFile } from './contents-world.ts';

// What a mount uploads counts as uploaded only where the store has the right bytes.

/** Contents above a store that can keep other bytes than it is sent. */
interface LiedContents {
  readonly world: ContentsWorld;
  lie(isOn: boolean): void;
  /** What the store holds, by path. */
  stored(): Record<string, string>;
}

async function onDrive(): Promise<LiedContents> {
  const graph = await startTestGraph({ drives: [{ type: 'business' }] });
  const world = new ContentsWorld();
  world.remote = (await openDrive(graph)).remote;
  onTestFinished(async () => {
    await world.remote.close();
    await graph.stop();
  });
  return {
    world,
    lie: (isOn) => graph.setLie(isOn ? { lie: 'bytes-changed' } : undefined),
    stored: () => graph.drive.tree(),
  };
}

async function onS3(): Promise<LiedContents> {
  const root = mkdtempSync(join(tmpdir(), 'syncer-lied-'));
  const bucket = join(root, 'bucket');
  mkdirSync(bucket);
  const server = await startS3Server({ root, port: 0, authKeys: [], region: 'us-east-1' });
  const proxy = await startLyingProxy(server.endpoint);
  const world = new ContentsWorld();
  const keys = { endpoint: proxy.endpoint, accessKeyId: 'a', secretAccessKey: 'b' };
  const { remote } = await openS3(keys, 'bucket', { transport: { lowLevelRetries: 1 } });
  const proofs = await proofObserver(remote, { clock: systemClock, emit: () => {} }, undefined);
  world.remote = observed(remote, [proofs], systemClock);
  onTestFinished(async () => {
    await remote.close();
    await proxy.close();
    await server.close();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    world,
    lie: (isOn) => proxy.setLie(isOn ? { lie: 'put-other-bytes' } : undefined),
    stored: () => {
      const names = readdirSync(bucket).filter((name) => !name.startsWith('.'));
      return Object.fromEntries(
        names.map((name) => [name, readFileSync(join(bucket, name), 'utf8')]),
      );
    },
  };
}

/** A signal that is aborted when an upload has failed. */
function untilFailed(world: ContentsWorld, uploadsFailed: () => number) {
  const limit = new AbortController();
  const failed = waitFor(() => uploadsFailed() > 0).then(() =>
    limit.abort(new SyncerError('timed-out', 'long enough')),
  );
  return { signal: limit.signal, failed, world };
}

describe.each([
  ['a drive', onDrive],
  ['S3', onS3],
])('an upload to %s whose proof failed', (_, open) => {
  test('is not called clean, can be read, and is made once more', async () => {
    const { world, lie, stored } = await open();
    const contents = await world.open({ writeBack: 0 });
    const told: string[] = [];
    contents.onUploaded((path) => told.push(path));
    lie(true);
    await writeFile(contents, 'f', 'the right bytes');
    // The next attempts may have begun: each is undone when its proof failed.
    const isUndone = () => Object.keys(stored()).length === 0;
    await waitFor(() => contents.state().uploadsFailed === 1 && isUndone());
    expect(told).toEqual([]);
    expect(contents.pending('f')).toBeDefined();
    expect(contents.state()).toMatchObject({ pendingBytes: 15 });
    expect(String(await readAll(contents, 'f'))).toBe('the right bytes');
    expect(world.logLines().join()).toMatch(/error: f: Upload failed, trying again in/);
    lie(false);
    await contents.drain(op);
    expect(told).toEqual(['f']);
    expect(stored()).toEqual({ f: 'the right bytes' });
    expect(contents.state()).toMatchObject({ uploadsFailed: 0, pendingBytes: 0 });
  });

  test('is left at the end of the mount, and made by the next one', async () => {
    const { world, lie, stored } = await open();
    const contents = await world.open();
    lie(true);
    await writeFile(contents, 'f', 'the right bytes');
    const { signal, failed } = untilFailed(world, () => contents.state().uploadsFailed);
    await expect(contents.drain({ signal })).rejects.toMatchObject({ code: 'timed-out' });
    await failed;
    await contents.close();
    expect(contents.state()).toMatchObject({ uploadsWaiting: 1, pendingBytes: 15 });
    lie(false);
    const next = await world.open();
    await next.drain(op);
    expect(stored()).toEqual({ f: 'the right bytes' });
  });

  test('fails the program that closes the file where there is no cache', async () => {
    const { world, lie, stored } = await open();
    const contents = await world.open({ cacheMode: 'off', lowLevelRetries: 1 });
    lie(true);
    await expect(writeFile(contents, 'f', 'the right bytes')).rejects.toMatchObject({
      code: 'corrupted',
    });
    expect(stored()).toEqual({});
  });
});

test('what is known to be wrong is not taken for what waited to be uploaded', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  await writeFile(contents, 'f', 'content');
  const pending = contents.pending('f');
  world.crash();
  await world.put('f', 'content', pending?.modTime);
  const { remote } = world;
  let writes = 0;
  world.remote = remoteBut(remote, {
    stat: async (path, at) => {
      const entry = await remote.stat(path, at);
      return entry?.kind === 'file' ? { ...entry, isWrong: true } : entry;
    },
    write: (source, at) => {
      writes++;
      return remote.write(source, at);
    },
  });
  await (await world.open()).drain(op);
  expect(writes).toBe(1);
});

test('what has another size than it was sent with is taken back', async () => {
  const world = new ContentsWorld();
  const { remote } = world;
  const taken: string[] = [];
  let isShort = true;
  world.remote = remoteBut(remote, {
    can: { ...remote.can, takeBack: async ({ path }) => void taken.push(path) },
    write: async (source, at) => {
      const entry = await remote.write(source, at);
      return isShort ? { ...entry, size: 3 } : entry;
    },
  });
  const contents = await world.open({ writeBack: 0 });
  await writeFile(contents, 'f', 'content');
  await waitFor(() => contents.state().uploadsFailed === 1);
  expect(taken).toEqual(['f']);
  isShort = false;
  await contents.drain(op);
  expect(String(await world.get('f'))).toBe('content');
});

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  askMount,
  askMounts,
  type MountReport,
  openControlSocket,
} from '../../../../commands/mount/list-mounts.ts';

const report: MountReport = {
  ...{ mountPoint: '/mnt', source: 'r:', pid: 1, since: 0, cacheMode: 'off', isEnding: false },
  state: {
    ...{ uploadsWaiting: 0, uploadsRunning: 0, uploadsFailed: 0, pendingBytes: 0 },
    ...{ cachedBytes: 0, cachedFiles: 0 },
  },
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncer-control-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a mount tells of itself, and its socket goes with it', async () => {
  const socket = await openControlSocket([folder], { report: () => report, end: () => {} });
  const [asked] = await askMounts([folder, join(folder, 'nope')]);
  expect(asked?.report).toEqual(report);
  await socket.close();
  expect(await readdir(folder)).toEqual([]);
});

test('who ends a mount hears its last word when it is over', async () => {
  const told = Promise.withResolvers<string>();
  let isEnding = false;
  const socket = await openControlSocket([folder], {
    report: () => ({ ...report, isEnding }),
    end: told.resolve,
  });
  const [asked] = await askMounts([folder]);
  const ended = askMount(asked?.socketPath ?? '', 'drain-and-unmount');
  expect(await told.promise).toBe('drain-and-unmount');
  isEnding = true;
  await socket.close();
  expect((await ended).isEnding).toBe(true);
});

test('folders that cannot be used are passed over; without any it says so', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const answers = { report: () => report, end: () => {} };
  const socket = await openControlSocket([join(file, 'x'), join(folder, 'good')], answers);
  expect((await readdir(join(folder, 'good'))).length).toBe(1);
  await socket.close();
  await expect(openControlSocket([join(file, 'x')], answers)).rejects.toThrow(
    'cannot listen in any',
  );
});

import { expect, test } from 'vitest';
import type { Remote } from '../../../src/core/remote.ts';
import { remoteBut, remoteWith, runOnce } from '../../support/memory-world.ts';

const FILES = { 'a/1': '1', 'b/1': '1', 'c/1': '1' };

/** The remote, which adds what is listed to `listed`. */
function recorded(remote: Remote, side: string, onDisk: boolean, listed: string[]): Remote {
  return remoteBut(remote, {
    traits: { ...remote.traits, onDisk },
    listPage(dir, cursor, op) {
      listed.push(`${side} ${dir}`);
      return remote.listPage(dir, cursor, op);
    },
  });
}

test('requests of all directories are sent before a disk keeps the program busy', async () => {
  const listed: string[] = [];
  const disk = recorded(await remoteWith(FILES), 'disk', true, listed);
  const server = recorded(await remoteWith(FILES), 'server', false, listed);
  const root = ['server ', 'disk '];
  const below = ['server a', 'server b', 'server c', 'disk a', 'disk b', 'disk c'];
  expect((await runOnce('copy', disk, server)).error).toBeUndefined();
  expect(listed).toEqual([...root, ...below]);
  listed.length = 0;
  expect((await runOnce('copy', server, disk)).error).toBeUndefined();
  expect(listed).toEqual([...root, ...below]);
});

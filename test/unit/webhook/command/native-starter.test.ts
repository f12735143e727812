import { openSync } from 'node:fs';
import { constants } from 'node:os';
import { expect, test } from 'vitest';
import {
  ChildReaper,
  NativeStarter,
  type SpawnCalls,
} from '../../../../src/webhook/command/open-starter.ts';

const PLAN = {
  ...{ path: '/bin/true', argv: ['true'], env: [], workingDirectory: '/' },
  ...{ ownGroup: false, outputUnwanted: false },
};
const { ENOENT, ENOMEM } = constants.errno;

/** A starter on a C library that starts nothing. */
function starterWith(calls: Partial<SpawnCalls>) {
  const all: SpawnCalls = {
    ...{ initActions: () => 0, freeActions: () => {}, addOpen: () => 0 },
    ...{ addDuplicate: () => 0, addChdir: () => 0, spawn: async () => ENOENT },
    ...{ endedChild: () => 0, collect: () => undefined },
    pipe: () => ({ readEnd: openSync('/dev/null', 'r'), writeEnd: openSync('/dev/null', 'r') }),
    ...calls,
  };
  return new NativeStarter(all, new ChildReaper(all, false));
}

test('no more processes start at the same time than allowed, also when a place becomes free', async () => {
  const ends: (() => void)[] = [];
  let now = 0;
  let most = 0;
  const spawn = () => {
    most = Math.max(most, ++now);
    return new Promise<number>((resolve) => {
      ends.push(() => {
        now--;
        resolve(ENOENT);
      });
    });
  };
  const starter = starterWith({ spawn });
  const starts: Promise<unknown>[] = [];
  const start = () => void starts.push(starter.start(PLAN).catch(() => {}));
  for (let n = 0; n < 5; n++) start();
  ends.shift()?.();
  for (let n = 0; n < 30; n++) {
    await Promise.resolve();
    start();
  }
  expect(most).toBe(3);
  while (starter.backlog > 0) {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all(starts);
  expect([starts.length, now, most]).toEqual([35, 0, 3]);
});

test.each<[string, Partial<SpawnCalls>]>([
  ['prepare the start', { initActions: () => ENOMEM }],
  ['open /dev/null', { addOpen: () => ENOMEM }],
  ['redirect the output', { addDuplicate: () => ENOMEM }],
  ['chdir /', { addChdir: () => ENOMEM }],
])('a failed step of a start is an error that names it: %s', async (step, failing) => {
  let spawned = false;
  const spawn = async () => {
    spawned = true;
    return ENOENT;
  };
  const starter = starterWith({ spawn, ...failing });
  await expect(starter.start(PLAN)).rejects.toThrow(`${step}: cannot allocate memory`);
  expect(spawned).toBe(false);
});

import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { endInterrupted } from '../../../../src/shell/process/end-process.ts';
import type { Libc } from '../../../../src/system/libc.ts';

/** A process that notes how it ends. */
function fakeProcess(resources: readonly string[]) {
  const ends: unknown[] = [];
  const fake = Object.assign(new EventEmitter(), {
    pid: 7,
    getActiveResourcesInfo: () => resources,
    kill: (...args: unknown[]) => void ends.push(args),
    exit: (code: number) => {
      ends.push(code);
      fake.emit('exit');
    },
  });
  return { process: fake as unknown as NodeJS.Process, ends };
}

const libc = (ends: unknown[]): Libc => ({
  func: (name) => Object.assign((code: unknown) => ends.push([name, code]), { async: () => {} }),
  errno: () => 0,
  address: () => 0n,
});

test('a process with a thread that is stuck ends without waiting for it', async () => {
  const { process, ends } = fakeProcess(['Timeout', 'FSReqCallback']);
  await endInterrupted(process, 143, 0, async () => libc(ends));
  expect(ends).toEqual([143, ['_exit', 143]]);
});

test('without the C library the signal itself ends such a process', async () => {
  const { process, ends } = fakeProcess(['GetAddrInfoReqWrap']);
  process.on('SIGINT', () => {});
  await endInterrupted(process, 130, 0, () => Promise.reject(new Error('no koffi')));
  expect(ends).toEqual([130, [7, 'SIGINT']]);
  expect(process.listenerCount('SIGINT')).toBe(0);
});

test('a process with no stuck thread ends as ever', async () => {
  const { process, ends } = fakeProcess(['PipeWrap', 'Timeout']);
  await endInterrupted(process, 130, 1000, async () => libc(ends));
  expect(ends).toEqual([130]);
});

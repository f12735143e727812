import { openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fuseDevice } from '../../../../src/fuse/device/fuse-device.ts';
import type { SystemCalls } from '../../../../src/fuse/device/system-calls.ts';

test('nothing is written once it is closed: the number may be that of another file by then', async () => {
  const sent: number[] = [];
  const libc = {
    eventfd: () => openSync('/dev/null', 'r'),
    write: (_fd: number, message: Uint8Array) => sent.push(message.length),
  } as unknown as SystemCalls;
  const device = fuseDevice(libc, openSync('/dev/null', 'r+'));
  expect(device.write(Buffer.alloc(16))).toBe(true);
  expect(device.writeParts(Buffer.alloc(16), Buffer.alloc(1))).toBe(true);
  device.close();
  expect(device.write(Buffer.alloc(16))).toBe(false);
  expect(device.writeParts(Buffer.alloc(16), Buffer.alloc(1))).toBe(false);
  await device.notify(Buffer.alloc(16));
  expect(sent).toEqual([16]);
});

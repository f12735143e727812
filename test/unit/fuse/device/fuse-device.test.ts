import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fuseDevice, type SystemCalls } from '../../../../src/fuse/device/fuse-device.ts';
import { waitFor } from '../../../support/wait-for.ts';

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
  await new Promise(setImmediate);
  expect(device.write(Buffer.alloc(16))).toBe(false);
  expect(device.writeParts(Buffer.alloc(16), Buffer.alloc(1))).toBe(false);
  await device.notify(Buffer.alloc(16));
  expect(sent).toEqual([16]);
});

test('the descriptor stays open until the notifications on their way have ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'syncer-device-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const other = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(other));
  const fill = (length: number) => {
    try {
      for (;;) writeSync(other, Buffer.alloc(length));
    } catch {}
  };
  fill(4096);
  fill(1);
  const fd = openSync(path, 'r+');
  const libc = { eventfd: () => openSync('/dev/null', 'r') } as unknown as SystemCalls;
  const device = fuseDevice(libc, fd);
  const notified = device.notify(Buffer.alloc(16));
  device.close();
  await new Promise(setImmediate);
  expect(fstatSync(fd).isFIFO()).toBe(true);
  readSync(other, Buffer.alloc(1 << 16));
  await notified;
  await waitFor(() => isClosed(fd));
});

function isClosed(fd: number): boolean {
  try {
    fstatSync(fd);
    return false;
  } catch {
    return true;
  }
}

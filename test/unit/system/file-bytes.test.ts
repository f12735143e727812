import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readAll, writeNow } from '../../../src/system/file-bytes.ts';

let dir = '';
let fd = 0;
beforeEach(() => {
  dir = fs.mkdtempSync(join(tmpdir(), 'syncer-file-bytes-'));
  fd = fs.openSync(join(dir, 'file'), 'w+');
});
afterEach(() => {
  fs.closeSync(fd);
  fs.rmSync(dir, { recursive: true });
});

const written = () => fs.readFileSync(join(dir, 'file'), 'utf8');

it('writes at once all of a buffer of which the system takes a part at a time', () => {
  const { writeSync } = fs;
  const some = vi
    .spyOn(fs, 'writeSync')
    .mockImplementation(((
      file: number,
      bytes: Buffer,
      at: number,
      length: number,
      position: number,
    ) => writeSync(file, bytes, at, Math.min(length, 2), position)) as typeof fs.writeSync);
  writeNow(fd, Buffer.from('abcde'), 1);
  expect(some).toHaveBeenCalledTimes(3);
  some.mockRestore();
  expect(written()).toBe('\0abcde');
});

it('does not ask a system for ever that takes nothing', () => {
  const none = vi.spyOn(fs, 'writeSync').mockReturnValue(0);
  expect(() => writeNow(fd, Buffer.from('abcde'), 0)).toThrow('nothing was written');
  none.mockRestore();
});

it('reads behind what is filled already, and less only at the end of the file', async () => {
  writeNow(fd, Buffer.from('abcde'));
  expect(String(await readAll(fd, Buffer.from('XX..'), 0, 2))).toBe('XXcd');
  expect(String(await readAll(fd, Buffer.alloc(9), 3))).toBe('de');
});

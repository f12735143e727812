import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { copyContent, copyContentNow } from '../../../../src/backends/local/copy-content.ts';
import { type CopyRange, loadCopyRange } from '../../../../src/system/copy-range.ts';
import { newFolder, OP } from './local-world.ts';

/** Several pieces long, and not the same in any two. */
const content = Buffer.alloc(67_000_067, randomBytes(1_000_001));

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

function twoPaths() {
  const dir = newFolder();
  fs.writeFileSync(join(dir, 'source'), content);
  return { from: join(dir, 'source'), to: join(dir, 'target') };
}

/** Copies at most `most` bytes in a call. */
const inSteps =
  (copyRange: CopyRange, most: number): CopyRange =>
  (from, to, offset, length) =>
    copyRange(from, to, offset, Math.min(length, most));

/** As `copy_file_range` where the kernel is not asked. */
const byHand: CopyRange = async (from, to, offset, length) => {
  const buffer = Buffer.alloc(length);
  const size = fs.readSync(from, buffer, 0, length, offset);
  return fs.writeSync(to, buffer, 0, size, offset);
};

test.each<[string, (() => Promise<CopyRange | undefined>) | undefined]>([
  ['as this machine does it', undefined],
  ['by the kernel, in steps', async () => inSteps((await loadCopyRange()) ?? byHand, 7_000_000)],
  ['without the kernel', async () => undefined],
  ['where the kernel refuses', async () => () => Promise.reject(new Error('EXDEV'))],
])('the content is the same %s', async (_how, loadRange) => {
  const { from, to } = twoPaths();
  const counted: number[] = [];
  const op = { ...OP, onCopied: (bytes: number) => void counted.push(bytes) };
  await copyContent(from, to, 0o666, op, loadRange);
  expect(counted.length > 1 || !loadRange).toBe(true);
  if (counted.length > 0) expect(sumOf(counted)).toBe(content.length);
  expect(fs.readFileSync(to).equals(content)).toBe(true);
});

test('what the kernel leaves undone is copied', async () => {
  const { from, to } = twoPaths();
  let calls = 0;
  const breaking: CopyRange = async (source, target, offset) => {
    if (calls++ > 2) throw new Error('EIO');
    return byHand(source, target, offset, 1_000_000);
  };
  const counted: number[] = [];
  const op = { ...OP, onCopied: (bytes: number) => void counted.push(bytes) };
  await copyContent(from, to, 0o666, op, async () => breaking);
  expect([sumOf(counted), Math.min(...counted) > 0]).toEqual([content.length, true]);
  expect(fs.readFileSync(to).equals(content)).toBe(true);
});

test('what the kernel says nothing of is copied, also before what it has copied', async () => {
  const { from, to } = twoPaths();
  const silent: CopyRange = async (source, target, offset, length) =>
    offset === 0 ? 0 : byHand(source, target, offset, length);
  await copyContent(from, to, 0o666, OP, async () => silent);
  expect(fs.readFileSync(to).equals(content)).toBe(true);
});

test('it ends in the middle when aborted', async () => {
  const { from, to } = twoPaths();
  const controller = new AbortController();
  const reason = new Error('enough');
  let copied = 0;
  const aborting: CopyRange = async (source, target, offset) => {
    copied += await byHand(source, target, offset, 1_000_000);
    if (copied >= 2_000_000) controller.abort(reason);
    return 1_000_000;
  };
  const copying = copyContent(from, to, 0o666, { signal: controller.signal }, async () => aborting);
  await expect(copying).rejects.toBe(reason);
  // What was under way comes to its end.
  expect(copied).toBeLessThan(4_000_000);
});

test('a target that is there already is left alone', async () => {
  const { from, to } = twoPaths();
  fs.writeFileSync(to, 'there');
  await expect(copyContent(from, to, 0o666, OP)).rejects.toMatchObject({ code: 'EEXIST' });
  expect(fs.readFileSync(to, 'utf8')).toBe('there');
});

test('a source that becomes shorter ends the copy', async () => {
  const { from, to } = twoPaths();
  const shortening: CopyRange = async (source, target, offset, length) => {
    fs.truncateSync(from, 1_000_000);
    return byHand(source, target, offset, length);
  };
  await copyContent(from, to, 0o666, OP, async () => shortening);
  expect(fs.statSync(to).size).toBeLessThan(content.length);
});

describe('a copy at once', () => {
  test.each([0, 1, 1024 * 1024, 3_000_001])('of %d bytes is the same', (size) => {
    const { from, to } = twoPaths();
    fs.truncateSync(from, size);
    copyContentNow(from, to, 0o666);
    expect(fs.readFileSync(to).equals(content.subarray(0, size))).toBe(true);
    expect(() => copyContentNow(from, to, 0o666)).toThrow('EEXIST');
  });

  test('ends where the source becomes shorter', () => {
    const { from, to } = twoPaths();
    const { readSync } = fs;
    onTestFinished(() => void Object.assign(fs, { readSync }));
    fs.readSync = ((...args: Parameters<typeof readSync>) => {
      fs.truncateSync(from, 2_000_000);
      return readSync(...args);
    }) as typeof readSync;
    copyContentNow(from, to, 0o666);
    expect(fs.readFileSync(to).equals(content.subarray(0, 2_000_000))).toBe(true);
  });
});

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyContent } from '../../../../../src/serve/s3/operations/copy-object.ts';

function twoPaths(size: number) {
  const dir = fs.mkdtempSync(join(tmpdir(), 'syncer-copy-'));
  onTestFinished(() => fs.rmSync(dir, { recursive: true }));
  const [from, to] = [join(dir, 'from'), join(dir, 'to')];
  fs.writeFileSync(from, randomBytes(size));
  const copy = (bytes: number) =>
    copyContent(fs.openSync(from, 'r'), fs.openSync(to, 'wx+'), bytes);
  return { from, to, copy };
}

test.each([0, 1, 128 * 1024, 128 * 1024 + 1, 3_000_001])('%d bytes are copied', async (size) => {
  const { from, to, copy } = twoPaths(size);
  await copy(size);
  expect(fs.readFileSync(to).equals(fs.readFileSync(from))).toBe(true);
});

test('a source that became shorter ends the copy', async () => {
  const { to, copy } = twoPaths(500_000);
  await copy(3_000_000);
  expect(fs.statSync(to).size).toBe(500_000);
});

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyContent } from '../../../../../src/serve/s3/store/copy-content.ts';

function twoPaths(size: number) {
  const dir = fs.mkdtempSync(join(tmpdir(), 'syncer-copy-'));
  onTestFinished(() => fs.rmSync(dir, { recursive: true }));
  const [from, to] = [join(dir, 'from'), join(dir, 'to')];
  fs.writeFileSync(from, randomBytes(size));
  fs.writeFileSync(to, 'before');
  return { from, to };
}

test.each([0, 1, 128 * 1024, 128 * 1024 + 1, 3_000_001])('%d bytes are copied', async (size) => {
  const { from, to } = twoPaths(size);
  await copyContent(from, to, size);
  expect(fs.readFileSync(to).equals(fs.readFileSync(from))).toBe(true);
});

test('a source that became shorter ends the copy', async () => {
  const { from, to } = twoPaths(500_000);
  await copyContent(from, to, 3_000_000);
  expect(fs.statSync(to).size).toBe(500_000);
});

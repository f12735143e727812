import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gather, writeGathered } from '../../../../src/backends/local/write-parts.ts';
import { writeAll } from '../../../../src/system/file-bytes.ts';

let dir = '';
let fd = 0;
beforeEach(() => {
  dir = fs.mkdtempSync(join(tmpdir(), 'syncer-write-all-'));
  fd = fs.openSync(join(dir, 'file'), 'w+');
});
afterEach(() => {
  fs.closeSync(fd);
  fs.rmSync(dir, { recursive: true });
});

const written = () => fs.readFileSync(join(dir, 'file'), 'utf8');
const buffers = (...texts: string[]) => texts.map((text) => Buffer.from(text));

it('writes buffers one behind the other, where the last write ended', async () => {
  await writeAll(fd, Buffer.from('one '));
  await writeGathered(fd, buffers('two ', '', 'three ', 'four'));
  expect(written()).toBe('one two three four');
});

it('writes buffers at a position', async () => {
  await writeAll(fd, Buffer.from('..........'));
  await writeGathered(fd, buffers('ab', 'cd'), 3);
  expect(written()).toBe('...abcd...');
});

it('writes more buffers than the system takes at once', async () => {
  const many = Array.from({ length: 3000 }, (_, i) => Buffer.from(`${i},`));
  await writeGathered(fd, many, 0);
  expect(written()).toBe(many.map(String).join(''));
});

it('gathers a stream into groups without losing or changing a byte', async () => {
  async function* body() {
    for (let i = 0; i < 40; i++) yield Buffer.alloc(60_000, i);
  }
  const sizes: number[] = [];
  const chunks: Buffer[] = [];
  for await (const group of gather(body())) {
    sizes.push(group.size);
    chunks.push(...group.chunks);
  }
  expect(chunks).toHaveLength(40);
  expect(chunks.every((chunk, i) => chunk.length === 60_000 && chunk[59_999] === i)).toBe(true);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(40 * 60_000);
  expect(sizes.length).toBeLessThan(6);
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HashName } from '../../../src/core/hash-names.ts';
import { contentHasher, hashesOf } from '../../../src/hashes/content-hasher.ts';
import { hasRclone, runRclone } from '../../support/rclone.ts';

const MI = 1024 * 1024;

/** Sizes around the blocks of the hashes: 20, 64, 4096 bytes, 1 and 4 MiB. */
const SIZES = [
  ...[0, 1, 19, 20, 21, 31, 32, 33, 63, 64, 65, 4095, 4096, 4097, 8192],
  ...[MI - 1, MI, MI + 1, MI + 4096, 4 * MI - 1, 4 * MI, 4 * MI + 1, 9_000_001],
];

/** Content that is different everywhere; with zeros for the blocks that hashes leave out. */
function contents(): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  const mixed = Buffer.alloc(9_000_001);
  for (let i = 0, value = 1; i < mixed.length; i++) {
    value = (value * 48_271) % 0x7fff_ffff;
    mixed[i] = value;
  }
  for (const size of SIZES) {
    found.set(`mixed${size}`, mixed.subarray(0, size));
    found.set(`zeros${size}`, Buffer.alloc(size));
  }
  found.set(
    'holes',
    Buffer.concat([Buffer.alloc(5000), mixed.subarray(0, 5000), Buffer.alloc(2 * MI)]),
  );
  return found;
}

const FILES = contents();
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-hashes-'));
  for (const [name, content] of FILES) await writeFile(join(dir, name), content);
});

afterAll(() => rm(dir, { recursive: true }));

function inPieces(name: HashName, content: Buffer): string | undefined {
  const hasher = contentHasher([name]);
  for (let at = 0; at < content.length; at += 70_001) {
    hasher.update(content.subarray(at, at + 70_001));
  }
  return hasher.digest()[name];
}

describe.skipIf(!hasRclone)('the hashes of rclone', () => {
  test.each<HashName>(['crc32', 'sha256', 'quickxor'])('%s', async (name) => {
    const { stdout } = await runRclone(['hashsum', name, dir], { cwd: dir });
    const theirs = stdout.toString().trimEnd().split('\n').sort();
    const lines = [...FILES].map(([file, content]) => {
      const hash = hashesOf([name], content)[name];
      expect(inPieces(name, content), file).toBe(hash);
      return `${hash}  ${file}`;
    });
    expect(lines.sort()).toEqual(theirs);
  });
});

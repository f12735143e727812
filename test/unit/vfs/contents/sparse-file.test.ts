import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { type ContentsKit, RequestBuffers } from '../../../../src/vfs/contents/contents-kit.ts';
import { SparseFile } from '../../../../src/vfs/contents/sparse-file.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sparse-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** Of 300 bytes, on a slow disk: every write runs on another thread. */
function sparseFile(base: FileEntry | undefined): SparseFile {
  const disk = { isQuick: false, run: <T>(call: () => T) => call() };
  const kit = { disk, buffers: new RequestBuffers() } as unknown as ContentsKit;
  const home = { kit, dataPath: (id: string) => join(dir, id), makeRoom: async () => false };
  return new SparseFile(home, { id: 'a', path: 'a', base, size: 300 });
}

test('what is written between two pieces of a downloaded chunk stays', async () => {
  const file = sparseFile(undefined);
  await file.acquire();
  await file.writeHere(100, Buffer.alloc(100, 'w'));
  const put = file.put(0, Buffer.alloc(300, 'd'));
  await file.writeHere(250, Buffer.from('new'));
  await put;
  expect(Buffer.from(await file.readHere(0, 300)).toString()).toBe(
    `${'d'.repeat(100)}${'w'.repeat(100)}${'d'.repeat(50)}new${'d'.repeat(47)}`,
  );
  expect(file.isComplete).toBe(true);
  await file.release();
});

const BASE: FileEntry = { kind: 'file', path: 'a', size: 300, etag: 'e' };

test('the hole between the end of a cut file and a write counts as written', async () => {
  const file = sparseFile(BASE);
  await file.acquire();
  expect(file.unchanged).toEqual([{ from: 0, to: 300 }]);
  await file.truncateHere(100);
  await file.writeHere(250, Buffer.from('new'));
  expect(file.unchanged).toEqual([{ from: 0, to: 100 }]);
  await file.release();
});

test('no byte of a file is unchanged over an object that its upload will replace under a new name', async () => {
  const file = sparseFile(BASE);
  await file.rebase({ ...BASE, etag: 'another' });
  expect(file.unchanged).toEqual([]);
});

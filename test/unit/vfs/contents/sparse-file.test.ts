import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ContentsKit, RequestBuffers } from '../../../../src/vfs/contents/contents-kit.ts';
import { SparseFile } from '../../../../src/vfs/contents/sparse-file.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sparse-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test('what is written between two pieces of a downloaded chunk stays', async () => {
  // A slow disk: every write runs on another thread.
  const disk = { isQuick: false, run: <T>(call: () => T) => call() };
  const kit = { disk, buffers: new RequestBuffers() } as unknown as ContentsKit;
  const home = { kit, dataPath: (id: string) => join(dir, id), makeRoom: async () => false };
  const file = new SparseFile(home, { id: 'a', path: 'a', base: undefined, size: 300 });
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

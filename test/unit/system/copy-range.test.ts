import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CopyRange, copyBytes, loadCopyRange } from '../../../src/system/copy-range.ts';

let dir = '';
let from = 0;
let to = 0;
beforeEach(() => {
  dir = fs.mkdtempSync(join(tmpdir(), 'syncer-copy-range-'));
  fs.writeFileSync(join(dir, 'from'), 'source: 0123456789');
  fs.writeFileSync(join(dir, 'to'), 'abcdefgh');
  from = fs.openSync(join(dir, 'from'), 'r');
  to = fs.openSync(join(dir, 'to'), 'r+');
});
afterEach(() => {
  fs.closeSync(from);
  fs.closeSync(to);
  fs.rmSync(dir, { recursive: true });
});

/** Copies by `copyRange` what lies behind `offset` in the source to 2 in the target; resolves to the whole target. */
async function copied(copyRange: CopyRange | undefined, length: number, offset = 8) {
  const count = await copyBytes({ fd: from, offset }, { fd: to, offset: 2 }, length, copyRange);
  return { count, text: fs.readFileSync(join(dir, 'to'), 'utf8') };
}

const oneByte: CopyRange = async (source, target, offset, _length, at = offset) => {
  const byte = Buffer.alloc(1);
  return fs.writeSync(target, byte, 0, fs.readSync(source, byte, 0, 1, offset), at);
};

const twoBytesThenFault = (): CopyRange => {
  let calls = 0;
  return async (...args) => {
    if (calls++ === 2) throw new Error('EXDEV');
    return oneByte(...args);
  };
};

test.each<[string, () => Promise<CopyRange | undefined>]>([
  ["this machine's kernel", loadCopyRange],
  ['reading and writing', async () => undefined],
  ['a kernel that copies a byte at a time', async () => oneByte],
  ['a kernel that copies nothing and reports no fault', async () => async () => 0],
  ['a kernel that fails in the middle', async () => twoBytesThenFault()],
])('%s copies a range to another place, and nothing beside it', async (_by, load) => {
  expect(await copied(await load(), 4)).toEqual({ count: 4, text: 'ab0123gh' });
});

test.each<[string, () => Promise<CopyRange | undefined>]>([
  ["this machine's kernel", loadCopyRange],
  ['reading and writing', async () => undefined],
])('%s reports how much of a range the source has', async (_by, load) => {
  expect(await copied(await load(), 9, 14)).toEqual({ count: 4, text: 'ab6789gh' });
});

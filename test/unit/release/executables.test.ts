import { expect, test } from 'vitest';
import { addBlob } from '../../../scripts/release/executable/add-blob.ts';
import { PT, readHeaders } from '../../../scripts/release/executable/elf-file.ts';
import { programFiles } from '../../../scripts/release/executable/program-files.ts';

const BASE = 0x40_0000;

/** A small executable with the marks that Node has: two segments, the second longer in memory, and some symbols. */
function fakeNode({ fuses = 1, machine = 62 } = {}): Buffer {
  const file = Buffer.alloc(0x3000);
  file.write('\x7fELF\x02\x01\x01', 'latin1');
  file.writeUInt16LE(2, 16);
  file.writeUInt16LE(machine, 18);
  file.writeBigUInt64LE(64n, 32);
  file.writeBigUInt64LE(0x2800n, 40);
  file.writeUInt16LE(3, 56);
  file.writeUInt16LE(64, 58);
  file.writeUInt16LE(9, 60);
  const header = (index: number, type: number, offset: number, size: number, memory = size) => {
    const at = 64 + index * 56;
    file.writeUInt32LE(type, at);
    file.writeUInt32LE(4, at + 4);
    for (const [i, value] of [offset, BASE + offset, BASE + offset, size, memory, 4096].entries())
      file.writeBigUInt64LE(BigInt(value), at + 8 + 8 * i);
  };
  header(0, PT.PHDR, 64, 3 * 56);
  header(1, PT.LOAD, 0, 0x1000);
  header(2, PT.LOAD, 0x1000, 0x1000, 0x2_0000);
  for (let i = 0; i < fuses; i++) {
    file.write('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:0', 0x1100 + i * 64);
  }
  file.fill('symbols', 0x2000);
  return file;
}

test('the segments stay, the blob is a note in one more, symbols go', () => {
  const node = fakeNode();
  const made = addBlob(node, Buffer.from('the blob'));
  const headers = readHeaders(made);
  expect(headers.map(({ type }) => type)).toEqual([PT.PHDR, PT.LOAD, PT.LOAD, PT.LOAD, PT.NOTE]);
  expect(headers.slice(1, 3)).toEqual(readHeaders(node).slice(1));
  const [phdr, , data, added, note] = headers;
  // The kernel finds the table by its place in the file, the loader by its address.
  expect(made.readBigUInt64LE(32)).toBe(BigInt(phdr?.offset ?? 0));
  expect(phdr?.address).toBe(BASE + (phdr?.offset ?? 0));
  expect(added?.offset).toBe(phdr?.offset);
  expect(added?.address).toBeGreaterThanOrEqual((data?.address ?? 0) + (data?.memorySize ?? 0));
  expect((added?.offset ?? 1) % 0x10000).toBe(0);
  const text = made.subarray(note?.offset).toString('latin1');
  expect(text.slice(12, 26)).toBe('NODE_SEA_BLOB\0');
  expect([made.readUInt32LE(note?.offset), made.readUInt32LE((note?.offset ?? 0) + 4)]).toEqual([
    14, 8,
  ]);
  expect(text.slice(28)).toBe('the blob');
  expect(made.length).toBe((added?.offset ?? 0) + (added?.fileSize ?? 0));
  expect(made.includes('symbols')).toBe(false);
  expect(made.includes('FUSE_fce680ab2cc467b6e072b8b5df1996b2:1')).toBe(true);
  expect([made.readBigUInt64LE(40), made.readUInt16LE(60)]).toEqual([0n, 0]);
});

test('the code of Node is not touched but for the mark', () => {
  const node = fakeNode();
  const made = addBlob(node, Buffer.alloc(100));
  const changed = [...made.subarray(64, 0x2000).entries()].filter(
    ([i, byte]) => node[i + 64] !== byte,
  );
  expect(changed).toHaveLength(1);
});

test('what is no Node is refused', () => {
  expect(() => addBlob(fakeNode({ fuses: 0 }), Buffer.alloc(1))).toThrow('not a Node');
  expect(() => addBlob(fakeNode({ fuses: 2 }), Buffer.alloc(1))).toThrow('not a Node');
  expect(() => addBlob(Buffer.alloc(100), Buffer.alloc(1))).toThrow('not a 64-bit executable');
});

test('a program has its own files and all that these import, and no others', () => {
  const one = (imports: string[], lateImports: string[] = []) => ({
    inputs: [],
    imports,
    lateImports,
  });
  const parts = {
    'a.js': one([], ['chunks/x.js']),
    'b.js': one(['chunks/y.js']),
    'chunks/x.js': one(['chunks/z.js']),
    'chunks/y.js': one([]),
    'chunks/z.js': one(['chunks/x.js'], ['a.js']),
  };
  expect(programFiles(parts, 'a.js')).toEqual(['a.js', 'chunks/x.js', 'chunks/z.js']);
});

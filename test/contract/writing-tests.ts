import { expect } from 'vitest';
import { type ContractTest, promise } from './contract-test.ts';
import { bufferSource, expectError, md5, noise, OP, streamSource } from './contract-world.ts';

const MIB = 1024 * 1024;

/** Splits into chunks of uneven sizes. */
function chunksOf(content: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, size = 1; at < content.length; at += size, size = (size * 7) % 100_003) {
    chunks.push(content.subarray(at, at + size));
  }
  return chunks;
}

export const writingTests: readonly ContractTest[] = [
  promise('tells what it has written', [], async (world) => {
    const written = await world.put('dir/file', 'hello', { mimeType: 'text/plain' });
    expect(written).toMatchObject({ kind: 'file', path: world.at('dir/file'), size: 5 });
    for (const [name, value] of Object.entries(written.hashes ?? {})) {
      const hash = await world.remote.can.hash?.(written, name as 'md5', OP);
      if (hash !== undefined) expect(value).toBe(hash);
    }
  }),

  promise('writes a stream of known size', [], async (world) => {
    for (const size of [0, 1, 70_000, 3 * MIB]) {
      const content = noise(size, 7);
      await world.remote.write(streamSource(world.at(`s${size}`), size, chunksOf(content)), OP);
      expect((await world.read(`s${size}`)).equals(content)).toBe(true);
    }
  }),

  promise('writes a stream of unknown size', [], async (world) => {
    for (const size of [0, 5, 70_000, 6 * MIB]) {
      const content = noise(size, 8);
      const source = streamSource(world.at(`u${size}`), undefined, chunksOf(content));
      const written = await world.remote.write(source, OP);
      expect(written.size).toBe(size);
      expect((await world.read(`u${size}`)).equals(content)).toBe(true);
    }
  }),

  promise('writes a large file in whatever parts it likes', [], async (world) => {
    const content = noise(17 * MIB + 3, 9);
    await world.put('large', content, { hashes: { md5: md5(content) } });
    expect((await world.read('large')).equals(content)).toBe(true);
  }),

  promise('overwrites: longer, shorter, empty', [], async (world) => {
    for (const content of ['first', 'the second is longer', 's', '']) {
      await world.put('file', content);
      expect(await world.text('file')).toBe(content);
      expect(await world.names()).toEqual(['file']);
    }
  }),

  promise('takes right hashes', [], async (world) => {
    await world.put('file', 'hello', {
      hashes: {
        md5: '5d41402abc4b2a76b9719d911017c592',
        sha1: 'aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d',
        sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
        crc32: '3610a686',
      },
    });
    expect(await world.text('file')).toBe('hello');
  }),

  promise('ignores a hash of a kind it cannot compute', [], async (world) => {
    await world.put('file', 'hello', { hashes: { ['blake3' as 'md5']: '0000' } });
    expect(await world.text('file')).toBe('hello');
  }),

  promise(
    'opens a source of any kind once or in ranges, and never reads too much',
    [],
    async (world) => {
      const content = noise(300_000);
      const opened: (number | undefined)[] = [];
      const source = bufferSource(world.at('file'), content);
      await world.remote.write(
        {
          ...source,
          open: (range, op) => {
            opened.push(range?.offset);
            return source.open(range, op);
          },
        },
        OP,
      );
      expect(new Set(opened).size).toBe(opened.length);
      expect((await world.read('file')).equals(content)).toBe(true);
    },
  ),

  promise(
    'does not write a file over a directory',
    ['directories', 'oneKindPerName'],
    async (world) => {
      await world.put('name/below', 'x');
      await expectError(world.put('name', 'file'), 'not-a-file', 'already-exists');
      expect(await world.text('name/below')).toBe('x');
    },
  ),

  promise('does not write below a file', ['directories', 'oneKindPerName'], async (world) => {
    await world.put('name', 'file');
    await expectError(world.put('name/below', 'x'), 'not-a-directory', 'already-exists');
    expect(await world.text('name')).toBe('file');
  }),
];

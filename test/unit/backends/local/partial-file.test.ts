import fs from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPartialName, partialPath } from '../../../../src/backends/local/partial-file.ts';
import { nameFromBytes, nameToBytes } from '../../../../src/core/name-bytes.ts';
import { leafName } from '../../../../src/core/remote-path.ts';
import { names, OP, openLocal } from './local-world.ts';

/** Makes a temporary file as a crash would leave it. */
function leavePartial(dir: string, name: string): string {
  const path = partialPath(join(dir, name));
  fs.writeFileSync(path, 'half a fi');
  return path;
}

describe('temporary names', () => {
  it('fit wherever the final name does, and are known as what they are', () => {
    const anyName = fc
      .uint8Array({ minLength: 1, maxLength: 255 })
      .map((bytes) => nameFromBytes(bytes.filter((byte) => byte !== 0 && byte !== 0x2f)));
    fc.assert(
      fc.property(fc.oneof(anyName, fc.string({ unit: 'binary', maxLength: 60 })), (name) => {
        const native = nameFromBytes(nameToBytes(name.replaceAll(/[/\0]/g, '')));
        const leaf = leafName(partialPath(`/some/dir/${native}`));
        expect(nameToBytes(leaf).length).toBeLessThanOrEqual(255);
        expect(nameFromBytes(nameToBytes(leaf))).toBe(leaf);
        expect(isPartialName(leaf)).toBe(true);
      }),
    );
  });

  it('are not those of other hidden files', () => {
    for (const name of ['.x', 'x.syncer-partial-0123456789ab', '.syncer', '.x.syncer-partial-']) {
      expect(isPartialName(name)).toBe(false);
    }
  });
});

describe('what a crash left', () => {
  it('is never listed', async () => {
    const { remote, dir } = openLocal();
    fs.writeFileSync(join(dir, 'file'), 'x');
    leavePartial(dir, 'file');
    expect(await names(remote)).toEqual(['file']);
  });

  it('is removed by cleanUp once it is old, at any depth, and nothing else is', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'a/b'), { recursive: true });
    fs.writeFileSync(join(dir, 'a/.hidden'), 'x');
    const left = [leavePartial(dir, 'one'), leavePartial(join(dir, 'a/b'), 'two')];
    await remote.can.cleanUp?.(3_600_000, OP);
    expect(left.every((path) => fs.existsSync(path))).toBe(true);
    await remote.can.cleanUp?.(0, OP);
    expect(left.some((path) => fs.existsSync(path))).toBe(false);
    expect(fs.existsSync(join(dir, 'a/.hidden'))).toBe(true);
  });

  it('keeps its directory while it may still be written', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'empty'));
    leavePartial(join(dir, 'empty'), 'file');
    await expect(remote.removeDir('empty', OP)).rejects.toMatchObject({ code: 'not-empty' });
  });
});

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileAt, names, newFolder, OP, openLocal, partials, textSource } from './local-world.ts';

describe.skipIf(process.getuid?.() !== 0)('a full disk', () => {
  it('fails the file, leaves nothing half written and the old file in place', async () => {
    const dir = newFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', dir]);
    try {
      const { remote } = openLocal({}, dir);
      const source = openLocal();
      fs.writeFileSync(join(source.dir, 'large'), Buffer.alloc(2_000_000));
      await remote.write(textSource('file', 'old'), OP);
      const large = await fileAt(source.remote, 'large');
      const full = { code: 'no-space', stop: false };
      const ways = {
        whole: () => remote.write(textSource('file', 'x'.repeat(1_000_000)), OP),
        streamed: () =>
          remote.write(
            {
              ...textSource('file', ''),
              size: large.size,
              open: () => source.remote.read(large, undefined, OP),
            },
            OP,
          ),
        kernel: async () => remote.can.copyFrom?.(source.remote, large, 'file', OP),
      };
      for (const write of Object.values(ways)) {
        await expect(write()).rejects.toMatchObject({
          ...full,
          message: expect.stringMatching(/: no space left on device$/),
        });
        expect(partials(dir)).toEqual([]);
        expect(fs.readFileSync(join(dir, 'file'), 'utf8')).toBe('old');
      }
      const fatal = openLocal({ fatal_if_no_space: 'true' }, dir).remote;
      await expect(
        fatal.write(textSource('file', 'x'.repeat(1_000_000)), OP),
      ).rejects.toMatchObject({ code: 'fatal', exit: 7, stop: true });
      expect(await names(remote)).toEqual(['file']);
    } finally {
      execFileSync('umount', [dir]);
    }
  });
});

describe.skipIf(process.getuid?.() !== 0)('a disk mounted read-only', () => {
  it('refuses to be written', async () => {
    const dir = newFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'none', dir]);
    try {
      const { remote } = openLocal({}, dir);
      await expect(remote.write(textSource('file', 'x'), OP)).rejects.toMatchObject({
        code: 'read-only',
        message: expect.stringMatching(/^open .*: read-only file system$/),
      });
    } finally {
      execFileSync('umount', [dir]);
    }
  });
});

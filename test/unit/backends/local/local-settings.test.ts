import { stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BACKENDS } from '../../../../src/backends/index.ts';
import { localSettings } from '../../../../src/backends/local/local-settings.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { OP, openLocal } from './local-world.ts';

const settings = (options: Record<string, string>, root = '/x') =>
  localSettings({ name: '', root, options });

describe('local settings', () => {
  it('make the root absolute', () => {
    expect(settings({}, '').root).toBe(process.cwd());
    expect(settings({}, 'a/../b').root).toBe(`${process.cwd()}/b`);
    expect(settings({}, '/').root).toBe('/');
    expect(settings({}, '/a/b/').root).toBe('/a/b');
  });

  it('take a root in the form in which names are shown', () => {
    expect(settings({}, '/a/new␊line').root).toBe('/a/new\nline');
    expect(settings({}, '/a/‛␊symbol/．．/b').root).toBe(`/a/␊symbol/．．/b`);
    expect(settings({}, '/a/./x/../b').root).toBe('/a/b');
  });

  it('read booleans as rclone does and refuse the rest', () => {
    for (const yes of ['true', 'TRUE', 't', '1']) {
      expect(settings({ one_file_system: yes }).oneFileSystem).toBe(true);
    }
    expect(settings({ one_file_system: 'False' }).oneFileSystem).toBe(false);
    expect(() => settings({ one_file_system: 'maybe' })).toThrow(
      'local: one_file_system must be true or false, not "maybe"',
    );
  });

  it('tell whether names differ in case', () => {
    expect(settings({ case_insensitive: 'true' }).caseInsensitive).toBe(true);
    expect(settings({ case_insensitive: 'true', case_sensitive: 'true' }).caseInsensitive).toBe(
      false,
    );
    expect(openLocal({ case_insensitive: 'true' }).remote.traits.caseInsensitive).toBe(true);
  });

  it('name the hashes that files have, and the time that counts', () => {
    expect(settings({}).hashes).toContain('blake3');
    expect(settings({ hashes: 'MD5, crc32' }).hashes).toEqual(['md5', 'crc32']);
    expect(settings({ hashes: 'none' }).hashes).toEqual([]);
    expect(() => settings({ hashes: 'md5,foo' })).toThrow('local: unknown hash "foo" in hashes');
    expect(settings({}).timeType).toBe('mtime');
    expect(settings({ time_type: 'BTime' }).timeType).toBe('btime');
    expect(() => settings({ time_type: 'foo' })).toThrow(
      'local: time_type must be one of mtime, atime, btime, ctime, not "foo"',
    );
  });

  it('refuse an encoding that is none', () => {
    expect(() => settings({ encoding: 'Slash,Nonsense' })).toThrow('bad encoding "Nonsense"');
  });
});

describe('a local remote', () => {
  it('is called as rclone calls it', () => {
    const { remote, dir } = openLocal();
    expect(remote.title).toBe(`Local file system at ${dir}`);
    expect(remote.root).toBe(dir);
  });

  it('shows another time with time_type, and copies such files', async () => {
    const { remote, dir } = openLocal({ time_type: 'ctime' });
    await writeFile(join(dir, 'a'), 'x');
    await utimes(join(dir, 'a'), 1, 1);
    const file = (await remote.listPage('', undefined, OP)).entries[0] as FileEntry;
    expect(file.modTime).toBe((await stat(join(dir, 'a'), { bigint: true })).ctimeNs);
    expect(await remote.stat('a', OP)).toEqual(file);
    await remote.read(file, undefined, OP);
    await utimes(join(dir, 'a'), 2, 2);
    await expect(remote.can.hash?.(file, 'md5', OP)).rejects.toThrow('is being updated');
  });

  it('offers only the hashes of its option', async () => {
    const { remote, dir } = openLocal({ hashes: 'xxh3' });
    await writeFile(join(dir, 'a'), 'hi\n');
    const file = (await remote.stat('a', OP)) as FileEntry;
    expect(remote.traits.hashes).toEqual(['xxh3']);
    expect(await remote.can.hash?.(file, 'xxh3', OP)).toBe('b34d1a3ab2bece70');
    expect(await remote.can.hash?.(file, 'md5', OP)).toBeUndefined();
  });

  it('keeps no times with no_set_modtime', async () => {
    const { remote } = openLocal({ no_set_modtime: 'true' });
    expect(remote.traits.modTimePrecision).toBeUndefined();
    expect(remote.can.setModTime).toBeUndefined();
    const source = { path: 'x', size: 0, modTime: 0n, seekable: true };
    const written = await remote.write({ ...source, open: async () => Buffer.alloc(0) }, OP);
    expect(written.modTime).toBeGreaterThan(1_000_000_000_000_000_000n);
  });
});

describe('the registry', () => {
  it('has every backend under names of its own, with words for people', () => {
    const types = BACKENDS.flatMap(({ type, aliases = [] }) => [type, ...aliases]);
    expect(types).toEqual(expect.arrayContaining(['local', 's3', 'memory']));
    expect(new Set(types).size).toBe(types.length);
    for (const { summary, options } of BACKENDS) {
      expect(summary).not.toBe('');
      for (const { help } of options) expect(help).toMatch(/\.$/);
    }
  });
});

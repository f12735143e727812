import { describe, expect, it } from 'vitest';
import { BACKENDS } from '../../../../src/backends/index.ts';
import { localSettings } from '../../../../src/backends/local/local-settings.ts';
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

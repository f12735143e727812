import { describe, expect, it } from 'vitest';
import { type Archive, archiveLines, parseArchive } from '../../../src/two-way/archive.ts';

const roots = ['local /a', 's3 b'] as const;
const archive: Archive = {
  roots,
  endedMs: 5,
  files: new Map([
    ['a\n"b', { a: { size: 1, modTime: -7n }, b: { size: 1, tag: 'x', storedTime: 9n } }],
    ['É', { a: { size: -1, isYoung: true }, b: { size: 2, hash: 'aa' }, bPath: 'E\u0301' }],
  ]),
  dirs: new Set(['d', 'd/e']),
};
const text = [...archiveLines(archive)].join('');

describe('the archive of a pair', () => {
  it('is read as it was written', () => {
    expect(parseArchive(text, roots)).toEqual(archive);
    const empty = { ...archive, files: new Map(), dirs: new Set<string>() };
    expect(parseArchive([...archiveLines(empty)].join(''), roots)).toEqual(empty);
  });

  it('is refused if a byte is missing or another one', () => {
    for (let cut = 0; cut < text.length; cut++) {
      expect(() => parseArchive(text.slice(0, cut), roots)).toThrow(/damaged|version/);
    }
    expect(() => parseArchive(text.replace('"d/e"', '"d/f"'), roots)).toThrow('damaged');
    const lines = text.split('\n');
    expect(() => parseArchive(lines.toSpliced(1, 1).join('\n'), roots)).toThrow('damaged');
  });

  it('is refused if it is of another pair', () => {
    expect(() => parseArchive(text, ['s3 b', 'local /a'])).toThrow('other directories');
  });
});

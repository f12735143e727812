import { describe, expect, it } from 'vitest';
import { type AgreedFile, AgreedFiles } from '../../../src/two-way/agreed-files.ts';
import { type Archive, archiveText, readArchive } from '../../../src/two-way/archive.ts';

const roots = ['local /a', 's3 b'] as const;
const FILES: readonly (readonly [string, AgreedFile])[] = [
  ['a\n"b', { a: { size: 1, modTime: -7n }, b: { size: 1, tag: 'x', storedTime: 9n } }],
  ['É', { a: { size: -1, isYoung: true }, b: { size: 2, hash: 'aa' }, bPath: 'E\u0301' }],
  ['no \udcff UTF-8\u2028', { a: { size: 3 }, b: { size: 3 } }],
];

function filled(files: typeof FILES, before?: AgreedFiles): AgreedFiles {
  const filled = new AgreedFiles(before);
  for (const [path, file] of files) filled.set(path, file);
  return filled;
}

/** What is in an archive. */
function shown({ files, ...archive }: Archive) {
  const byPath = Object.fromEntries([...files.paths()].map((path) => [path, files.get(path)]));
  return { ...archive, size: files.size, files: byPath };
}

const archive: Archive = {
  ...{ roots, endedMs: 5 },
  files: filled(FILES),
  dirs: new Set(['d', 'd/e']),
};
const text = [...archiveText(archive)].join('');
const parseArchive = (text: string, of: Archive['roots']) => readArchive([text], of);

describe('the archive of a pair', () => {
  it('is read as it was written', () => {
    const expected = { ...archive, size: 3, files: Object.fromEntries(FILES) };
    expect(shown(readArchive(text, roots))).toEqual(expected);
    const empty = { ...archive, files: new AgreedFiles(), dirs: new Set<string>() };
    expect(shown(readArchive(archiveText(empty), roots))).toEqual({ ...empty, size: 0, files: {} });
  });

  it('has the last deletions in its head, which versions before skip', () => {
    const deleted = new Map([
      ['f\n', { size: 1, seconds: 7 }],
      ['g', { size: 2 }],
    ]);
    const written = [...archiveText({ ...archive, deleted })].join('');
    expect(readArchive([written], roots).deleted).toEqual(deleted);
    expect(JSON.parse(written.split('\n', 1)[0] ?? '')).toMatchObject({ bisync: 1, endedMs: 5 });
    expect(written.split('\n').slice(1, -2)).toEqual(text.split('\n').slice(1, -2));
  });

  it('shares what stayed the same with the one before, through any number of them', () => {
    let last = readArchive([text], roots);
    let expected = Object.fromEntries(FILES);
    for (let n = 0; n < 5; n++) {
      const other: AgreedFile = { a: { size: n }, b: { size: n } };
      expected = { ...expected, ...(n % 2 === 0 ? { É: other } : { [`new${n}`]: other }) };
      if (n === 3) {
        const { É: _, ...rest } = expected;
        expected = { ...rest, ...Object.fromEntries(FILES.slice(0, 1)) };
      }
      last = { ...last, files: filled(Object.entries(expected), last.files) };
      expect(shown(last)).toMatchObject({ size: Object.keys(expected).length, files: expected });
      const written = readArchive(archiveText(last), roots);
      expect(shown(written).files).toEqual(expected);
    }
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

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deleteIniKey, deleteIniSection, setIniValue } from '../../../src/config/ini-edit.ts';
import { iniSections, iniText, parseIni, trimBlanks } from '../../../src/config/ini-lines.ts';
import { nameFromBytes, nameToBytes } from '../../../src/core/name-bytes.ts';

const set = (text: string, section: string, key: string, value: string) =>
  iniText(setIniValue(parseIni(text, 'f'), section, key, value));

describe('setting a key', () => {
  test.each([
    ['changes the value alone', '# h\n[x]\n  k=old  \nl = 2\n', '# h\n[x]\n  k=new\nl = 2\n'],
    ['keeps CRLF', '[x]\r\nk = old\r\nl = 2', '[x]\r\nk = new\r\nl = 2'],
    ['adds to the section', '[x]\nl = 1\n\n# y\n[y]\n', '[x]\nl = 1\nk = new\n\n# y\n[y]\n'],
    ['adds CRLF where the file has it', '[x]\r\nl = 1', '[x]\r\nl = 1\r\nk = new\r\n'],
    ['adds below a bare header', '[x]\n# c\n[y]\n', '[x]\nk = new\n# c\n[y]\n'],
    ['changes the last of several', '[x]\nk=1\n[x]\nk=2\n', '[x]\nk=1\n[x]\nk=new\n'],
    ['fills an empty value', '[x]\nk = \n', '[x]\nk = new\n'],
    ['adds a section', '[y]\na = 1', '[y]\na = 1\n\n[x]\nk = new\n'],
    ['adds the first section', '', '[x]\nk = new\n'],
    ['finds the value after an equal key', '[x]\nk = k\n', '[x]\nk = new\n'],
  ])('%s', (_, before, after) => {
    expect(set(before, 'x', 'k', 'new')).toBe(after);
  });

  test.each([
    ['k', 'two\nlines'],
    ['', 'v'],
    ['a=b', 'v'],
    ['#k', 'v'],
    ['[k', 'v]'],
    [' k', 'v'],
  ])('refuses what a line cannot hold: %j', (key, value) => {
    expect(() => set('[x]\n', 'x', key, value)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('deleting', () => {
  const remove = (text: string) => iniText(deleteIniSection(parseIni(text, 'f'), 'x'));

  test.each([
    ['[x]\nk=1\n\n[y]\nl=2\n', '[y]\nl=2\n'],
    ['# top\n[y]\n\n[x]\n# in\nk=1\n\n# of z\n[z]\n', '# top\n[y]\n\n# of z\n[z]\n'],
    ['[x]\n[y]\n[x]\nk=1', '[y]\n'],
    ['[y]\nk=1\n', '[y]\nk=1\n'],
  ])('the section of %j', (before, after) => {
    expect(remove(before)).toBe(after);
  });

  test('all lines of a key, so that none comes back', () => {
    const lines = deleteIniKey(parseIni('[x]\nk=1\nl=2\n[y]\nk=3\n[x]\nk=4\n', 'f'), 'x', 'k');
    expect(iniText(lines)).toBe('[x]\nl=2\n[y]\nk=3\n[x]\n');
  });
});

describe('any file', () => {
  const blank = fc.constantFrom('', ' ', '\t', '  ', '\u00a0');
  const odd = fc.oneof(
    fc.constantFrom(
      '#',
      ';',
      '=',
      '"',
      "'",
      '`',
      '[x]',
      '{"a":"b"}',
      '%',
      '\\',
      'é',
      '😀',
      '\ufeff',
    ),
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom('\r', ' ', '\0', '\udc80'),
  );
  const value = fc.array(odd, { maxLength: 6 }).map((parts) => parts.join('').replaceAll('\n', ''));
  const key = fc.stringMatching(/^[a-z_]{1,5}$/);
  const eol = fc.constantFrom('\n', '\r\n');
  const name = fc.constantFrom('x', 'y', 'a.b', 'z w', 'me@host');
  const line = fc.oneof(
    fc
      .tuple(blank, key, blank, fc.constantFrom('=', ':'), blank, value, blank)
      .map((p) => p.join('')),
    fc.tuple(blank, fc.constantFrom('#', ';'), value).map((parts) => parts.join('')),
    name.map((section) => `[${section}]`),
    blank,
  );
  const file = fc
    .tuple(fc.constantFrom('', '\ufeff'), fc.array(fc.tuple(line, eol)), fc.boolean())
    .map(([bom, lines, open]) => {
      const text = bom + lines.flat().join('');
      return open ? text.replace(/\r?\n$/, '') : text;
    });

  test('survives being read and written', () => {
    fc.assert(
      fc.property(file, (text) => {
        const bytes = nameToBytes(text);
        expect(nameToBytes(iniText(parseIni(nameFromBytes(bytes), 'f')))).toEqual(bytes);
      }),
    );
  });

  test('keeps all other lines when one key changes, and the key reads back', () => {
    fc.assert(
      fc.property(file, name, key, value, (text, section, changed, wanted) => {
        const before = parseIni(text, 'f');
        const after = parseIni(iniText(setIniValue(before, section, changed, wanted)), 'f');
        expect(iniSections(after).get(section)?.get(changed)).toBe(trimBlanks(wanted));

        const raws = after.map((l) => l.raw);
        const at = before.findLastIndex((l) => l.section === section && l.key === changed);
        if (at >= 0) {
          expect(raws.toSpliced(at, 1)).toEqual(before.map((l) => l.raw).toSpliced(at, 1));
          return;
        }
        const added = after.length - before.length;
        const end = after.findLastIndex((l) => l.section === section && l.key === changed) + 1;
        expect(added).toBeLessThanOrEqual(3);
        const rest = raws.toSpliced(end - added, added).join('');
        expect([text, `${text}\n`, `${text}\r\n`]).toContain(rest);
      }),
      { numRuns: 500 },
    );
  });

  test('without a new line, is the same but for the value', () => {
    fc.assert(
      fc.property(file, value, (text, wanted) => {
        const before = parseIni(`${text}\n[mine]\nkey = old # value\r\n[end]\n`, 'f');
        const after = iniText(setIniValue(before, 'mine', 'key', wanted));
        expect(after).toBe(`${text}\n[mine]\nkey = ${trimBlanks(wanted)}\r\n[end]\n`);
      }),
    );
  });
});

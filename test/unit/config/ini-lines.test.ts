import { describe, expect, test } from 'vitest';
import { iniSections, iniText, parseIni } from '../../../src/config/ini-lines.ts';

const read = (text: string) =>
  Object.fromEntries(
    [...iniSections(parseIni(text, 'f'))].map(([name, values]) => [
      name,
      Object.fromEntries(values),
    ]),
  );

describe('what a configuration file says', () => {
  test.each([
    ['values are literal', '[x]\nk = a # b ; c = "d" [e]\n', { x: { k: 'a # b ; c = "d" [e]' } }],
    ['quotes stay', '[x]\nk="a"\nl=`b`\nm="""c"""\n', { x: { k: '"a"', l: '`b`', m: '"""c"""' } }],
    ['nothing is expanded', '[x]\nk=%(l)s\nl=$HOME\n', { x: { k: '%(l)s', l: '$HOME' } }],
    ['JSON', '[x]\ntoken = {"a":"b","c":[1]}\n', { x: { token: '{"a":"b","c":[1]}' } }],
    ['blanks around are cut', '  [ x ]  \n\tk  =  v w \t\n', { x: { k: 'v w' } }],
    ['a colon separates too', '[x]\ntype: s3\nurl: a=b\n', { x: { type: 's3', url: 'a=b' } }],
    ['empty values', '[x]\nk =\n', { x: { k: '' } }],
    ['comments', '# a\n; b\n[x]\n#k=v\n  ;k=v\n', { x: {} }],
    ['dots do not nest', '[a.b]\nk=1\n[a]\n', { 'a.b': { k: '1' }, a: {} }],
    ['odd names', '[a [b] @c]\n', { 'a [b] @c': {} }],
    ['CRLF, BOM, no last newline', '\ufeff[x]\r\nk=1\r\nl=2', { x: { k: '1', l: '2' } }],
    ['the last one wins', '[x]\nk=1\nl=1\n[x]\nk=2\nk=3\n', { x: { k: '3', l: '1' } }],
    ['case matters', '[x]\nK=1\nk=2\n[X]\n', { x: { K: '1', k: '2' }, X: {} }],
    ['keys above any header', 'k=v\n[x]\n', { DEFAULT: { k: 'v' }, x: {} }],
    ['an empty header without keys', '[]\n', { DEFAULT: {} }],
    ['empty', '', {}],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toEqual(expected);
    expect(iniText(parseIni(text, 'f'))).toBe(text);
  });
});

describe('broken lines', () => {
  test.each([
    ['no value', '[x]\n\nnovalue\n', 3],
    ['an open bracket', '[x\nk=v\n', 1],
    ['a comment behind a header', '[x] # c\n', 1],
    ['no key', '[x]\n= v\n', 2],
    ['a key below a header without name', '[]\nk=v\n', 2],
    ['binary junk', '\x00\x01\x7fELF\x02\n', 1],
    ['broken after CRLF lines', '[x]\r\nk=v\r\nsecret\r\n', 3],
  ])('%s', (_, text, line) => {
    expect(() => parseIni(text, 'config file "/c"')).toThrow(
      expect.objectContaining({
        code: 'config',
        message: expect.stringMatching(new RegExp(`^config file "/c": line ${line} `)),
      }),
    );
  });

  test('what the line holds is not shown: it may be a secret', () => {
    expect(() => parseIni('[x]\nhunter2\n', 'f')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameFromBytes, nameToBytes } from '../../../src/core/name-bytes.ts';
import {
  encodingOf,
  fromStandardPath,
  type NameEncoding,
  parseEncoding,
  toStandardPath,
} from '../../../src/names/name-encoding.ts';

const LOCAL = encodingOf(['Slash', 'Dot']);
const S3 = encodingOf(['Slash', 'InvalidUtf8', 'Dot']);
const ONEDRIVE = parseEncoding(
  'Slash,LtGt,DoubleQuote,Colon,Question,Asterisk,Pipe,BackSlash,Del,Ctl,LeftSpace,LeftTilde,RightSpace,RightPeriod,InvalidUtf8,Dot',
);

describe('what stands in a store and how syncer shows it', () => {
  it.each([
    ['plain/path-1.txt', 'plain/path-1.txt'],
    ['a\nb', 'a␊b'],
    ['tab\tand\x7f', 'tab␉and␡'],
    ['a␊b', 'a‛␊b'],
    ['a／b', 'a／b'],
    ['a‛／b', 'a‛／b'],
    ['．', '．'],
    ['x/．．/y', 'x/．．/y'],
    ['．x', '．x'],
    ['‛‛x', '‛‛x'],
    ['‛x', '‛x'],
    ['ends in ‛', 'ends in ‛'],
    ['␀', '␀'],
    ['‛␀', '‛␀'],
    ['\udcff', '\udcff'],
    ['😀 é é', '😀 é é'],
    ['a\u{10ffff}\n', 'a\u{10ffff}␊'],
    ['‛\u{10ffff}‛␊', '‛\u{10ffff}‛E2‛80‛9B‛␊'],
  ])('local %j is %j', (stored, shown) => {
    expect(toStandardPath(LOCAL, stored)).toBe(shown);
    expect(fromStandardPath(LOCAL, shown)).toBe(stored);
  });

  it.each([
    ['‛FF', '\udcff'],
    ['a‛E9‛80b', 'a\udce9\udc80b'],
    ['‛‛FF', '‛‛FF'],
    // rclone reads these as "A" and "é", and then cannot find them.
    ['‛41', '‛41'],
    ['‛C3‛A9', '‛C3‛A9'],
    // A quote that quotes nothing and stands before what would be a byte.
    ['‛E2‛80‛9BBEST OF', '‛BEST OF'],
    ['‛‛BEST OF', '‛‛BEST OF'],
    ['‛FF‛E2‛80‛9BCAFE', '\udcff‛CAFE'],
    ['‛E2‛80‛9BE2‛E2‛80‛9B80‛E2‛80‛9B9BBE', '‛E2‛80‛9BBE'],
  ])('S3 %j is %j', (stored, shown) => {
    expect(toStandardPath(S3, stored)).toBe(shown);
    expect(fromStandardPath(S3, shown)).toBe(stored);
  });

  it.each([
    [' a ', '␠a␠'],
    ['~$x', '～$x'],
    ['a~ b', 'a~ b'],
    ['end.', 'end．'],
    ['.', '．'],
    [' ', '␠'],
    ['␠', '‛␠'],
    ['a:b|c', 'a：b｜c'],
    ['a：b', 'a‛：b'],
    ['nl␊', 'nl␊'],
    ['‛‛ ', '‛‛␠'],
    ['‛‛␠', '‛‛‛␠'],
  ])('for OneDrive %j becomes %j', (shown, stored) => {
    expect(fromStandardPath(ONEDRIVE, shown)).toBe(stored);
  });

  it('shows dot names of a store full-width, so that they never climb', () => {
    expect(toStandardPath(S3, '../a/./b')).toBe('．．/a/．/b');
    expect(fromStandardPath(LOCAL, '．．/a')).toBe('．．/a');
  });
});

/** Names heavy in what is special. */
const odd = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'\n\r\t\x01\x7f .~:*?"<>|\\％%#＃：／．～␠␊␡␀‛ab4FE😀é\u{10ffff}'),
      fc.constantFrom('\udcff', '\udc80', '\udce9', '‛FF', '‛␊'),
      fc.constantFrom('‛E2‛80‛9B', 'E2‛80‛9B', '‛', 'E2', '80', '9B', '\x1f', '␟', '‛'),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => nameFromBytes(nameToBytes(parts.join(''))))
  .filter((name) => name !== '.' && name !== '..');

const anyBytes = fc
  .uint8Array({ minLength: 1, maxLength: 12 })
  .map((bytes) => nameFromBytes(bytes.filter((byte) => byte !== 0 && byte !== 0x2f)))
  .filter((name) => name !== '' && name !== '.' && name !== '..');

describe('round trips', () => {
  const encodings: [string, NameEncoding][] = [
    ['local', LOCAL],
    ['S3', S3],
    ['OneDrive', ONEDRIVE],
    ['all rules', parseEncoding('Slash,CrLf,LeftPeriod,RightCrLfHtVt,LeftCrLfHtVt,Hash,Percent')],
  ];

  it('gives every local name back', () => {
    fc.assert(
      fc.property(fc.oneof(odd, anyBytes), (name) => {
        expect(fromStandardPath(LOCAL, toStandardPath(LOCAL, name))).toBe(name);
      }),
      { numRuns: 3000 },
    );
  });

  it.each(['‛BEST OF', 'x‛C3(y', '‛‛CAFE', '‛AB', 'a‛E9‛80b', '‛E2‛80‛9BBE', '‛FF\udcff‛FF'])(
    'a file %j comes back from S3 as the same, and as no other',
    (name) => {
      const shown = toStandardPath(LOCAL, name);
      const key = fromStandardPath(S3, shown);
      expect(toStandardPath(S3, key)).toBe(shown);
      expect(fromStandardPath(LOCAL, shown)).toBe(name);
    },
  );

  it.each(encodings)('%s holds every name of a local disk', (_, encoding) => {
    // Where a period at the end is replaced, this one looks like `..`, as in rclone.
    const names = fc.oneof(odd, anyBytes).filter((name) => name !== '．.');
    fc.assert(
      fc.property(names, (name) => {
        const shown = toStandardPath(LOCAL, name);
        expect(toStandardPath(encoding, fromStandardPath(encoding, shown))).toBe(shown);
      }),
      { numRuns: 5000 },
    );
  });

  it.each(encodings)('%s gives the names of its own store back', (_, encoding) => {
    fc.assert(
      fc.property(fc.oneof(odd, anyBytes), (name) => {
        const shown = toStandardPath(encoding, name);
        fc.pre(fromStandardPath(encoding, shown) === name);
        expect(fromStandardPath(LOCAL, toStandardPath(LOCAL, fromStandardPath(LOCAL, shown)))).toBe(
          fromStandardPath(LOCAL, shown),
        );
      }),
      { numRuns: 3000 },
    );
  });
});

describe('parseEncoding', () => {
  it('reads rclone texts with blanks, and None', () => {
    expect(parseEncoding('Slash, InvalidUtf8,Dot')).toEqual(S3);
    expect(fromStandardPath(parseEncoding('None'), 'a␊b')).toBe('a\nb');
    expect(fromStandardPath(parseEncoding('Ctl'), 'a␊b')).toBe('a␊b');
    expect(toStandardPath(parseEncoding('Raw'), '‛␊')).toBe('‛‛‛␊');
  });

  it('reads numbers as the bits of the rules, as rclone 1.75.2 does', () => {
    const same = (number: string, names: string) =>
      expect(parseEncoding(number)).toEqual(parseEncoding(names));
    same('50331650', 'Slash,InvalidUtf8,Dot');
    same('0x3000000, Slash', 'Slash,InvalidUtf8,Dot');
    same('0x1c000000', 'SquareBracket,Semicolon,Exclamation');
    same('0', 'None');
    same('1', 'Raw');
    same('3', 'Slash');
    same('Raw,Slash', 'Slash');
    same('0x20000000', 'None');
  });

  it('refuses an unknown rule and tells the known ones', () => {
    expect(() => parseEncoding('Slash,Foo')).toThrow(
      /bad encoding "Foo": possible values are: Ast/,
    );
    expect(() => parseEncoding('2.0')).toThrow('bad encoding "2.0": ');
  });
});

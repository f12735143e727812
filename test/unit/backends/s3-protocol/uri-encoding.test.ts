import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeKey } from '../../../../src/backends/s3/xml/read-answer.ts';
import {
  canonicalQuery,
  encodeUri,
  encodeUriPath,
} from '../../../../src/backends/s3-protocol/uri-encoding.ts';

describe('encodeUri', () => {
  it('leaves letters, digits and -._~ alone', () => {
    expect(encodeUri('aZ09-._~')).toBe('aZ09-._~');
    expect(encodeUri(" !'()*+/é")).toBe('%20%21%27%28%29%2A%2B%2F%C3%A9');
  });

  it('keeps slashes of keys, also empty and dot segments', () => {
    expect(encodeUriPath('/a//b/../%2F c')).toBe('/a//b/../%252F%20c');
  });

  it('writes the byte that a lone surrogate stands for', () => {
    expect(encodeUriPath('a\udcffb')).toBe('a%FFb');
  });

  it('sorts a query by name, then by value', () => {
    expect(
      canonicalQuery([
        ['prefix', 'a b'],
        ['list-type', '2'],
        ['a', '2'],
        ['a', '1'],
        ['a-b', ''],
      ]),
    ).toBe('a=1&a=2&a-b=&list-type=2&prefix=a%20b');
  });
});

describe('decodeKey', () => {
  it('reads spaces written either way', () => {
    expect(decodeKey('a+b%20c%2Bd')).toBe('a b c+d');
  });

  it('reads bytes that are not UTF-8 as lone surrogates', () => {
    expect(decodeKey('a%FFb%C3%A9')).toBe('a\udcffbé');
    expect(decodeKey('100%')).toBe('100%');
  });

  it('undoes encoding', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (key) => {
        expect(decodeKey(encodeUriPath(key))).toBe(key);
      }),
    );
  });
});

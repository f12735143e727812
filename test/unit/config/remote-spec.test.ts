import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatRemoteSpec, parseRemoteSpec } from '../../../src/config/remote-spec.ts';

const parsed = (name: string, path: string, overrides: Record<string, string> = {}) => ({
  name,
  path,
  overrides: new Map(Object.entries(overrides)),
});

describe('paths that rclone reads', () => {
  test.each([
    ['remote:path/to', parsed('remote', 'path/to')],
    ['remote:', parsed('remote', '')],
    ['remote:/abs', parsed('remote', '/abs')],
    ['rem.ote:a:b', parsed('rem.ote', 'a:b')],
    ['my remote:x', parsed('my remote', 'x')],
    ['a+b@c.d:x', parsed('a+b@c.d', 'x')],
    ['Größe2:x', parsed('Größe2', 'x')],
    ['r-emote-:x', parsed('r-emote-', 'x')],
    ['C:\\path', parsed('C', '\\path')],
    [':s3:bucket', parsed(':s3', 'bucket')],
    [':s3,env_auth:b', parsed(':s3', 'b', { env_auth: 'true' })],
    [':s3,a=1,b=:x', parsed(':s3', 'x', { a: '1', b: '' })],
    [':s3,endpoint="https://h:9":b/p', parsed(':s3', 'b/p', { endpoint: 'https://h:9' })],
    ['r,k="quoted ""x""",l=\'a"\'\'b\':p', parsed('r', 'p', { k: 'quoted "x"', l: `a"'b` })],
    ['r,k=a"b:p', parsed('r', 'p', { k: 'a"b' })],
    ['r,k=a=b:p', parsed('r', 'p', { k: 'a=b' })],
    ['r,k=/a/b:p', parsed('r', 'p', { k: '/a/b' })],
    ['.:', parsed('.', '')],
  ])('%s', (text, expected) => {
    expect(parseRemoteSpec(text)).toEqual(expected);
    expect(parseRemoteSpec(formatRemoteSpec(expected))).toEqual(expected);
  });

  test.each([
    '/path',
    './a:b',
    'a/b:c',
    '/a:b',
    'a\\b:c',
    'plain',
    'with,comma',
    '.',
    '..',
    './:colon.txt',
    'a,b=c',
    '-x',
  ])('%s is local', (text) => {
    expect(parseRemoteSpec(text)).toEqual(parsed('', text));
    expect(formatRemoteSpec(parseRemoteSpec(text))).toBe(text);
  });
});

describe('paths that rclone refuses', () => {
  test.each([
    ['', /empty/],
    [':', /needs a ":"/],
    ['::', /name before the ":" is empty/],
    [':/:', /names may contain letters/],
    ['rem*ote:x', /names may contain letters/],
    ['-remote:x', /names may contain letters/],
    ['remote :x', /names may contain letters/],
    [' remote:x', /names may contain letters/],
    ['a,b/c:d', /option names are letters/],
    ['r,:p', /option name after "," is empty/],
    ['r,a,,b:p', /option name after "," is empty/],
    [':s3,a', /must be followed by/],
    [':s3,a=b', /must be followed by/],
    [':s3,a="b', /must end with/],
    [':s3,a="b"c:', /must follow after/],
    [':s3,a="b"', /must follow after/],
  ])('%s', (text, why) => {
    expect(() => parseRemoteSpec(text)).toThrow(why);
    expect(() => parseRemoteSpec(text)).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  test('values of a connection string are not shown', () => {
    expect(() => parseRemoteSpec(':s3,secret_access_key=hunter2')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

test('any values survive being written into a connection string', () => {
  const key = fc.stringMatching(/^\w+$/);
  fc.assert(
    fc.property(fc.dictionary(key, fc.string()), fc.string(), (overrides, path) => {
      const spec = parsed(':s3', path, overrides);
      expect(parseRemoteSpec(formatRemoteSpec(spec))).toEqual(spec);
    }),
  );
});

import { describe, expect, test } from 'vitest';
import { HelpWanted, parseFlags, usageText } from '../../../src/webhook/flag-table.ts';

describe('flags in the style of Go', () => {
  test.each([
    [
      'one dash or two, with = or a blank',
      ['-port=1', '--ip', 'x', '-port', '2'],
      { port: 2, ip: 'x' },
    ],
    [
      'a boolean never takes the next word',
      ['-verbose', 'false', '-debug'],
      { verbose: true, debug: false },
    ],
    ['a boolean with =', ['-verbose=F', '-debug=1'], { verbose: false, debug: true }],
    ['integers in other bases', ['-port=0x1F'], { port: 31 }],
    [
      'negative, as in 2.8.0',
      ['-max-multipart-mem=-1', '-x-request-id-limit=-1'],
      { 'max-multipart-mem': -1, 'x-request-id-limit': -1 },
    ],
    [
      'numbers that switch something off',
      ['-idle-timeout=0', '-stop-timeout=0', '-max-commands=0', '-history=0'],
      { 'idle-timeout': 0, 'stop-timeout': 0, 'max-commands': 0, history: 0 },
    ],
    ['octal', ['-port=010'], { port: 8 }],
    ['negative', ['-port=-1_0'], { port: -10 }],
    [
      'collected',
      ['-hooks', 'a', '-hooks=b,c', '-header', 'A=b=c'],
      { hooks: ['a', 'b,c'], header: ['A=b=c'] },
    ],
    ['ended by --', ['-verbose', '--', '-debug'], { verbose: true, debug: false }],
    ['ended by a lone dash', ['-', '-debug'], { debug: false }],
    ['an empty value', ['-urlprefix='], { urlprefix: '' }],
    [
      'none',
      [],
      { port: 9000, urlprefix: 'hooks', ip: '0.0.0.0', hooks: [], 'tls-min-version': '1.2' },
    ],
  ])('%s', (_, words, values) => expect(parseFlags(words)).toMatchObject(values));

  test.each([
    [['-nope'], 'flag provided but not defined: -nope'],
    [['-verb'], 'flag provided but not defined: -verb'],
    [['-port'], 'flag needs an argument: -port'],
    [['-port=x'], 'invalid value "x" for flag -port: parse error'],
    [
      ['-port=99999999999999999999'],
      'invalid value "99999999999999999999" for flag -port: value out of range',
    ],
    [['-verbose=maybe'], 'invalid boolean value "maybe" for -verbose: parse error'],
    [
      ['-header', 'x'],
      'invalid value "x" for flag -header: header flag must be in name=value format',
    ],
    [['---port'], 'bad flag syntax: ---port'],
    [['-=x'], 'bad flag syntax: -=x'],
    [['-idle-timeout', '-1'], 'invalid value "-1" for flag -idle-timeout: must not be negative'],
    [['-idle-timeout=3000000'], 'for flag -idle-timeout: must be at most 2147483'],
    [['-max-body=-1'], 'for flag -max-body: must not be negative'],
    [['-max-connections=-1'], 'for flag -max-connections: must not be negative'],
    [['-max-commands=-1'], 'for flag -max-commands: must not be negative'],
    [['-history=-1'], 'for flag -history: must not be negative'],
    [['-stop-timeout=-1'], 'for flag -stop-timeout: must not be negative'],
  ])('%j is refused', (words, message) => expect(() => parseFlags(words)).toThrow(message));

  test.each(['-h', '--help'])('%s asks for help', (word) =>
    expect(() => parseFlags([word])).toThrow(HelpWanted),
  );

  test('the help text names defaults as Go does', () => {
    expect(usageText()).toContain(
      '  -port int\n    \tport the webhook should serve hooks on (default 9000)\n',
    );
    expect(usageText()).toContain('  -verbose\n    \tshow verbose output\n');
  });
});

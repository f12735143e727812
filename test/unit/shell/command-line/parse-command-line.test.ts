import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import type { KnownFlag } from '../../../../src/shell/command-line/flag-set.ts';
import {
  mayHoldBackendFlags,
  parseCommandLine,
} from '../../../../src/shell/command-line/parse-command-line.ts';

const endpoint: KnownFlag = {
  key: 's3-endpoint',
  name: 's3-endpoint',
  ofBackend: true,
  definition: { type: 'string', help: 'Endpoint.', group: 'command' },
};

const parse = (words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  parseCommandLine(words, {
    commands: COMMANDS,
    backendFlags: [endpoint],
    env,
    nowMs: Date.parse('2026-11-20T10:00:00Z'),
  });

test('flags and arguments may come in any order, also before the command', () => {
  const line = parse(['--transfers', '3', 'copy', '-n', 'a', '--checksum', 'b']);
  expect(line).toMatchObject({ command: 'copy', args: ['a', 'b'] });
  expect(line.flags).toMatchObject({ transfers: 3, 'dry-run': true, checksum: true });
  expect([...line.given].sort()).toEqual(['checksum', 'dry-run', 'transfers']);
});

test.each([
  ['NOW', '/x'],
  ['JSON', 'zz'],
  ['KEEP', 'abc'],
  ['WATCH', 'zz'],
])(
  'a variable for a flag of another command does not concern a line without a command: %s',
  (name, value) => {
    for (const words of [[], ['--help'], ['-h']]) {
      for (const product of ['SYNCER', 'RCLONE'])
        expect(parse(words, { [`${product}_${name}`]: value }).command).toBeUndefined();
    }
    expect(() => parse(['--help'], { SYNCER_RETRIES: 'x' })).toThrow('invalid value');
  },
);

test('without flags the defaults hold', () => {
  const { flags, given } = parse(['ls', 'a']);
  expect(given.size).toBe(0);
  expect(flags).toMatchObject({
    'dry-run': false,
    verbose: 0,
    include: [],
    retries: 3,
    stats: 60_000,
    'log-level': 'notice',
    'max-depth': -1,
    'dir-slash': true,
  });
  expect(flags.transfers).toBeUndefined();
  expect(flags['max-transfer']).toBeUndefined();
});

test('values are read by their type', () => {
  const { flags } = parse([
    ...[
      'ls',
      '--max-transfer',
      '10',
      '--modify-window',
      '1s500ms',
      '--timeout=1m',
      '--tpslimit=2.5',
    ],
    ...['--max-depth', '0x10', '-vv', '--include', 'a,b', '--include', 'c', '--stats-unit', 'BITS'],
  ]);
  expect(flags).toMatchObject({
    'max-transfer': 10 * 1024,
    'modify-window': 1500,
    timeout: 60_000,
    tpslimit: 2.5,
    'max-depth': 16,
    verbose: 2,
    include: ['a,b', 'c'],
    'stats-unit': 'bits',
  });
});

test('off is as if not given, or -1 for a flag that has a default', () => {
  const { flags } = parse([
    'ls',
    '--max-transfer',
    'off',
    '--max-duration',
    'off',
    '--stats',
    'off',
  ]);
  expect(flags['max-transfer']).toBeUndefined();
  expect(flags['max-duration']).toBeUndefined();
  expect(flags.stats).toBe(-1);
});

test('the environment sets flags, the command line wins, lists grow', () => {
  const env = {
    SYNCER_TRANSFERS: '5',
    SYNCER_RETRIES: '7',
    SYNCER_EXCLUDE: 'a,"b,b"',
    SYNCER_V: '1',
  };
  const { flags, given } = parse(['ls', '--transfers', '6', '--exclude', 'c'], env);
  expect(flags).toMatchObject({ transfers: 6, retries: 7, exclude: ['a', 'b,b', 'c'], verbose: 0 });
  expect(given.has('retries')).toBe(true);
});

test('variables of rclone count where our own are not set, but for its configuration file', () => {
  const env = {
    RCLONE_DRY_RUN: 'true',
    RCLONE_RETRIES: '7',
    SYNCER_RETRIES: '8',
    RCLONE_CONFIG: '/etc/rclone.conf',
  };
  const { flags } = parse(['ls'], env);
  expect(flags).toMatchObject({ 'dry-run': true, retries: 8, config: undefined });
  expect(() => parse(['ls'], { RCLONE_RETRIES: 'x' })).toThrow(/variable RCLONE_RETRIES: not a/);
});

test('a subcommand has flags of its own, which others do not know', () => {
  const vocabulary = {
    commands: COMMANDS,
    backendFlags: [],
    env: {},
    nowMs: 0,
  };
  const parseConfig = (...words: string[]) => parseCommandLine(['config', ...words], vocabulary);
  const line = parseConfig('create', 'x', 's3', '--obscure');
  expect(line).toMatchObject({ command: 'config', args: ['create', 'x', 's3'] });
  expect(line.flags).toMatchObject({ obscure: true });
  const before = parseConfig('--obscure', 'create', 'x', 's3');
  expect(before.flags).toMatchObject({ obscure: true });
  expect(() => parseConfig('show', '--obscure')).toThrow(
    /it is a flag of config create, config up/,
  );
});

test('a flag of another command is not set by the environment', () => {
  expect(parse(['ls'], { SYNCER_HEAD: 'x' }).flags).toMatchObject({ head: undefined });
  expect(() => parse(['cat'], { SYNCER_HEAD: 'x' })).toThrow('SYNCER_HEAD');
});

test('flags of backends are kept as text', () => {
  const line = parse(['ls', '--s3-endpoint', 'https://a', 'x']);
  expect(line).toMatchObject({ args: ['x'], backendFlags: { 's3-endpoint': 'https://a' } });
});

test('the backends are loaded only for flags that are not in the table', () => {
  expect(
    mayHoldBackendFlags(COMMANDS, ['copy', '--dry-run', '--transfers=3', '-x', '--', 'a']),
  ).toBe(false);
  expect(mayHoldBackendFlags(COMMANDS, ['copy', '--s3-endpoint=x'])).toBe(true);
});

test('tree takes -C alone and --color with a value', () => {
  expect(parse(['tree', '-C', 'a'])).toMatchObject({
    args: ['a'],
    flags: { 'tree-color': 'always' },
  });
  expect(parse(['tree', '--color=never', 'a']).flags).toMatchObject({ 'tree-color': 'never' });
  expect(parse(['ls', '--color', 'never', 'a'])).toMatchObject({
    args: ['a'],
    flags: { color: 'never' },
  });
});

test.each([
  [['copyy'], {}, 'unknown command: copyy (did you mean copy?)'],
  [['xyzzy'], {}, 'unknown command: xyzzy'],
  [['ls', '--transfers=x'], {}, 'invalid value for flag --transfers: not a whole number: "x"'],
  [['ls', '-n=maybe'], {}, 'invalid value for flag -n: not true or false: "maybe"'],
  [['ls', '--min-size', 'q'], {}, 'invalid value for flag --min-size: not a size: "q"'],
  [['ls', '--stats', 'q'], {}, 'invalid value for flag --stats: not a duration: "q"'],
  [['ls', '--timeout', '60'], {}, 'invalid value for flag --timeout: "60" has no unit'],
  [['copy', '--max-duration', '2020-01-01'], {}, '--max-duration: "2020-01-01" has no unit'],
  [['copy', '--default-time', 'foo'], {}, '--default-time: "foo" is neither a date'],
  [['copy', '--default-time', ''], {}, '--default-time: "" is neither a date'],
  [['copy', '--dscp', 'XX'], {}, '--dscp: "XX" is not a DSCP name'],
  [['copy', '--dscp', '64'], {}, '--dscp: "64" is not a DSCP name'],
  [
    ['ls', '--log-level', 'q'],
    {},
    '--log-level: "q" is not one of debug, info, notice, warning, error',
  ],
  [['ls'], { SYNCER_DRY_RUN: '' }, 'environment variable SYNCER_DRY_RUN: not true or false: ""'],
  [['ls', '--max-depth', '9'.repeat(20)], {}, 'number out of range'],
])('%j is refused', (words, env, message) => {
  const code = Object.keys(env).length > 0 ? 'usage' : 'command-line';
  const refusal = { code, message: expect.stringContaining(message) };
  expect(() => parse(words, env)).toThrow(expect.objectContaining(refusal));
});

test('only flags, or nothing at all, is no command', () => {
  expect(parse([])).toMatchObject({ command: undefined, args: [] });
  expect(parse(['-h'])).toMatchObject({ command: undefined, flags: { help: true } });
});

test.each(['0', '-1', '65536', 'x'])('--auth-port %s is wrong usage', (port) => {
  expect(() => parse(['authorize', 'onedrive', '--auth-port', port])).toThrow('--auth-port');
  expect(parse(['authorize', '--auth-port', '8080']).flags['auth-port']).toBe(8080);
});

test.each(['bwlimit', 'bwlimit-file'])('a wrong --%s is refused by every command', (flag) => {
  for (const rate of ['x', '', '8:00,1M']) {
    expect(() => parse(['ls', 'a', `--${flag}=${rate}`])).toThrow(`value for flag --${flag}`);
  }
  const variable = `SYNCER_${flag.toUpperCase().replace('-', '_')}`;
  expect(() => parse(['ls', 'a'], { [variable]: 'x' })).toThrow(variable);
  expect(parse(['ls', 'a', `--${flag}=08:00,1M 20:00,off`]).flags[flag as 'bwlimit']).toContain(
    'off',
  );
});

test('a command of rclone that is missing names what there is instead', () => {
  expect(() => parse(['rc', 'core/stats'])).toThrow(
    'rc is a command of rclone that syncer does not have',
  );
});

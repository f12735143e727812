import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { parseRemoteSpec } from '../../../../src/config/remote-spec.ts';
import { remotesBelow } from '../../../../src/config/remotes-below.ts';
import { flagsOfRemote, rejectGlobalsBelow } from '../../../../src/run/remotes/remote-flags.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';
import { readRemoteGlobals } from '../../../../src/shell/command-line/remote-globals.ts';

let dir: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-test-'));
  const file = join(dir, 'syncer.conf');
  await writeFile(
    file,
    '[l]\ntype = local\nglobal.dry_run = true\nglobal.bind_addr = ::1\n[m]\ntype = s3\n[odd]\ntype = s3\nglobal.nosuch = 1\n',
  );
  env = { SYNCER_CONFIG: file };
});
afterAll(() => rm(dir, { recursive: true }));

const read = async (...argv: string[]) =>
  parseCommandLine(argv, {
    commands: COMMANDS,
    backendFlags: [],
    env: {},
    globals: (await readRemoteGlobals(argv, env)).globals,
    nowMs: 0,
  });

describe('flags that a remote sets for the whole run', () => {
  test('of the configuration file and of a connection string, for arguments only', async () => {
    const { flags, appliedGlobals } = await read('copy', 'l:a', '/b');
    expect([flags['dry-run'], flags.bind, [...(appliedGlobals ?? [])]]).toEqual([
      true,
      '::1',
      ['l'],
    ]);
    const string = await read('lsf', 'm,global.max_depth=3,global.checksum:b');
    expect([string.flags['max-depth'], string.flags.checksum]).toEqual([3, true]);
    expect((await read('copy', 'm:a', '/b', '--backup-dir', 'l:x')).flags['dry-run']).toBe(false);
    expect((await read('lsf', './l:a')).flags['dry-run']).toBe(false);
  });

  test('the file that was read is handed over once, and only if a word may name a remote', async () => {
    const { config } = await readRemoteGlobals(['lsf', 'm:a'], env);
    expect(config?.path).toBe(env['SYNCER_CONFIG']);
    expect(config?.take()?.toString()).toContain('[odd]');
    expect(config?.take()).toBeUndefined();
    expect((await readRemoteGlobals(['lsf', './m:a'], env)).config).toBeUndefined();
    const none = { SYNCER_CONFIG: join(dir, 'none') };
    expect((await readRemoteGlobals(['lsf', 'm:a'], none)).config).toBeUndefined();
  });

  test.each([
    'over-l:',
    'two-levels:',
    'crypt:a',
    'crypt-over-two:',
    'in-a-string:',
    'union:',
    'read-only:',
    'combine:one',
    'spaces:',
    ':crypt,remote="l:x":',
    'm,remote="over-l:":',
    'looped:',
  ])('move to %s changes nothing: a remote below it has global.dry_run', async (to) => {
    const below = join(dir, 'below.conf');
    const sections = [
      '[l]\ntype = local\nglobal.dry_run = true',
      '[m]\ntype = s3',
      '[over-l]\ntype = alias\nremote = l:x',
      '[two-levels]\ntype = alias\nremote = over-l:',
      '[crypt]\ntype = crypt\nremote = l:x',
      '[crypt-over-two]\ntype = crypt\nremote = two-levels:x',
      '[in-a-string]\ntype = crypt\nremote = m,global.dry_run=true:b',
      '[union]\ntype = union\nupstreams = m:b l:x',
      '[read-only]\ntype = union\nupstreams = m:b l:x:ro',
      '[combine]\ntype = combine\nupstreams = one=m:b two=l:x',
      '[spaces]\ntype = combine\nupstreams = "one=m:a b" "two=l:x y"',
      '[looped]\ntype = union\nupstreams = looped: l:',
    ];
    await writeFile(below, `${sections.join('\n')}\n`);
    const { globals } = await readRemoteGlobals(['move', 'src', to], { SYNCER_CONFIG: below });
    const vocabulary = { commands: COMMANDS, backendFlags: [], env: {}, globals, nowMs: 0 };
    expect(parseCommandLine(['move', 'src', to], vocabulary).flags['dry-run']).toBe(true);
    const plain = parseCommandLine(['move', 'src', 'm:b'], vocabulary);
    expect(plain.flags['dry-run']).toBe(false);
  });

  test('one below a remote that is no argument is an error, and not passed over', () => {
    const config = new Map([
      ['c', new Map([['remote', 'l:']])],
      ['l', new Map([['global.dry_run', 'true']])],
    ]);
    const below = remotesBelow(parseRemoteSpec('c:x'), config, {});
    const line = { args: ['src', 'm:'], appliedGlobals: new Set<string>() };
    const check = (more: Partial<typeof line>) => () =>
      rejectGlobalsBelow(below, config, { ...line, ...more });
    expect(check({})).toThrow('"global.dry_run" of remote "l" cannot be applied');
    expect(check({ appliedGlobals: new Set(['l']) })).not.toThrow();
    expect(check({ args: [] })).not.toThrow();
  });

  test('what is typed wins', async () => {
    expect((await read('copy', 'l:a', '/b', '--dry-run=false')).flags['dry-run']).toBe(false);
  });

  test('an unknown flag and an invalid value are errors', async () => {
    await expect(read('lsf', 'odd:')).rejects.toThrow(
      'global.nosuch of remote "odd": unknown flag: nosuch',
    );
    await expect(read('lsf', 'm,global.dry_run=foo:')).rejects.toThrow(
      'global.dry_run of remote "m": invalid value for dry-run',
    );
  });
});

describe('flags of one remote', () => {
  const settings = (of: Record<string, string>) =>
    Object.fromEntries(Object.entries(of).map(([key, text]) => [key, { text, remote: 'm' }]));

  test('change its connections, and no others', async () => {
    const line = await read('lsf', 'm:');
    const { timeout, 'no-check-certificate': unchecked } = flagsOfRemote(
      settings({ 'override.timeout': '5s', 'override.no_check_certificate': 'true' }),
      line,
      0,
    );
    expect([timeout, unchecked]).toEqual([5000, true]);
    expect(line.flags.timeout).toBe(300_000);
    expect(flagsOfRemote({}, line, 0)).toBe(line.flags);
  });

  test.each([
    [{ 'override.dry_run': 'true' }, '"override.dry_run" of remote "m" cannot be set for one'],
    [{ 'override.timeout': 'x' }, '"override.timeout" of remote "m" has an invalid value'],
    [{ 'global.dry_run': 'true' }, '"global.dry_run" of remote "m" cannot be applied'],
  ])('%j is refused', async (flags, why) => {
    const line = await read('lsf', '/a');
    expect(() => flagsOfRemote(settings(flags as Record<string, string>), line, 0)).toThrow(why);
  });
});

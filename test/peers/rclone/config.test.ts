import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { iniSections, parseIni } from '../../../src/config/ini-lines.ts';
import { reveal } from '../../../src/config/obscure.ts';
import { hasRclone, isRcloneNow, runRclone } from '../../support/rclone.ts';
import { makeSyncerWorld } from '../../support/run-syncer.ts';

const world = await makeSyncerWorld({ inOwnProcess: true });
afterAll(() => world.remove());

const theirs = join(world.dir, 'rclone.conf');

const FILE = `[a]
type = s3
provider = Other
access_key_id = AK
secret_access_key = SK
endpoint = http://127.0.0.1:1

[b]
type = local
`;

beforeEach(async () => {
  await writeFile(world.config, FILE);
  await writeFile(theirs, FILE);
});

/** Runs both programs, each on its own copy of the configuration. */
async function both(...args: string[]) {
  const [ours, rclone] = await Promise.all([
    world.run(['config', ...args]),
    runRclone(['config', ...args], { cwd: world.dir, config: theirs }),
  ]);
  const files = await Promise.all([readFile(world.config, 'utf8'), readFile(theirs, 'utf8')]);
  return { ours, rclone, files: files.map(contents) };
}

/** What a file says; rclone writes keys in no fixed order, and a remote that is made anew at the end. */
function contents(text: string): object {
  const sections = iniSections(parseIni(text, 'f'));
  return Object.fromEntries([...sections].map(([name, keys]) => [name, Object.fromEntries(keys)]));
}

/** What was printed; rclone prints keys in no fixed order. */
function lines(printed: Buffer): readonly string[] {
  return printed.toString().split('\n').sort();
}

describe.skipIf(!hasRclone)('config beside rclone', () => {
  test.each([
    [['create', 'n', 's3', 'provider=Other', 'env_auth', 'true']],
    [['create', 'a', 'local']],
    [['create', 'n', 's3', 'endpoint=a=b', 'config_refresh_token=false']],
    [['create', 'n', 's3', '--non-interactive', 'env_auth=true']],
    [['create', 'n', 'alias', 'remote=b:x']],
    [['create', 'n', 's3', '--continue', '--state', '', '--result', '']],
    [['create', 'n', 'nosuch']],
    [['create', 'n']],
    [['create', 'n', 's3', 'key']],
    [['create', 'n/x', 's3']],
    [['create', 'n', 's3', '--obscure', '--no-obscure']],
    [['update', 'a', 'region=r', 'access_key_id', 'other']],
    [['update', 'a']],
    [['update', 'nosuch', 'k=v']],
    [['update', 'a', '--continue', '--state', '*nosuch', '--result', 'true']],
    [['update', 'a', '--continue', '--state', '*all,x,false', '--result', 'true']],
    [['update', 'a', '--continue', '--state', '*all-advanced', '--result', 'false']],
    [['update', 'b', '--all', '--auto-confirm']],
    [['delete', 'a']],
    [['delete', 'nosuch']],
    [['delete']],
    [['show', 'a']],
    [['show']],
    [['dump']],
    [['touch']],
    [['password', 'a']],
    [['password', 'nosuch', 'k', 'v']],
    [['disconnect', 'b:']],
    [['userinfo', 'b:']],
    [['userinfo', 'b:', '--json']],
    [['reconnect', 'b:']],
    [['reconnect', 'nosuch:']],
  ])('%j: the same output, exit code and file', async (args) => {
    const { ours, rclone, files } = await both(...args);
    // A command line that cannot be read ends with 2 since rclone 1.69.
    expect(ours.code === 2 && !isRcloneNow ? 1 : ours.code).toBe(rclone.code);
    if (rclone.code === 0) expect(lines(ours.stdout)).toEqual(lines(rclone.stdout));
    expect(files[0]).toEqual(files[1]);
  });

  test('what a remote cannot do is told in the words of rclone', async () => {
    for (const word of ['disconnect', 'userinfo', 'reconnect']) {
      const { ours, rclone } = await both(word, 'b:');
      const told = /Error: (.*)/.exec(rclone.stderr)?.[1] ?? 'nothing';
      // Paths are shown as they were typed since rclone 1.75, but for dots at their end.
      const reason = told.replace(' at ． ', ` at ${world.dir} `);
      expect(ours.stderr).toContain(`ERROR : config: ${reason}\n`);
      expect(ours.stderr.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  test.skipIf(!isRcloneNow)('a question of --all has the form of rclone 1.75', async () => {
    const { ours, rclone } = await both('create', 'n', 's3', '--non-interactive', '--all');
    const [mine, other] = [ours, rclone].map(({ stdout }) => JSON.parse(stdout.toString()));
    expect(Object.keys(mine)).toEqual(Object.keys(other));
    expect(mine.State).toBe('*all-set,0,false');
    expect(mine.State).toBe(other.State);
    expect(mine.Option.Name).toBe(other.Option.Name);
    const keys = Object.keys(other.Option).filter((key) => key !== 'Examples');
    expect(Object.keys(mine.Option).filter((key) => key !== 'Examples')).toEqual(keys);
    expect(Object.keys(mine.Option.Examples[0])).toEqual(Object.keys(other.Option.Examples[0]));
  });

  test('every option has the keys, the default and the type rclone gives it', async () => {
    // Some defaults are paths below it.
    const env = { HOME: world.dir };
    const [ours, rclone] = await Promise.all([
      world.run(['config', 'providers'], { env }),
      runRclone(['config', 'providers'], { cwd: world.dir, config: theirs, env }),
    ]);
    const [mine, other] = [ours, rclone].map(({ stdout }) => JSON.parse(stdout.toString()));
    let compared = 0;
    for (const kind of mine) {
      const known = other.find(({ Name }: { Name: string }) => Name === kind.Name);
      // Those that go through rclone are as it prints them.
      if (known === undefined || 'Overview' in kind) continue;
      const { Overview: _, ...described } = known;
      expect(Object.keys(kind)).toEqual(Object.keys(described));
      for (const option of kind.Options) {
        const match = known.Options.find(({ Name }: { Name: string }) => Name === option.Name);
        if (match === undefined || DIFFERENT.includes(option.Name)) continue;
        compared++;
        const facts = ({ Default, DefaultStr, ValueStr, Type, IsPassword }: typeof match) => ({
          Default,
          DefaultStr,
          ValueStr,
          Type,
          IsPassword,
        });
        expect({ [option.Name]: facts(option) }).toEqual({ [option.Name]: facts(match) });
      }
    }
    expect(compared).toBeGreaterThan(20);
  });

  test('a password goes from one program to the other', async () => {
    const file = '[w]\ntype = webdav\nurl = http://127.0.0.1:1\n';
    await writeFile(theirs, file);
    await runRclone(['config', 'password', 'w', 'pass', 'hunter2'], {
      cwd: world.dir,
      config: theirs,
    });
    const stored = /pass = (.*)/.exec(await readFile(theirs, 'utf8'))?.[1] ?? '';
    expect(reveal(stored)).toBe('hunter2');
  });
});

/**
 * Encodings are masks in rclone; whether buckets are in the host name is decided by the provider here; rclone's
 * cutoff for copies is a number that its text rounds; there is no time at which objects are to be shown; the length of
 * a session is any text; lists of words have types of their own since 1.70.
 */
const DIFFERENT = [
  'encoding',
  'force_path_style',
  'copy_cutoff',
  'version_at',
  'role_session_duration',
  'sdk_log_mode',
  'time_type',
  'hashes',
];

import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configCommand } from '../../../../commands/config/config.ts';
import { COMMANDS } from '../../../../commands/index.ts';
import { listremotesCommand } from '../../../../commands/remotes/remotes.ts';
import { systemClock } from '../../../../src/core/context.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import type { FlagRows } from '../../../../src/core/flags.ts';
import type { Command, Invocation } from '../../../../src/shell/command-line/command.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';

const FILE = `# mine
[x]
type = s3
; keys
access_key_id = AK
secret_access_key = s#e;c=r

[Other]
type = dropbox
token = {"a":"b"}
`;

let dir: string;
let path: string;
let events: SyncerEvent[];

/** Runs a command with the words behind `syncer`, and resolves to what it printed. */
async function run<Own extends FlagRows>(
  command: Command<Own>,
  words: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const line = parseCommandLine(words, {
    commands: COMMANDS,
    backendFlags: [],
    env,
    nowMs: 0,
  });
  let printed = '';
  const invocation = {
    args: line.args,
    flags: { ...line.flags, config: line.flags.config ?? path },
    env,
    consent: { how: 'all' },
    input: () => Readable.from([]),
    out: {
      colour: false,
      isTerminal: false,
      write: async (data: string) => {
        printed += data;
      },
    },
    context: {
      signal: new AbortController().signal,
      clock: systemClock,
      emit: (event: SyncerEvent) => events.push(event),
    },
  };
  await command(invocation as unknown as Invocation<Own>);
  return printed;
}
const config = (...args: string[]) => run(configCommand, ['config', ...args]);
const stored = () => fs.readFile(path, 'utf8');
const notices = () => events.map((event) => (event.type === 'log' ? messageOf(event) : event.type));
const failure = (code: string, text: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(text) });

beforeEach(async () => {
  dir = await fs.mkdtemp(join(tmpdir(), 'config-command-'));
  path = join(dir, 'c.conf');
  events = [];
  await fs.writeFile(path, FILE, { mode: 0o600 });
});
afterEach(() => fs.rm(dir, { recursive: true }));

describe('showing', () => {
  test('file', async () => {
    expect(await config('file')).toBe(`Configuration file is stored at:\n${path}\n`);
    await fs.rm(path);
    expect(await config('file')).toBe(
      `Configuration file doesn't exist, but syncer will use this path:\n${path}\n`,
    );
    expect(await config('file', '--config', '')).toBe('Configuration is in memory only\n');
    expect(events).toEqual([]);
  });

  test('paths', async () => {
    const printed = await run(configCommand, ['config', 'paths'], { XDG_CACHE_HOME: '/cache' });
    expect(printed).toBe(
      `Config file: ${path}\nCache dir:   /cache/syncer\nTemp dir:    ${tmpdir()}\n`,
    );
  });

  test('show', async () => {
    expect(await config('show')).toBe(`${FILE}\n`);
    expect(await config('show', 'Other:')).toBe('[Other]\ntype = dropbox\ntoken = {"a":"b"}\n');
    await expect(config('show', 'Othr')).rejects.toEqual(
      failure('command-line', /no remote named "Othr" in config file .*did you mean "Other"\?/),
    );
  });

  test('redacted: no secret, no account, nothing of an unknown backend', async () => {
    const end = '### Double check the config for sensitive info before posting publicly\n';
    await fs.writeFile(path, `${FILE}endpoint = e\n[y]\ntype = s3\nendpoint = http://u:pw@h\n`);
    expect(await config('redacted', 'x:')).toBe(
      `[x]\ntype = s3\naccess_key_id = XXX\nsecret_access_key = XXX\n${end}`,
    );
    expect(await config('redacted')).toBe(
      `[Other]\ntype = dropbox\ntoken = XXX\nendpoint = XXX\n\n[x]\ntype = s3\naccess_key_id = XXX\nsecret_access_key = XXX\n\n[y]\ntype = s3\nendpoint = http://u:REDACTED@h\n${end}`,
    );
  });

  test('dump', async () => {
    expect(JSON.parse(await config('dump'))).toEqual({
      x: { type: 's3', access_key_id: 'AK', secret_access_key: 's#e;c=r' },
      Other: { type: 'dropbox', token: '{"a":"b"}' },
    });
  });
});

describe('changing', () => {
  test('create adds a section', async () => {
    expect(await config('create', 'new one', 's3', 'provider=Other', 'env_auth', 'true')).toBe(
      '[new one]\ntype = s3\nprovider = Other\nenv_auth = true\n',
    );
    expect(await stored()).toBe(
      `${FILE}\n[new one]\ntype = s3\nprovider = Other\nenv_auth = true\n`,
    );
    expect(events).toEqual([]);
  });

  test('create in the place of an older section keeps nothing of it but comments', async () => {
    await config('create', 'x', 'memory');
    expect(await stored()).toBe(FILE.replace('s3', 'memory').replace(/access_key_id.*\n.*\n/, ''));
  });

  test('update changes only the keys it is told', async () => {
    expect(await config('update', 'x:', 'access_key_id=NEW', 'region=r')).toBe(
      '[x]\ntype = s3\naccess_key_id = NEW\nsecret_access_key = s#e;c=r\nregion = r\n',
    );
    expect(await stored()).toBe(
      FILE.replace('AK', 'NEW').replace('s#e;c=r\n', 's#e;c=r\nregion = r\n'),
    );
  });

  test('update does not make remotes', async () => {
    await expect(config('update', 'y', 'a=b')).rejects.toEqual(failure('command-line', /"y"/));
    expect(await stored()).toBe(FILE);
  });

  test('update of a remote of an unknown type stores the values as they are, and says so', async () => {
    await config('update', 'Other', 'a=b');
    expect(notices()).toEqual([expect.stringMatching(/dropbox/)]);
    const text = await stored();
    expect(text).toContain('a = b\n');
    expect(text.replace('a = b\n', '')).toBe(FILE);
  });

  test('a key that the type does not know is stored and told', async () => {
    await config('update', 'x', 'acces_key_id=a');
    expect(notices()).toEqual([expect.stringMatching(/^s3 has no option "acces_key_id"/)]);
    expect(await stored()).toContain('acces_key_id = a\n');
  });

  test('unset deletes keys, but never the type', async () => {
    expect(await config('unset', 'x', 'access_key_id', 'none')).toBe(
      '[x]\ntype = s3\nsecret_access_key = s#e;c=r\n',
    );
    expect(await stored()).toBe(FILE.replace('access_key_id = AK\n', ''));
    await expect(config('unset', 'x', 'type')).rejects.toEqual(failure('command-line', /type/));
    await expect(config('unset', 'z', 'k')).rejects.toEqual(failure('command-line', /"z"/));
  });

  test('--no-output prints nothing; a description is known to every type', async () => {
    expect(await config('update', 'x', 'description=my files', '--no-output')).toBe('');
    expect(await stored()).toContain('description = my files\n');
    expect(notices()).toEqual([]);
  });

  test('delete', async () => {
    expect(await config('delete', 'x')).toBe('');
    expect(await stored()).toBe(`# mine\n${FILE.slice(FILE.indexOf('[Other]'))}`);
    expect(await config('delete', 'x')).toBe('');
    expect(notices()).toEqual(['No remote named "x": nothing was deleted']);
  });

  test('touch makes the file and changes nothing in it', async () => {
    await config('touch');
    expect(await stored()).toBe(FILE);
    await fs.rm(path);
    await config('touch');
    expect(await stored()).toBe('');
  });

  test.each([
    ['create', '+/', 's3'],
    ['create', 'a:b', 's3'],
    ['create', 'new', 's3', 'key'],
    ['create', 'new', 's3', 'k=two\nlines'],
    ['create', 'new', 's3', '=v'],
  ])('refused: config %s %s %s %s', async (...args) => {
    const code = args[3]?.includes('=') ? 'usage' : 'command-line';
    await expect(config(...args)).rejects.toEqual(failure(code, /./));
    expect(await stored()).toBe(FILE);
  });

  test('an unknown type is refused', async () => {
    await expect(config('create', 'new', 's4')).rejects.toEqual(
      failure('command-line', /"new" has the unsupported type "s4".*did you mean "s3"\?/),
    );
  });
});

test('an unknown subcommand is told which there are', async () => {
  await expect(config('frobnicate')).rejects.toEqual(
    failure('usage', /: config create, update, new, edit, delete, /),
  );
});

test('the wizard writes nothing where its input ends', async () => {
  await expect(config()).rejects.toEqual(failure('no-answer', /nothing was written/));
  expect(await fs.readFile(path, 'utf8')).toBe(FILE);
});

describe('listremotes', () => {
  const list = (args: string[], env?: NodeJS.ProcessEnv) =>
    run(listremotesCommand, ['listremotes', ...args], env);

  test('prints names, with --long types as well', async () => {
    expect(await list([])).toBe('x:\nOther:\n');
    expect(await list(['--long'])).toBe('x:     s3      \nOther: dropbox \n');
  });

  test('knows remotes of the environment', async () => {
    expect(await list([], { SYNCER_CONFIG_ENV_TYPE: 'local' })).toBe('env:\nx:\nOther:\n');
  });

  test.each([
    [['s3'], 'x:\n'],
    [['THE'], 'Other:\n'],
    [['--type', 's'], 'x:\n'],
    [['--type', 'drop*', '--exact'], 'Other:\n'],
    [['--name', 'Othe', '--exact'], ''],
    [['--source', 'environment'], ''],
    [['{{^O}}', '--type', 'box'], 'Other:\n'],
    [['--order-by', 'type'], 'Other:\nx:\n'],
  ])('filters and sorts: %j', async (args, expected) => {
    expect(await list(args)).toBe(expected);
  });

  test('--json has all fields; a pattern that cannot be read is wrong usage', async () => {
    expect(await list(['--json', 'x', '--exact'])).toBe(
      '[\n{"name":"x","type":"s3","source":"file","description":""}\n]\n',
    );
    expect(await list(['--json', 'none'])).toBe('[\n]\n');
    await expect(list(['['])).rejects.toEqual(
      failure('command-line', /invalid filter: mismatched/),
    );
  });

  test('a missing file is no error', async () => {
    await fs.rm(path);
    expect(await list([])).toBe('');
    expect(notices()).toEqual([`Config file "${path}" not found - using defaults`]);
  });
});

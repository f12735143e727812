import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { variableMessages } from '../../../../src/shell/command-line/flag-notices.ts';
import { readCommandLine } from '../../../../src/shell/command-line/read-command-line.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncer-defaults-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const read = (words: string, env: NodeJS.ProcessEnv = {}) =>
  readCommandLine(COMMANDS, {
    argv: words.split(' '),
    env: { SYNCER_CONFIG: join(folder, 'syncer.conf'), ...env },
  });

const defaults = (text: string) => writeFile(join(folder, 'defaults.conf'), text);

const ALL = `
# as everywhere
[default]
transfers = 1
checkers = 1
exclude = *.tmp
[remote far]
transfers = 2
checkers = 2
[remote away:]
checkers = 3
[profile nightly]
checkers = 4
exclude = *.bak
exclude = *.old
dry-run = true
`;

test.each([
  ['copy a b', 1, 1],
  ['copy far:x b', 2, 2],
  ['copy far:x away:y', 2, 3],
  ['copy away:y far:x', 2, 2],
  ['copy far,chunk=1:x b --profile nightly', 2, 4],
  ['copy far:x b --profile=nightly --checkers 5', 2, 5],
])(
  '%s: the profile counts more than the remote, that more than the default',
  async (words, transfers, checkers) => {
    await defaults(ALL);
    expect((await read(words)).flags).toMatchObject({ transfers, checkers });
  },
);

test('a list grows, a variable counts more than the file, the command line more than both', async () => {
  await defaults(ALL);
  const env = { SYNCER_PROFILE: 'nightly', SYNCER_CHECKERS: '7', SYNCER_TRANSFERS: '7' };
  const line = await read('copy a b --exclude typed --transfers 8', env);
  expect(line.flags).toMatchObject({ transfers: 8, checkers: 7, 'dry-run': true });
  expect(line.flags.exclude).toEqual(['*.tmp', '*.bak', '*.old', 'typed']);
  expect(line.typed).toEqual(new Set(['exclude', 'transfers']));
  expect(variableMessages(line.variables)).toContain(
    `Setting --dry-run "true" from ${join(folder, 'defaults.conf')}, line 16`,
  );
});

test('flags of other commands do not matter, those of backends count', async () => {
  await defaults('[default]\nmax_depth = 3\n--create-empty-src-dirs = true\ns3-chunk-size = 8M\n');
  const line = await read('lsf a');
  expect(line.flags['max-depth']).toBe(3);
  expect(line.backendFlags).toEqual({ 's3-chunk-size': '8M' });
});

test.each([
  ['[default]\ntransferz = 1\n', 'line 2: unknown flag: transferz (did you mean transfers?)'],
  ['[default]\n\ntransfers = many\n', 'line 3: invalid value for transfers: '],
  ['[default]\nconfig = x\n', 'line 2: --config must be on the command line'],
  ['[profile a]\nprofile = b\n', 'line 2: --profile must be on the command line'],
  ['[nightly]\ntransfers = 1\n', 'line 1: no such section: [nightly]'],
  ['transfers = 1\n', 'line 1: no such section: [DEFAULT]'],
  ['[default]\nnonsense\n', 'line 2 is neither'],
])('%j is refused', async (text, message) => {
  await defaults(text);
  await expect(read('copy a b')).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining(message),
  });
});

test('help works with any file of defaults', async () => {
  await defaults('[default]\nnonsense\n');
  expect((await read('help sync')).args).toEqual(['sync']);
});

test('a profile that does not exist ends the program', async () => {
  await expect(read('copy a b --profile x')).rejects.toThrow('no profile "x"');
  await defaults(ALL);
  await expect(read('copy a b --profile x')).rejects.toThrow(
    /no profile "x" in .* \(it has nightly\)/,
  );
  expect((await read('copy a b --config=/dev/null')).flags.transfers).toBeUndefined();
});

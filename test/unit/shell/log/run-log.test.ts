import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { LogLevel } from '../../../../src/core/events.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';
import { logSettings, openRunLog } from '../../../../src/shell/log/run-log.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-log-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const settingsOf = (...words: string[]) => {
  const vocabulary = { commands: COMMANDS, backendFlags: [], env: {}, nowMs: 0 };
  return logSettings(parseCommandLine(['ls', ...words], vocabulary).flags);
};

const LEVELS: readonly LogLevel[] = ['error', 'notice', 'info', 'debug'];

test.each([
  [[], 2],
  [['-q'], 1],
  [['-v'], 3],
  [['-vv'], 4],
  [['-vvv'], 4],
  [['--log-level', 'ERROR'], 1],
  [['--log-level=debug'], 4],
])('%j shows the first %i levels', (words, shown) => {
  const lines: string[] = [];
  const log = openRunLog(settingsOf(...words), (text) => lines.push(text));
  for (const level of LEVELS) log.write({ timeMs: 0, level, message: level });
  expect(lines).toHaveLength(shown);
  expect(LEVELS.filter(log.shows)).toEqual(LEVELS.slice(0, shown));
});

test.each([['-q'], ['--log-level', 'ERROR'], []])(
  '--dump logs all, as in rclone: %j',
  (...words) => {
    expect(settingsOf('--dump', 'headers', ...words).level).toBe('debug');
  },
);

test('a log file gets the lines, at its end, with names as they are', async () => {
  const file = join(dir, 'log');
  for (const path of ['a', 'b\udcff']) {
    const log = openRunLog(settingsOf('--log-file', file), () => expect.unreachable());
    log.write({ timeMs: 0, level: 'error', path, message: 'x' });
    log.close();
  }
  const lines = (await readFile(file)).toString('latin1').trim().split('\n');
  expect(lines.map((line) => line.slice(20))).toEqual(['ERROR : a: x', 'ERROR : b\xff: x']);
  expect((await stat(file)).mode & 0o7).toBe(0);
});

test.each([
  ['nolevel', 'a: x\n'],
  [
    'json,pid',
    expect.stringMatching(/^\{"time":"[^"]+","level":"error","msg":"x",.*"pid":\d+\}\n$/),
  ],
])('--log-format %s', (format, expected) => {
  const lines: string[] = [];
  const log = openRunLog(settingsOf('--log-format', format), (text) => lines.push(text));
  log.write({ timeMs: 0, level: 'error', path: 'a', message: 'x' });
  expect(lines).toEqual([expected]);
});

test.each([
  ['text', []],
  ['JSON', ['--use-json-log']],
  ['a log file', ['--log-file', 'FILE']],
])('a secret in a message or in a cause reaches no log: %s', async (_, words) => {
  const lines: string[] = [];
  const file = join(dir, 'log');
  const settings = settingsOf('-vv', ...words.map((word) => (word === 'FILE' ? file : word)));
  const hide = (text: string) => text.replaceAll('SECRET', '***');
  const log = openRunLog(settings, (text) => lines.push(text), hide);
  const cause = Object.assign(new Error('refused SECRET'), { code: 'EPERM' });
  const error = new SyncerError('network', 'no', { cause });
  log.write({ timeMs: 0, level: 'error', message: 'the server said SECRET', error });
  log.write({ timeMs: 0, level: 'debug', message: 'Authorization: SECRET', showsSecrets: true });
  log.close();
  const written = lines.join('') || (await readFile(file, 'utf8'));
  expect(written).toContain('the server said ***');
  expect(written).toContain('refused ***');
  expect(written.split('SECRET')).toEqual([expect.anything(), expect.anything()]);
  expect(written).toContain('Authorization: SECRET');
});

test('--log-level off writes nothing', () => {
  const log = openRunLog(settingsOf('--log-level', 'OFF'), () => expect.unreachable());
  log.write({ timeMs: 0, level: 'error', message: 'x' });
  expect(log.shows('error')).toBe(false);
});

test('a log file that cannot be opened is told before anything is done', () => {
  const file = join(dir, 'no/log');
  const refusal = {
    code: 'usage',
    message: `cannot open the log file ${file}: no such file or directory`,
  };
  expect(() => openRunLog(settingsOf('--log-file', file), () => {})).toThrow(
    expect.objectContaining(refusal),
  );
});

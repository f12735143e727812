import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openConfigFile } from '../../../src/config/config-file.ts';
import { passwordSource, splitCommand } from '../../../src/config/config-password.ts';
import { keyOfPassword } from '../../../src/config/encrypted-config.ts';
import { setIniValue } from '../../../src/config/ini-edit.ts';
import { iniText } from '../../../src/config/ini-lines.ts';
import type { ErrorCode } from '../../../src/core/errors.ts';

/** Written by rclone 1.60.1 with the password `pässword one`. */
const FROM_RCLONE =
  '# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\ndD5aMy2R34MKlAWVUqBiO+iHrsUBBaQ3X6x4AR0v8EAs5Fu65IthMnOOHuUoZ9nKmbBsfeqf3SZ+dA==';

let dir: string;
let path: string;
const open = (password: string) =>
  openConfigFile(
    path,
    () => {},
    async () => password,
  );
const failure = (code: ErrorCode, text: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(text) });

beforeEach(async () => {
  dir = await fs.mkdtemp(join(tmpdir(), 'encrypted-config-'));
  path = join(dir, 'c.conf');
  await fs.writeFile(path, FROM_RCLONE);
});
afterEach(() => fs.rm(dir, { recursive: true }));

describe('a file that rclone encrypted', () => {
  test('is read, also where the password is written otherwise in Unicode', async () => {
    const expected = '[x]\ntype = local\n\n';
    expect(iniText(await open('pässword one').read())).toBe(expected);
    expect(iniText(await open('pa\u0308ssword one').read())).toBe(expected);
  });

  test.each([
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${FROM_RCLONE}`)],
    ['UTF-16', Buffer.from(`\ufeff${FROM_RCLONE}`, 'utf16le')],
  ])('is read in %s', async (_, bytes) => {
    await fs.writeFile(path, bytes);
    expect(iniText(await open('pässword one').read())).toBe('[x]\ntype = local\n\n');
  });

  test('opens with a password from a file that begins with a byte order mark', async () => {
    for (const encoding of ['utf8', 'utf16le'] as const) {
      await fs.writeFile(join(dir, 'password'), '\ufeffpässword one\r\n', encoding);
      const source = passwordSource(`cat ${dir}/password`, process.env);
      const file = openConfigFile(path, () => {}, source);
      expect(iniText(await file.read())).toBe('[x]\ntype = local\n\n');
    }
  });

  test('opens with the mark, if it was encrypted with it', async () => {
    await open('pässword one').update(
      (lines) => lines,
      () => keyOfPassword('\ufeffother'),
    );
    await fs.writeFile(join(dir, 'password'), '\ufeffother\n');
    const source = passwordSource(`cat ${dir}/password`, process.env);
    const file = openConfigFile(path, () => {}, source);
    expect(iniText(await file.read())).toBe('[x]\ntype = local\n\n');
  });

  test('stays encrypted when a key changes', async () => {
    await open('pässword one').update((lines) => setIniValue(lines, 'x', 'k', 'hunter2'));
    const stored = await fs.readFile(path, 'utf8');
    expect(stored).toMatch(/^# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\n\S+$/);
    expect(iniText(await open('pässword one').read())).toBe('[x]\ntype = local\nk = hunter2\n\n');
  });

  const cut = FROM_RCLONE.slice(0, 80);

  test.each<[string, string, string, ErrorCode, RegExp]>([
    ['a wrong password', FROM_RCLONE, 'wrong', 'config-password', /the password is wrong/],
    [
      'a changed byte',
      FROM_RCLONE.replace(/....$/, 'AAAA'),
      'pässword one',
      'config-password',
      /damaged/,
    ],
    ['a cut content', cut, 'pässword one', 'config', /truncated/],
    ['another format', 'RCLONE_ENCRYPT_V1:\nAAAA', 'pässword one', 'config', /newer rclone/],
  ])('%s is told', async (_, content, password, code, why) => {
    await fs.writeFile(path, content);
    await expect(open(password).read()).rejects.toEqual(failure(code, why));
  });
});

describe('the password', () => {
  const first = (command: string | undefined, env: NodeJS.ProcessEnv) =>
    passwordSource(command, { PATH: process.env['PATH'], ...env })();

  test('comes from the command, then the environment', async () => {
    const env = { SYNCER_CONFIG_PASS: 'a', RCLONE_CONFIG_PASS: 'b' };
    expect(await first('printf "c d\\n"', env)).toBe('c d');
    expect(await first(undefined, env)).toBe('a');
    expect(await first('', { RCLONE_CONFIG_PASS: 'b' })).toBe('b');
  });

  test('missing or not to be had', async () => {
    await expect(first(undefined, {})).rejects.toEqual(
      failure('config-password', /SYNCER_CONFIG_PASS/),
    );
    await expect(first('true', {})).rejects.toEqual(
      failure('config', /"true" failed: it printed nothing/),
    );
    await expect(first('sh -c "echo gone >&2; false"', {})).rejects.toEqual(
      failure('config', /gone$/),
    );
    await expect(first('/no/such/program', {})).rejects.toEqual(failure('config', /ENOENT/));
  });

  test('the command is asked once', async () => {
    const source = passwordSource(`sh -c "echo x >> ${dir}/asked; echo secret"`, process.env);
    expect([await source(), await source()]).toEqual(['secret', 'secret']);
    expect(await fs.readFile(`${dir}/asked`, 'utf8')).toBe('x\n');
  });

  test('a command is split as rclone does', () => {
    expect(splitCommand('pass  show "my ""own"" key"')).toEqual(['pass', 'show', 'my "own" key']);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dumpConfig, formatConfig } from '../../../commands/config/show-config.ts';
import { openConfigFile } from '../../../src/config/config-file.ts';
import { setIniValue } from '../../../src/config/ini-edit.ts';
import { iniSections, parseIni } from '../../../src/config/ini-lines.ts';
import { obscure, reveal } from '../../../src/config/obscure.ts';
import { type NamedRemote, namedRemotes, remoteLines } from '../../../src/config/remote-names.ts';
import { nameFromBytes } from '../../../src/core/name-bytes.ts';
import { hasRclone, isRcloneNow, runRclone } from '../../support/rclone.ts';

let dir: string;
let path: string;

/** What rclone prints with the configuration at `path`; rejects where it fails. */
async function rclone(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runRclone(args, { cwd: dir, config: path });
  if (code !== 0) throw new Error(stderr);
  return stdout.toString();
}

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'beside-rclone-'));
  path = join(dir, 'c.conf');
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Files without quotes or `%(…)s` around values, which rclone interprets and syncer takes literally. */
const FILES = {
  plain: '[x]\ntype = local\n\n[s3]\ntype = s3\nprovider = Other\nenv_auth = false\n\n',
  'odd values': '[x]\na = # ; = [y] {"k":"v","l":[1,2]} "q" \'r\' \\n %s\nb = a=b:c\nc=\nd =   \n',
  'odd spacing': '\n  [ x y ]\t\n\t a b =  v w  \n\n\n[Z.z]\nk:v\n k=v2\n',
  'CRLF, BOM, no last newline': '\ufeff[x]\r\ntype = s3\r\nk = v\r\n[x]\r\nk = 2\r\nl = 3',
  'keys above any header': 'a = b\n[x]\ntype = local\n',
  comments: '# top\n[x]\n; in\nk = v\n\n# of y\n[y]\n# end of y\nl = w\n',
  'letters of the world': '[größe 1]\nk = é漢😀\u00a0x\u2028y\n',
  'characters that JSON escapes': '[x]\nk = <a> & \\b \\\\ \b \f \t x "\n',
  'the longest name counts': '[a]\ntype = s3\n[a long name]\n[b]\ntype = nobody knows\n',
  empty: '',
};

const ENCRYPTED =
  '# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\ndD5aMy2R34MKlAWVUqBiO+iHrsUBBaQ3X6x4AR0v8EAs5Fu65IthMnOOHuUoZ9nKmbBsfeqf3SZ+dA==';

describe.skipIf(!hasRclone)('beside rclone', () => {
  test.each(Object.entries(FILES))('%s', async (_, text) => {
    writeFileSync(path, text);
    const lines = parseIni(nameFromBytes(Buffer.from(text)), 'f');
    const sections = iniSections(lines);
    // The same JSON: a newer Go writes \b and \f by their letters.
    const dumped = (await rclone('config', 'dump')).replace('\\b \\f', '\\u0008 \\u000c');
    expect(dumpConfig(sections)).toBe(dumped);
    // What has no type is not listed since rclone 1.68.
    const isListed = ({ type }: NamedRemote) => !isRcloneNow || type !== '';
    const remotes = namedRemotes(sections, {}, () => true).filter(isListed);
    // rclone 1.75 keeps the order of the file and pads the types; 1.60 sorts by name.
    const listing = (long: boolean) => remoteLines(remotes, long).map((line) => line.trimEnd());
    const linesOf = (text: string) => text.split('\n').map((line) => line.trimEnd());
    const sorted = (found: readonly string[]) => found.filter((line) => line !== '').sort();
    expect(sorted(listing(false))).toEqual(sorted(linesOf(await rclone('listremotes'))));
    expect(sorted(listing(true))).toEqual(sorted(linesOf(await rclone('listremotes', '--long'))));
  });

  test.each(['plain', 'odd values', 'comments', 'letters of the world', 'empty'] as const)(
    'the whole file is shown alike: %s',
    async (name) => {
      writeFileSync(path, FILES[name]);
      expect(formatConfig(parseIni(FILES[name], 'f'))).toBe(await rclone('config', 'show'));
    },
  );

  test.each(['[x\n', '[x] # c\n', '[x]\nword\n', '[x]\n= v\n', '[]\nk=v\n', '\x00\x01\n'])(
    'both refuse %j',
    async (text) => {
      writeFileSync(path, text);
      await expect(rclone('listremotes')).rejects.toThrow(/Failed to load config file/);
      expect(() => parseIni(text, 'f')).toThrow();
    },
  );

  test('passwords are obscured for each other', async () => {
    expect(reveal((await rclone('obscure', 'pässword')).trim())).toBe('pässword');
    expect(await rclone('reveal', '--', obscure('pässword'))).toBe('pässword\n');
  });

  test('rclone reads what syncer encrypts', async () => {
    // Encrypted by rclone 1.60.1 with the password `pässword one`: `[x]`, `type = local`.
    writeFileSync(path, ENCRYPTED);
    const file = openConfigFile(
      path,
      () => {},
      async () => 'pässword one',
    );
    await file.update((lines) => setIniValue(lines, 'x', 'k', 'hunter2'));
    const shown = await rclone('config', 'show', '--password-command', 'echo pässword one');
    expect(shown).toBe('[x]\ntype = local\nk = hunter2\n\n');
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import {
  decryptConfig,
  encryptConfig,
  isEncrypted,
  keyOfPassword,
} from '../../src/config/encrypted-config.ts';
import { setIniValue } from '../../src/config/ini-edit.ts';
import { iniSections, iniText, parseIni } from '../../src/config/ini-lines.ts';

/** What `installFakeRclone` installs, but for what the shell answers, and for remotes, which `fake-remote-control.ts` opens. */
const argv = process.argv.slice(2);
const words = argv.filter((word) => !word.startsWith('-'));
const { env } = process;

const YES_NO = [
  { Value: 'true', Help: 'Yes' },
  { Value: 'false', Help: 'No' },
];
const question = (Name: string, more: object) => ({
  ...{ Name, Help: `${Name}?`, Type: 'string', DefaultStr: '', Required: false, Exclusive: false },
  ...more,
});

async function changeConfig(change: (text: string, name: string) => string | Promise<string>) {
  const path = env['RCLONE_CONFIG'] ?? '';
  const bytes = readFileSync(path);
  const secret = env['RCLONE_CONFIG_PASS'] ?? '';
  const { text } = await decryptConfig(bytes, path, async () => secret);
  const changed = Buffer.from(await change(Buffer.from(text).toString(), words[2] ?? ''));
  const isSealed = isEncrypted(bytes);
  writeFileSync(path, isSealed ? await encryptConfig(changed, keyOfPassword(secret)) : changed);
}

/** One step of the dialogue after the options: the login of `box`, and nothing for others. */
async function update() {
  const state = env['RCLONE_STATE'] ?? '';
  const result = env['RCLONE_RESULT'] ?? '';
  let answer: object = { State: '', Option: null, Error: '', Result: '' };
  const ask = (State: string, Option: object | null, fault = '') => {
    answer = { State, Option, Error: fault, Result: '' };
  };
  await changeConfig((text, name) => {
    const lines = parseIni(text, 'config');
    const section = iniSections(lines).get(name);
    if (section === undefined) throw new Error(`couldn't find remote "${name}"`);
    if (section.get('type') !== 'box') return text;
    const withToken = (token: string) => iniText(setIniValue(lines, name, 'token', token));
    if (state === '') {
      const more = { Type: 'bool', DefaultStr: 'true', Exclusive: true, Examples: YES_NO };
      ask('*oauth-islocal,,,', question('config_is_local', more));
    } else if (state === '*oauth-islocal,,,' && result === 'true') {
      const link = 'http://127.0.0.1:53682/auth?state=x';
      process.stderr.write(`2026/11/20 12:00:00 NOTICE: Go to the following link: ${link}\n`);
      return withToken('{"access_token":"by the browser"}');
    } else if (state === '*oauth-islocal,,,') {
      ask('*oauth-authorize,,,', question('config_token', { Help: 'rclone authorize "box"' }));
    } else if (state === '*oauth-authorize,,,') {
      if (result.startsWith('{')) return withToken(result);
      ask('*oauth-islocal,,,', null, 'invalid character');
    } else throw new Error(`unknown state "${state}"`);
    return text;
  });
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

async function main() {
  const secret = env['RCLONE_CONFIG_PASS'];
  if (secret && argv.some((word) => word.includes(secret))) throw new Error('shown');
  const command = words.slice(0, 2).join(' ');
  if (command === 'config update') return update();
  if (command === 'config userinfo') return process.stdout.write(`{"name":"${words[2]}"}\n`);
  if (command === 'config disconnect') return changeConfig((text) => `${text}# disconnected\n`);
  if (command === 'backend features') return process.stdout.write('{"Name":"of rclone"}\n');
  throw new Error(`unknown command "${argv.join(' ')}"`);
}

main().catch((error: Error) => {
  process.stderr.write(`2026/11/20 12:00:00 NOTICE: Fatal error: ${error.message}\n`);
  process.exitCode = 2;
});

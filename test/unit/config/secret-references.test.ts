// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like that
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withSecrets } from '../../../src/config/secret-references.ts';

let dir = '';
let env: NodeJS.ProcessEnv = {};

/** A `secret-tool` that writes what it is called with beside itself. */
const SECRET_TOOL = `#!/bin/sh
printf '%s\\n' "$*" >> "$(dirname "$0")/calls"
case "$5" in
  ring) printf 'from the keyring' ;;
  locked) echo 'secret-tool: Cannot autolaunch D-Bus' >&2; exit 1 ;;
  *) exit 1 ;;
esac
`;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-references-'));
  await writeFile(join(dir, 'key'), 'from a file\r\n\n', { mode: 0o600 });
  await writeFile(join(dir, 'empty'), '\n');
  await writeFile(join(dir, 'secret-tool'), SECRET_TOOL);
  await chmod(join(dir, 'secret-tool'), 0o755);
  env = { PATH: `${dir}:${process.env['PATH']}`, KEY: 'from env', CREDENTIALS_DIRECTORY: dir };
});
afterAll(() => rm(dir, { recursive: true }));

async function resolved(text: string, more: NodeJS.ProcessEnv = {}) {
  const secrets: string[] = [];
  const { signal } = new AbortController();
  const options = await withSecrets(
    { endpoint: 'http://here', secret_access_key: text.replace('@', dir) },
    {
      ...{ remote: 'photos', env: { ...env, ...more }, signal },
      onSecret: (secret) => secrets.push(secret),
    },
  );
  expect(options['endpoint']).toBe('http://here');
  return [options['secret_access_key'], secrets];
}

test.each([
  ['${env:KEY}', 'from env'],
  ['${file:@/key}', 'from a file'],
  ['${credential:key}', 'from a file'],
])('%s', async (text, value) => {
  expect(await resolved(text)).toEqual([value, [value]]);
});

test.each(['x${env:KEY}', '${env:KEY}x', '$KEY', '${KEY}', '${pass:KEY}', ''])(
  '"%s" is no reference',
  async (text) => {
    expect(await resolved(text)).toEqual([text, []]);
  },
);

test.each([
  ['${env:NOPE}', 'not set in the environment'],
  ['${file:@/nope}', 'no such file'],
  ['${file:key}', 'the path must be absolute'],
  ['${file:@}', 'cannot be read: EISDIR'],
  ['${file:/dev/zero}', 'cannot be read: ENODEV'],
  ['${file:@/empty}', 'it is empty'],
  ['${credential:../key}', 'not a valid credential name'],
  ['${keyring:syncer}', 'the name must be service/account'],
  ['${keyring:-x/y}', 'the name must be service/account'],
])('%s: %s', async (text, why) => {
  const reference = text.replace('@', dir);
  await expect(resolved(text)).rejects.toMatchObject({
    code: 'config',
    message: `remote "photos": secret_access_key = ${reference}: ${why}`,
  });
});

test.runIf(process.platform === 'linux').each([
  ['${keyring:syncer/locked}', {}, 'secret-tool: secret-tool: Cannot autolaunch D-Bus'],
  ['${keyring:syncer/other}', {}, 'not in the keyring'],
  ['${keyring:syncer/ring}', { PATH: '/nope' }, 'install the package libsecret-tools'],
])('%s %j: %s', async (text, more, why) => {
  await expect(resolved(text, more)).rejects.toThrow(why);
});

test.runIf(process.platform === 'linux')('the keyring is asked once for one run', async () => {
  const { signal } = new AbortController();
  const asked = new Map<string, Promise<string>>();
  const references = { remote: 'photos', env, signal, onSecret: () => {}, asked };
  const options = { client_secret: '${keyring:syncer/ring}' };
  for (let time = 0; time < 2; time++) {
    expect(await withSecrets(options, references)).toEqual({ client_secret: 'from the keyring' });
  }
  const { readFile } = await import('node:fs/promises');
  const calls = (await readFile(join(dir, 'calls'), 'utf8')).split('\n');
  expect(calls.filter((line) => line.endsWith(' ring'))).toEqual([
    'lookup service syncer username ring',
  ]);
});

import { expect, test } from 'vitest';
import { openConfigFile } from '../../../../src/config/config-file.ts';
import { iniSections, parseIni } from '../../../../src/config/ini-lines.ts';
import { reveal } from '../../../../src/config/obscure.ts';
import { parseRemoteSpec } from '../../../../src/config/remote-spec.ts';
import { optionVariables, rcloneSettings } from '../../../../src/run/remotes/rclone-settings.ts';
import type { CommandLine } from '../../../../src/shell/command-line/command.ts';

const file = openConfigFile(
  undefined,
  () => {},
  async () => '',
);

/** The variables that rclone gets for `nas:`. */
async function variables(
  env: NodeJS.ProcessEnv,
  line: Partial<CommandLine> = {},
  section = '[nas]\ntype = sftp\n',
) {
  const settings = await rcloneSettings({
    ...{ spec: parseRemoteSpec('nas:x'), type: 'sftp', env, file },
    line: { flags: {}, variables: [], flagWords: [], backendFlags: {}, ...line } as CommandLine,
    config: iniSections(parseIni(section, 'config')),
    references: { env, signal: new AbortController().signal, onSecret: () => {} },
  });
  return settings.env;
}

test('variables of backends and of remotes are passed on, by both names', async () => {
  const env = {
    ...{ PATH: '/bin', RCLONE_SFTP_HOST: 'a', SYNCER_SFTP_USER: 'b', RCLONE_GCS_TOKEN: 't' },
    ...{ RCLONE_CONFIG_NAS_PORT: '1', SYNCER_CONFIG_NAS_PASS: 'p' },
    ...{ RCLONE_SFTP_SSH: 'theirs', SYNCER_SFTP_SSH: 'ours' },
  };
  expect(await variables(env)).toEqual({
    ...{ PATH: '/bin', RCLONE_SFTP_HOST: 'a', RCLONE_SFTP_USER: 'b', RCLONE_GCS_TOKEN: 't' },
    ...{ RCLONE_CONFIG_NAS_PORT: '1', RCLONE_CONFIG_NAS_PASS: 'p', RCLONE_SFTP_SSH: 'ours' },
  });
});

test('others of the programs are not, and no password of the configuration', async () => {
  const env = { RCLONE_DRY_RUN: '1', SYNCER_LOG_FILE: '/x', RCLONE_CONFIG: '/y' };
  const more = { RCLONE_CONFIG_PASS: 'p', SYNCER_CONFIG_PASS: 'p', RCLONE_CONFIG_DIR: '/z' };
  expect(await variables({ ...env, ...more })).toEqual({});
});

test('flags of backends are variables, too, and win', async () => {
  const backendFlags = { 'sftp-host': 'b', 'crypt-show-mapping': 'true' };
  expect(await variables({ RCLONE_SFTP_HOST: 'a' }, { backendFlags })).toEqual({
    ...{ RCLONE_SFTP_HOST: 'b', RCLONE_CRYPT_SHOW_MAPPING: 'true' },
  });
});

test.each([
  ['layers', undefined],
  ['headers,Layers', 'headers'],
  ['auth, layers,bodies', 'auth,bodies'],
  ['headers', 'headers'],
])('--dump %s reaches rclone as %s, without the word that it refuses', async (given, passed) => {
  const { RCLONE_DUMP } = await variables({}, { flagWords: [`--dump=${given}`] });
  expect(RCLONE_DUMP).toBe(passed);
});

test('a reference to a secret is a variable of its remote; a password is obscured', async () => {
  const section = '[nas]\ntype = sftp\npass = $\x7benv:P}\nkey-pem = $\x7benv:P}\n';
  const { RCLONE_CONFIG_NAS_PASS, RCLONE_CONFIG_NAS_KEY_PEM } = await variables(
    { P: 'secret' },
    {},
    section,
  );
  expect(reveal(RCLONE_CONFIG_NAS_PASS ?? '')).toBe('secret');
  expect(RCLONE_CONFIG_NAS_KEY_PEM).toBe('secret');
});

test('the variables of options have the name of the remote in capitals', () => {
  expect(optionVariables('my nas', { 'chunk-size': '1' })).toEqual({
    'RCLONE_CONFIG_MY NAS_CHUNK_SIZE': '1',
  });
});

test('rclone gets its own name of a type, for every remote, option and variable of it', async () => {
  const section =
    '[nas]\ntype = crypt\nremote = od:x\n[od]\ntype = drive_provider_a\n[o2]\ntype = onedrive\n';
  const backendFlags = { 'drive-provider-a-chunk-size': '320Ki' };
  const env = { SYNCER_DRIVE_PROVIDER_A_REGION: 'us', RCLONE_CONFIG_E_TYPE: 'drive_provider_a' };
  expect(await variables(env, { backendFlags }, section)).toEqual({
    ...{ RCLONE_CONFIG_OD_TYPE: 'onedrive', RCLONE_CONFIG_E_TYPE: 'onedrive' },
    ...{ RCLONE_ONEDRIVE_REGION: 'us', RCLONE_ONEDRIVE_CHUNK_SIZE: '320Ki' },
  });
});

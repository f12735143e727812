import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const BOOL = { Type: 'bool', DefaultStr: 'false' };
const TOKEN = { Name: 'token', Help: 'OAuth Access Token as a JSON blob.', Sensitive: true };

/** Some of what `rclone config providers` prints: passwords, a login, several providers, a type that syncer has itself. */
export const FAKE_PROVIDERS = [
  provider('sftp', 'SSH/SFTP', [
    {
      ...{ Name: 'host', Required: true, Sensitive: true },
      Help: 'SSH host\nto connect to.\n\nE.g. "example.com".',
    },
    { Name: 'user', Help: 'SSH username', DefaultStr: 'root', Sensitive: true },
    { Name: 'port', Help: 'SSH port number.', DefaultStr: '22', Type: 'int' },
    { Name: 'pass', Help: 'SSH password.', IsPassword: true },
    { Name: 'key_pem', Help: 'Raw PEM-encoded private key.', Sensitive: true },
    { Name: 'disable_hashcheck', Help: 'Disable hashes.', ...BOOL, Advanced: true },
    { Name: 'chunk_size', Help: 'Size.', DefaultStr: '32Ki', Type: 'SizeSuffix', Advanced: true },
    { Name: 'pin_host_key', Help: 'Pin the host key.', Hide: 2 },
  ]),
  provider('box', 'Box', [
    { Name: 'client_id', Help: 'OAuth Client Id.\n\nLeave blank normally.', Sensitive: true },
    { ...TOKEN, Advanced: true },
  ]),
  provider('koofr', 'Koofr and others', [
    {
      ...{ Name: 'provider', Help: 'Choose your storage provider.' },
      Examples: [
        { Value: 'koofr', Help: 'Koofr' },
        { Value: 'other', Help: 'Any other' },
      ],
    },
    { Name: 'endpoint', Help: 'The API endpoint.', Required: true, Provider: 'other' },
    { Name: 'password', Help: 'For Koofr.', IsPassword: true, Required: true, Provider: 'koofr' },
    { Name: 'password', Help: 'For others.', IsPassword: true, Required: true, Provider: 'other' },
  ]),
  provider(
    'google cloud storage',
    'Google Cloud Storage',
    [{ Name: 'decompress', Help: 'Decompress gzip.', ...BOOL }, TOKEN],
    'gcs',
  ),
  provider('s3', 'Amazon S3', [{ Name: 'provider', Help: 'Choose your S3 provider.' }]),
];

function provider(Name: string, Description: string, Options: readonly object[], Prefix = Name) {
  const usual = { Type: 'string', DefaultStr: '', Sensitive: false, IsPassword: false, Hide: 0 };
  const options = Options.map((given) => ({
    ...usual,
    Required: false,
    Advanced: false,
    Exclusive: false,
    ...given,
  }));
  return { Name, Description, Prefix, Options: options, Aliases: null };
}

/**
 * Installs a program `rclone` that knows these providers and one login, and opens the remotes that
 * `fake-remote-control.ts` describes; resolves to its directory. The file `lie` in it has the lie that it tells.
 */
export async function installFakeRclone(parent: string, version = 'v1.75.2'): Promise<string> {
  const dir = join(parent, 'fake-rclone');
  await mkdir(dir, { recursive: true });
  const program = join(import.meta.dirname, 'fake-rclone-program.ts');
  await writeFile(join(dir, 'providers'), JSON.stringify(FAKE_PROVIDERS));
  await writeFile(join(dir, 'lie'), '');
  const control = join(import.meta.dirname, 'fake-remote-control.ts');
  const script = `#!/bin/sh
PATH=/usr/bin:/bin
case "$*" in
*--rc-addr=*) FAKE_RCLONE_LIE="${dir}/lie" exec "${process.execPath}" "${control}" "$@";;
version) echo "rclone ${version}";;
*"config providers") cat "${dir}/providers";;
*) exec "${process.execPath}" "${program}" "$@";;
esac
`;
  await writeFile(join(dir, 'rclone'), script);
  await chmod(join(dir, 'rclone'), 0o755);
  return dir;
}

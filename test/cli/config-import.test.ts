import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { decryptConfig, encryptConfig, keyOfPassword } from '../../src/config/encrypted-config.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';

const world = await makeSyncerWorld();
afterAll(() => world.remove());

const foreign = join(world.dir, 'rclone.conf');
const RCLONE = `# of rclone
[photos]
type = s3
provider = Other
secret_access_key = a#b;c

[box]
type = dropbox
token = {"x":1}

[drive in]
type = alias
remote = box:in

[short]
type = alias
remote = photos:bucket

[broken]
remote = x
`;

const TOKEN = 'token = {"access_token":"a","token_type":"Bearer","refresh_token":"r"}';
const PASS = 'pass = DPEf81jC3XK0WNULDX3WyvLjarkv268';
const MANY: Readonly<Record<string, readonly string[]>> = {
  aws: ['type = s3', 'provider = AWS', 'access_key_id = A', 'secret_access_key = s'],
  minio: ['type = s3', 'provider = Minio', 'endpoint = http://127.0.0.1:9000'],
  wasabi: ['type = s3', 'provider = Wasabi', 'region = eu-central-1'],
  work: ['type = onedrive', TOKEN, 'drive_id = b!x', 'drive_type = business'],
  disk: ['type = local'],
  gdrive: ['type = drive', 'scope = drive', TOKEN, 'team_drive = '],
  'gdrive-crypt': ['type = crypt', 'remote = gdrive:enc', `password = ${PASS.slice(7)}`],
  'aws crypt': ['type = crypt', 'remote = aws:bucket/enc', `password = ${PASS.slice(7)}`],
  box: ['type = dropbox', TOKEN],
  backup: ['type = b2', 'account = 0123', 'key = K001'],
  nas: ['type = sftp', 'host = nas.example.com', 'user = me', PASS],
  cloud: ['type = webdav', 'url = https://cloud.example.com/dav', 'vendor = nextcloud', PASS],
  shares: ['type = smb', 'host = 192.0.2.7', PASS],
  old: ['type = ftp', 'host = ftp.example.com', 'explicit_tls = true', PASS],
  all: ['type = union', 'upstreams = disk:a aws:bucket:ro'],
  both: ['type = combine', 'upstreams = one=gdrive: two=box:'],
  parts: ['type = chunker', 'remote = backup:b', 'chunk_size = 1Gi'],
  gcs: ['type = google cloud storage', 'project_number = 1', TOKEN],
  docs: ['type = alias', 'remote = gdrive-crypt:docs'],
};

beforeEach(async () => {
  await writeFile(foreign, RCLONE);
  await rm(world.config, { force: true });
});

const env = { HOME: world.dir, SYNCER_CONFIG: world.config, PATH: '/nonexistent' };

/** Runs `config` with these words. */
const config = (words: readonly string[], more: NodeJS.ProcessEnv = {}, input = '') =>
  runInProcess(['config', ...words], { ...env, ...more }, { input });
const stored = () => readFile(world.config, 'utf8');

test('takes over remotes of every type, and aliases of them', async () => {
  const { code, stdout, stderr } = await config(['import', foreign]);
  expect(stderr).toContain(
    '4 remotes imported, 1 skipped: change what is wrong with each, and import again; opened through an installed rclone: box\n',
  );
  expect(stdout).toBe(
    [
      'photos: (s3) imported',
      'box: (dropbox) imported',
      'drive in: (alias) imported',
      'short: (alias) imported',
      'broken: skipped: no type, or an invalid name',
      '',
    ].join('\n'),
  );
  expect(code).toBe(0);
  const imported = RCLONE.replace('# of rclone\n', '').replace('\n[broken]\nremote = x\n', '');
  expect(await stored()).toBe(imported);
  expect(await readFile(foreign, 'utf8')).toBe(RCLONE);
});

test('an alias of a remote that does not exist is skipped, and one of itself', async () => {
  await writeFile(foreign, '[a]\ntype = alias\nremote = gone:x\n[b]\ntype = alias\nremote = b:\n');
  const { stdout } = await config(['import', foreign]);
  expect(stdout).toBe(
    ['a', 'b']
      .map((name) => `${name}: (alias) skipped: the remote that it stands for does not exist\n`)
      .join(''),
  );
});

test('a configuration of nineteen remotes of many types is imported whole', async () => {
  const sections = Object.entries(MANY).map(
    ([name, lines]) => `[${name}]\n${lines.map((line) => `${line}\n`).join('')}`,
  );
  await writeFile(foreign, sections.join('\n'));
  const { stdout } = await config(['import', foreign]);
  expect(stdout.match(/^.*: \(.*\) imported$/gm)).toHaveLength(19);
  expect(await stored()).toBe(await readFile(foreign, 'utf8'));
  const listed = await runInProcess(['listremotes', '--json'], env);
  const types = (JSON.parse(listed.stdout) as readonly { type: string }[]).map(({ type }) => type);
  expect(types).toEqual(Object.values(MANY).map(([type = '']) => type.replace('type = ', '')));
});

test('another remote of the same name stays unless --force is given', async () => {
  const mine = '# mine\n[photos]\ntype = s3\nendpoint = e\n';
  await writeFile(world.config, mine);
  const first = await config(['import', foreign]);
  expect(first.stdout).toMatch(/^photos: \(s3\) skipped: the name .*--force/);
  expect(await stored()).toMatch(/^# mine\n\[photos\]\ntype = s3\nendpoint = e\n/);
  const forced = await config(['import', foreign, '--force']);
  expect(forced.stdout).toMatch(/^photos: \(s3\) replaced/);
  expect(forced.stdout).toContain('short: (alias) skipped: already imported\n');
  expect(await stored()).toMatch(/^# mine\n\[photos\]\ntype = s3\nprovider = Other\n/);
});

test('--dry-run tells what would be done and writes nothing', async () => {
  const { stdout, stderr } = await config(['import', foreign, '--dry-run']);
  expect(stdout).toMatch(/^photos: \(s3\) would be imported\n/);
  expect(stderr).toContain('Skipped update of the configuration as --dry-run is set');
  await expect(stored()).rejects.toThrow('ENOENT');
  await writeFile(world.config, '[photos]\ntype = s3\nendpoint = e\n');
  const forced = await config(['import', foreign, '--force', '--dry-run']);
  expect(forced.stdout).toMatch(/^photos: \(s3\) would be replaced\n/);
});

test.each([
  ['RCLONE_CONFIG', 'elsewhere.conf'],
  ['XDG_CONFIG_HOME', 'rclone/rclone.conf'],
  ['', '.config/rclone/rclone.conf'],
  ['', '.rclone.conf'],
])("without a file it is rclone's own: %s %s", async (variable, file) => {
  const home = join(world.dir, `home${file.replaceAll('/', '-')}`);
  await mkdir(join(home, file, '..'), { recursive: true });
  await writeFile(join(home, file), '[found]\ntype = local\n');
  const value = variable === 'RCLONE_CONFIG' ? join(home, file) : home;
  const more = { HOME: home, ...(variable === '' ? {} : { [variable]: value }) };
  expect(await config(['import'], more)).toMatchObject({ stdout: 'found: (local) imported\n' });
});

test('no configuration of rclone, or one that is not there, is an error', async () => {
  const nowhere = await config(['import'], { HOME: '/nonexistent' });
  expect(nowhere).toMatchObject({ code: 1, stdout: '' });
  expect(nowhere.stderr).toContain('no rclone configuration found');
  const missing = await config(['import', join(world.dir, 'none')]);
  expect(missing.stderr).toMatch(/ERROR : config: file not found: ".*none"\n$/);
  expect((await config(['import', world.config])).code).toBe(1);
});

test.each([
  ['RCLONE_CONFIG_PASS', { RCLONE_CONFIG_PASS: 'pw' }, [], ''],
  ['--password-command', { PATH: process.env['PATH'] }, ['--password-command', 'echo pw'], ''],
  ['a question', {}, [], 'pw\n'],
  ['a second question', {}, [], 'wrong\npw\n'],
])(
  'an encrypted file is read with its password from %s, and stays secret',
  async (_, more, words, input) => {
    await writeFile(foreign, await encryptConfig(Buffer.from(RCLONE), keyOfPassword('pw')));
    const { code, stdout } = await config(['import', foreign, ...words], more, input);
    expect({ code, first: stdout.split('\n')[0] }).toEqual({
      code: 0,
      first: 'photos: (s3) imported',
    });
    expect(await stored()).toMatch(/^# Encrypted rclone configuration File\n/);
    const { text } = await decryptConfig(await readFile(world.config), 'f', async () => 'pw');
    expect(Buffer.from(text).toString()).toContain('secret_access_key = a#b;c\n');
  },
);

test('nobody is asked with --ask-password=false, and a wrong password writes nothing', async () => {
  await writeFile(foreign, await encryptConfig(Buffer.from(RCLONE), keyOfPassword('pw')));
  const silent = await config(['import', foreign, '--ask-password=false'], {}, 'pw\n');
  expect(silent).toMatchObject({ code: 1, stdout: '' });
  expect(silent.stderr).not.toContain('password:');
  const wrong = await config(['import', foreign], { RCLONE_CONFIG_PASS: 'no' });
  expect(wrong.stderr).toContain('the password is wrong');
  await expect(stored()).rejects.toThrow('ENOENT');
});

test('secrets that come into a file in clear are told', async () => {
  await writeFile(world.config, '[mine]\ntype = local\n');
  await writeFile(foreign, await encryptConfig(Buffer.from(RCLONE), keyOfPassword('pw')));
  const { stderr } = await config(['import', foreign], { RCLONE_CONFIG_PASS: 'pw' });
  expect(stderr).toContain("is encrypted, but syncer's configuration file is not");
});

test('encryption: set, kept by every change, checked and removed', async () => {
  const pass = { SYNCER_CONFIG_PASS: 'new', SYNCER_NEW_CONFIG_PASS: 'new' };
  await config(['create', 'a', 'local']);
  expect((await config(['encryption', 'check'])).code).toBe(2);
  const help = (await config(['encryption', '--help'])).stdout;
  expect(help.match(/with code \d/g)).toEqual(['with code 2', 'with code 2']);
  expect(await config(['encryption', 'set'], pass)).toMatchObject({ code: 0, stderr: '' });
  expect(await stored()).not.toContain('[a]');
  for (const words of [
    ['create', 'b', 's3', 'secret_access_key=k'],
    ['update', 'b', 'region=r'],
    ['rename', 'b', 'c'],
    ['touch'],
  ]) {
    expect(await config(words, pass)).toMatchObject({ code: 0, stderr: '' });
    expect(await stored()).toMatch(/^# Encrypted rclone configuration File\n/);
  }
  expect((await config(['encryption', 'check'], pass)).code).toBe(0);
  expect((await config(['show'], pass)).stdout).toContain('[c]\ntype = s3\n');
  expect((await config(['show'], { SYNCER_CONFIG_PASS: 'old' })).code).toBe(1);
  expect((await config(['encryption', 'remove'], pass)).code).toBe(0);
  expect(await stored()).toContain('[c]\ntype = s3\n');
  expect((await config(['encryption', 'nosuch'])).code).toBe(2);
});

test('a new password ends well where others can read the file with its secrets', async () => {
  await config(['create', 'a', 's3', 'secret_access_key=k']);
  await chmod(world.config, 0o644);
  const first = await config(['encryption', 'set'], {}, 'one\none\n');
  expect(first).toMatchObject({ code: 0 });
  expect(first.stderr).not.toContain('Enter configuration password:');
  await chmod(world.config, 0o644);
  // The password that it has is asked for first.
  const second = await config(['encryption', 'set'], {}, 'one\ntwo\ntwo\n');
  expect(second).toMatchObject({ code: 0 });
  const wanted = { SYNCER_CONFIG_PASS: 'two' };
  expect(await config(['encryption', 'check'], wanted)).toMatchObject({ code: 0 });
});

test('a new password is asked twice, and both must be the same', async () => {
  await config(['create', 'a', 'local']);
  const differ = await config(['encryption', 'set'], {}, 'one\ntwo\n');
  expect(differ).toMatchObject({ code: 1 });
  expect(await stored()).toContain('[a]');
  const same = await config(['encryption', 'set'], {}, 'one\none\n');
  expect(same).toMatchObject({ code: 0 });
  expect((await config(['dump'], { SYNCER_CONFIG_PASS: 'one' })).stdout).toContain('"a"');
});

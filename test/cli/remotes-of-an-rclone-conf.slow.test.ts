import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { obscure } from '../../src/config/obscure.ts';
import { installFakeRclone } from '../support/fake-rclone.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';

const world = await makeSyncerWorld();
afterAll(() => world.remove());
const foreign = join(world.dir, 'rclone.conf');
const [withRclone, tooOld] = await Promise.all([
  installFakeRclone(world.dir),
  installFakeRclone(join(world.dir, 'old'), 'v1.60.1'),
]);

const loginOf = (expiry: string) =>
  `token = {"access_token":"a","token_type":"Bearer","refresh_token":"r","expiry":"${expiry}"}`;
const [PAST, FUTURE] = ['2024-01-01T00:00:00Z', '2099-01-01T00:00:00Z'];
const KEYS = 'access_key_id = A\nsecret_access_key = s';
/** What an administrator has who moves from rclone. */
const REMOTES: Readonly<Record<string, string>> = {
  aws: 'type = s3\nprovider = AWS\nenv_auth = true\nregion = eu-central-1',
  minio: `type = s3\nprovider = Minio\nendpoint = http://127.0.0.1:9\n${KEYS}`,
  r2: `type = s3\nprovider = Cloudflare\nendpoint = https://x.r2.cloudflarestorage.com\n${KEYS}`,
  b2s3: `type = s3\nprovider = Other\nendpoint = https://s3.us-west-001.backblazeb2.com\n${KEYS}`,
  office: `type = onedrive\n${loginOf(PAST)}\ndrive_id = b!x\ndrive_type = business`,
  own: `type = onedrive\nclient_id = mine\n${loginOf(PAST)}\ndrive_id = b!y\ndrive_type = business`,
  'secret-s3': `type = crypt\nremote = minio:b/enc\npassword = ${obscure('p')}`,
  'secret-office': `type = crypt\nremote = office:enc\npassword = ${obscure('p')}`,
  docs: 'type = alias\nremote = office:docs',
  all: 'type = union\nupstreams = minio:b r2:b',
  both: 'type = combine\nupstreams = one=minio: two=office:',
  nas: 'type = sftp\nhost = 127.0.0.1\nuser = me',
  cloud: 'type = webdav\nurl = http://127.0.0.1:9\nvendor = nextcloud',
  gdrive: `type = drive\n${loginOf(PAST)}`,
  box: `type = dropbox\n${loginOf(PAST)}`,
  web: 'type = http\nurl = http://127.0.0.1:9',
};
const textOf = (remotes: Readonly<Record<string, string>>) =>
  Object.entries(remotes)
    .map(([name, lines]) => `[${name}]\n${lines}\n\n`)
    .join('');

beforeEach(async () => {
  await rm(world.config, { force: true });
  await writeFile(foreign, textOf(REMOTES));
});

const NONE = '/nonexistent';
const run = (words: readonly string[], path: string) =>
  runInProcess(words, {
    HOME: world.dir,
    SYNCER_CONFIG: world.config,
    PATH: `${path}:/usr/bin/no:/bin/no`,
    AWS_EC2_METADATA_DISABLED: 'true',
  });
const use = async (text: string) => writeFile(world.config, text, { mode: 0o600 });

/** The remotes of `doctor` without arguments, by their names. */
async function doctor(path: string) {
  const { stdout } = await run(['doctor', '--json'], path);
  const { checks } = JSON.parse(stdout) as {
    checks: { group: string; check: string; verdict: string; text: string; mend: string | null }[];
  };
  const ofRemotes = checks.filter(({ group }) => group === 'remotes');
  return new Map(ofRemotes.map((one) => [one.check, one]));
}

describe('a OneDrive remote without a client_id', () => {
  test('the import names each such remote if no rclone can renew its login', async () => {
    for (const path of [NONE, tooOld]) {
      await rm(world.config, { force: true });
      const { code, stdout, stderr } = await run(['config', 'import', foreign], path);
      expect({ code, imported: stdout.match(/ imported$/gm) }).toEqual({
        ...{ code: 0, imported: Array(Object.keys(REMOTES).length).fill(' imported') },
      });
      const lines = stderr.split('\n').filter((line) => line.includes('client_id'));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(
        'NOTICE: office: its login has expired and cannot be renewed without a client_id; install rclone 1.70 or newer, which then opens it, or register your own application: see "syncer help backend onedrive"',
      );
    }
  });

  test('the import lists it among the remotes that an installed rclone opens', async () => {
    const { stderr } = await run(['config', 'import', foreign], withRclone);
    expect(stderr).toMatch(
      /opened through an installed rclone: office, secret-s3, secret-office, all, both, nas, cloud, gdrive, box, web\n/,
    );
    expect(stderr).not.toContain('client_id');
  });

  test('an installed rclone opens it, also through an alias, and says so once', async () => {
    await run(['config', 'import', foreign], withRclone);
    for (const spec of ['office:', 'docs:']) {
      const { stdout, stderr } = await run(['backend', 'features', spec, '-v'], withRclone);
      expect(stdout, stderr).toBe('{"Name":"of rclone"}\n');
    }
    // The fake one opens no remote: what is said before is enough.
    const { code, stderr } = await run(['copy', 'office:a', 'office:b', '-v'], withRclone);
    expect(code).not.toBe(0);
    expect(stderr.match(/office: opened through rclone, which can renew its login/g)).toHaveLength(
      1,
    );
  });

  test.each([
    ['has a client_id', 'own:'],
    ['has the option native', 'office,native:'],
    ['stands in no section', `:onedrive,token='{"access_token":"a","expiry":"${PAST}"}':`],
    ['has another API', 'office,graph_url="http://127.0.0.1:9":'],
  ])('rclone does not open one that %s', async (_, spec) => {
    await run(['config', 'import', foreign], withRclone);
    const { stdout } = await run(['backend', 'features', spec], withRclone);
    expect(JSON.parse(stdout)).toMatchObject({ String: expect.stringContaining('OneDrive') });
  });

  test('an expired login ends with code 20 without rclone, and names no command that fails', async () => {
    await use(textOf(REMOTES));
    const { code, stderr } = await run(['lsf', 'office:'], NONE);
    expect(code).toBe(20);
    expect(stderr).toContain(
      'office: the login has expired and cannot be renewed without a client_id; install rclone 1.70 or newer, which then opens it, or register your own application: see "syncer help backend onedrive"',
    );
    expect(stderr).not.toContain('config reconnect');
    const help = await run(['help', 'backend', 'onedrive'], NONE);
    for (const text of ['http://localhost:53682/', 'New registration', '--onedrive-client-id']) {
      expect(help.stdout).toContain(text);
    }
    expect(help.stdout).toContain('RCLONE_ONEDRIVE_');
    expect(help.stdout).not.toMatch(/drive-provider-a|DRIVE_PROVIDER_A/);
  });

  test('a valid login is used without rclone, and a notice says when it ends', async () => {
    await use(`[office]\ntype = onedrive\n${loginOf(FUTURE)}\ntoken_url = http://127.0.0.1:9\n`);
    const { stderr } = await run(['backend', 'features', 'office:'], NONE);
    expect(stderr.match(/NOTICE: office: its login expires at 2099-01-01T00:00:00Z/g)).toHaveLength(
      1,
    );
  });

  test('a remote without a login asks for one by rclone, and is not opened before', async () => {
    await use('[office]\ntype = onedrive\n');
    const { code, stderr } = await run(['lsf', 'office:'], withRclone);
    expect(code).toBe(20);
    expect(stderr).toContain('office: not logged in yet; run "syncer config reconnect office:"');
  });

  test('rclone opens one that the wizard made, too', async () => {
    await use('[wiz]\ntype = drive_provider_a\ntoken = {"access_token":"a"}\n');
    const { stdout } = await run(['backend', 'features', 'wiz:'], withRclone);
    expect(stdout).toBe('{"Name":"of rclone"}\n');
  });
});

test('config create says of a OneDrive remote without a login what it needs', async () => {
  const create = (path: string, ...more: string[]) =>
    run(['config', 'create', 'od', 'onedrive', ...more], path);
  const reconnect = 'od: not logged in yet; run "syncer config reconnect od:"';
  expect((await create(withRclone)).stderr).toContain(reconnect);
  expect((await create(NONE, 'client_id=x')).stderr).toContain(reconnect);
  const neither = await create(NONE);
  expect(neither.stderr).toContain('od: not logged in yet; install rclone');
  expect(neither.stderr).not.toContain('config reconnect');
  expect(await readFile(world.config, 'utf8')).toBe('[od]\ntype = onedrive\n');
  const unknown = await run(['config', 'create', 'x', 'o'], NONE);
  expect(unknown.stderr).toContain('use s3, onedrive, local, memory, alias, or a type of rclone');
});

describe('doctor without arguments', () => {
  test('fails what cannot work without a request', async () => {
    await use(
      textOf({
        ...REMOTES,
        new: 'type = onedrive\nclient_id = x',
        'no-login': 'type = dropbox',
        over: `${loginOf(PAST)}\ntype = dropbox`.replace(/"refresh_token":"r",/, ''),
        open: 'type = crypt\nremote = minio:b',
        lost: 'type = alias\nremote = gone:x',
        'lost-part': 'type = union\nupstreams = minio:b gone:b',
        nowhere: `type = crypt\npassword = ${obscure('p')}`,
      }),
    );
    const found = await doctor(withRclone);
    const failed = [...found].flatMap(([name, { verdict }]) => (verdict === 'failed' ? name : []));
    expect(failed.sort()).toEqual(
      ['aws', 'lost', 'lost-part', 'new', 'no-login', 'nowhere', 'open', 'over'].sort(),
    );
    expect(found.get('office')?.text).toBe('onedrive, through rclone 1.75.2');
    expect(found.get('no-login')?.mend).toBe('syncer config reconnect no-login:');
    expect(found.get('lost-part')?.text).toContain('"gone"');
    const none = await doctor(NONE);
    for (const name of ['office', 'docs', 'nas', 'secret-s3', 'secret-office']) {
      expect(none.get(name), name).toMatchObject({ verdict: 'failed' });
    }
    expect(none.get('office')?.mend).toBe('syncer help backend onedrive');
    for (const name of ['minio', 'r2', 'b2s3', 'own']) {
      expect(none.get(name), name).toMatchObject({ verdict: 'ok' });
    }
  });

  test('env_auth with a profile that has keys is right', async () => {
    await use(`[aws]\n${REMOTES['aws']}\nshared_credentials_file = ${world.dir}/keys\n`);
    await writeFile(
      join(world.dir, 'keys'),
      '[other]\nregion = x\n[default]\naws_access_key_id = A\n',
    );
    expect((await doctor(NONE)).get('aws')).toMatchObject({ verdict: 'ok' });
  });

  test('ends with how a remote is asked', async () => {
    await use(`[minio]\n${REMOTES['minio']}\n`);
    const { stdout } = await run(['doctor'], NONE);
    expect(stdout).toMatch(/ ok\nremotes were opened, not asked: "syncer doctor NAME:" asks\n$/);
  });
});

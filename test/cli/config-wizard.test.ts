import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';

let world: S3World;
let graph: TestGraph;
beforeAll(async () => {
  world = await makeS3World();
  graph = await startTestGraph({ drives: [{ type: 'personal' }, { type: 'business' }] });
});
afterAll(async () => {
  await world.remove();
  await graph.stop();
});
beforeEach(() => rm(world.config, { force: true }));

/** Runs the wizard with one answer a line. */
function wizard(answers: readonly string[], args: readonly string[] = ['config']) {
  const env = {
    HOME: world.dir,
    PATH: '/nonexistent',
    SYNCER_CONFIG: world.config,
    SYNCER_DRIVE_PROVIDER_A_GRAPH_URL: graph.graphUrl,
    SYNCER_DRIVE_PROVIDER_A_TOKEN_URL: graph.tokenUrl,
  };
  return runInProcess(args, env, { input: answers.map((line) => `${line}\n`).join('') });
}

const text = () => readFile(world.config, 'utf8');

/** Up to the question that confirms. */
function s3Answers(secret = world.s3.secretAccessKey): string[] {
  const { accessKeyId, endpoint } = world.s3;
  return ['n', 'store', 's3', 'Other', '1', accessKeyId, secret, '', endpoint, 'n'];
}

describe('answers from a pipe', () => {
  test('make a remote of S3 that works', async () => {
    const ended = await wizard([...s3Answers(), 't', 'y', 'q']);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain('Test passed: 1 entry: bucket');
    expect(ended.stdout).not.toContain(world.s3.secretAccessKey);
    const { accessKeyId, secretAccessKey, endpoint } = world.s3;
    expect(await text()).toBe(
      '[store]\ntype = s3\nprovider = Other\nenv_auth = false\n' +
        `access_key_id = ${accessKeyId}\nsecret_access_key = ${secretAccessKey}\nendpoint = ${endpoint}\n`,
    );
    expect((await stat(world.config)).mode & 0o777).toBe(0o600);
    await writeFile(join(world.bucket, 'photo.jpg'), 'x');
    const listed = await wizard([], ['ls', 'store:bucket']);
    expect(listed.stdout).toContain('1 photo.jpg');
  });

  test('renaming and deleting name the jobs that use the remote', async () => {
    await writeFile(world.config, '[f2]\ntype = local\n', { mode: 0o600 });
    const jobs = join(dirname(world.config), 'jobs.json');
    const record = (to: string) => ({ command: ['copy', '/tmp', to] });
    await writeFile(
      jobs,
      JSON.stringify({ nightly: record('f2:x'), bad: record('f2,a=b:'), no: record('f2x:') }),
    );
    try {
      const said = '2 jobs use f2: nightly, bad.';
      const renamed = await wizard(['r', 'f2', 'f3', 'q']);
      expect(renamed.stdout).toContain(`Enter new name for "f2" remote. ${said}`);
      expect(renamed.stdout).toContain(`Renamed "f2" to "f3". ${said}`);
      expect((await wizard(['d', 'f3', 'y', 'q'])).stdout).toContain('Deleted "f3".\n');
    } finally {
      await rm(jobs);
    }
  });

  test('the first remote comes with the line that turns guards on, later ones do not', async () => {
    const offer = `write "guard = on" below [default] in ${join(dirname(world.config), 'defaults.conf')}`;
    expect((await wizard([...s3Answers(), 'y', 'q'])).stdout).toContain(offer);
    const second = s3Answers().with(1, 'other');
    expect((await wizard([...second, 'y', 'q'])).stdout).not.toContain('guard');
    const defaults = join(dirname(world.config), 'defaults.conf');
    try {
      await rm(world.config);
      await writeFile(defaults, '[default]\nguard = on\n');
      expect((await wizard([...s3Answers(), 'y', 'q'])).stdout).not.toContain('guard');
    } finally {
      await rm(defaults);
    }
    await rm(world.config);
    expect((await wizard([...s3Answers(), 'y', 'q'], ['config', '-n'])).stderr).not.toContain(
      'guard',
    );
  });

  test('a wrong secret is named by the test, and can be saved all the same', async () => {
    const ended = await wizard([...s3Answers('wrong'), 't', '', 'q']);
    expect(ended.stdout).toContain('Test failed: cannot list');
    expect(ended.stdout).toContain('the secret key is wrong');
    expect(ended.stdout).toContain('To fix it: Go back to secret_access_key');
    expect(await text()).toContain('secret_access_key = wrong');
  });

  test('make a remote of a cloud drive, its drive chosen from the account', async () => {
    const token = JSON.stringify(graph.newToken());
    const chosen = graph.drives[1]?.id ?? '';
    const ended = await wizard([
      'n',
      'work',
      '2',
      graph.clientId,
      'sec',
      'n',
      'n',
      token,
      '1',
      '2',
      't',
      'y',
      'q',
    ]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain('Test passed: no entries');
    expect(await text()).toBe(
      `[work]\ntype = drive_provider_a\nclient_id = ${graph.clientId}\nclient_secret = sec\n` +
        `token = ${token}\ndrive_id = ${chosen}\ndrive_type = business\n`,
    );
  });

  test('a token may come on several lines, between the marks of authorize', async () => {
    const token = JSON.stringify(graph.newToken());
    const lines = [
      'Paste the following into your remote machine --->',
      ...token.replaceAll(',', ',\n').split('\n'),
      '<---End paste',
    ];
    await wizard(['n', 'work', 'onedrive', graph.clientId, '', '', 'n', ...lines, '', '', '', 'q']);
    expect(await text()).toContain(`token = ${token}\n`);
  });

  test('where no drive can be had, the remote can be saved without one', async () => {
    const token = '{"access_token":"no good","expiry":"2020-01-01T00:00:00Z"}';
    const ended = await wizard(['n', 'w', '2', 'id', 's', 'n', 'n', token, '1', 'skip', 'y', 'q']);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain('Error: w: the login has expired');
    expect(await text()).toBe(
      `[w]\ntype = drive_provider_a\nclient_id = id\nclient_secret = s\ntoken = ${token}\n`,
    );
  });

  test('a question whose answer is no good is put again', async () => {
    const ended = await wizard(['x', 'n', '', 'a:b', 'disk', 'nosuch', 'local', 'z', 'y', 'q']);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain(
      'This value must be one of: n, s, i, q; back goes back, ? asks again.',
    );
    expect(await text()).toBe('[disk]\ntype = local\n');
  });

  test('Esc goes back a question', async () => {
    const ended = await wizard(['n', 'wrong', 's3', '\x1b', '\x1b', 'right', 'local', 'y', 'q']);
    expect(ended.code, ended.stderr).toBe(0);
    expect(await text()).toBe('[right]\ntype = local\n');
  });

  test('back and b go back a question, ? asks again; both are answers where anything is', async () => {
    const lines = ['n', 'wrong', 's3', 'back', 'b', '?', 'b', 'local', 'y', 'x', 'q'];
    const ended = await wizard(lines);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout.match(/Option name\./g)).toHaveLength(3);
    expect(ended.stdout).toContain('must be one of: b, e,');
    expect(await text()).toBe('[b]\ntype = local\n');
  });

  test('edit, copy, rename, delete, password, one after the other', async () => {
    await writeFile(world.config, '# mine\n[a]\ntype = s3\nprovider = Other\nodd = kept\n');
    const ended = await wizard([
      ...['e', 'a', 'AWS', '', 'AK', 'SK', 'eu-west-1', '', 'n', 'y'],
      ...['c', 'a', 'b', 'r', 'a', 'z', 'd', 'b', 'y'],
      'q',
    ]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(await text()).toBe(
      '# mine\n[z]\ntype = s3\nprovider = AWS\nodd = kept\naccess_key_id = AK\nsecret_access_key = SK\nregion = eu-west-1\n\n',
    );
    const locked = await wizard(['s', 'a', 'pw', 'pw', 'c', 'z', 'y2', 'q']);
    expect(locked.code, locked.stderr).toBe(0);
    expect(await text()).toContain('RCLONE_ENCRYPT_V0');
    const opened = await wizard(['pw', 's', 'u', 'y', 'q']);
    expect(opened.code, opened.stderr).toBe(0);
    expect(await text()).toContain('[y2]\ntype = s3\nprovider = AWS\nodd = kept\n');
  });

  test('what rclone has is imported with everything in it', async () => {
    const foreign = join(world.dir, 'rclone.conf');
    await writeFile(foreign, '[x]\ntype = s3\nfuture_option = 1\n\n[box]\ntype = dropbox\n');
    const ended = await wizard(['i', foreign, 'y', 'q']);
    expect(ended.stdout).toContain('box (dropbox): will be imported with all settings');
    expect(ended.stdout).toContain('Imported 2 of 2.');
    expect(await text()).toBe(await readFile(foreign, 'utf8'));
  });
});

describe('an end of the input before the last question', () => {
  const answers = ['n', 'store', 's3', 'Other', '1', 'AK', 'SK', '', 'localhost', 'n'];
  const before = '# nothing here\n[old]\ntype = local\n';

  test.each(answers.map((_, count) => count + 1))(
    'after %i answers writes nothing',
    async (count) => {
      await writeFile(world.config, before);
      const ended = await wizard(answers.slice(0, count));
      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain('nothing was written');
      expect(await text()).toBe(before);
    },
  );

  test('no input at all is an error, an end at the menu is not', async () => {
    expect((await wizard([])).code).toBe(1);
    expect((await wizard(['n', 'd', 'local', 'y'])).code).toBe(0);
    expect(await text()).toBe('[d]\ntype = local\n');
  });
});

test('--dry-run asks everything and writes nothing', async () => {
  const ended = await wizard(['n', 'd', 'local', 'y', 'q'], ['config', '--dry-run']);
  expect(ended.stdout).toContain('Nothing was written (--dry-run)');
  await expect(text()).rejects.toMatchObject({ code: 'ENOENT' });
});

describe('--all', () => {
  test('asks what is not given, with the advanced questions', async () => {
    const args = ['config', 'create', 'a', 's3', 'provider=Other', 'env_auth=false', '--all'];
    const ended = await wizard(['AK', 'SK', '', 'localhost', 'n', 'y'], args);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).not.toContain('provider>');
    expect(await text()).toBe(
      '[a]\ntype = s3\nprovider = Other\nenv_auth = false\naccess_key_id = AK\nsecret_access_key = SK\nendpoint = localhost\n',
    );
  });

  test('changes what is there', async () => {
    await writeFile(world.config, '[a]\ntype = alias\nremote = /old\n');
    const ended = await wizard(['/new', 'y'], ['config', 'update', 'a', '--all']);
    expect(ended.code, ended.stderr).toBe(0);
    expect(await text()).toBe('[a]\ntype = alias\nremote = /new\n');
  });
});

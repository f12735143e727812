import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../cli/free-port.ts';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import {
  hasTmux,
  openTmux,
  type TmuxOptions,
  type TmuxTerminal,
} from '../support/tmux-terminal.ts';

const program = resolve(import.meta.dirname, '../../dist/syncer.js');
const OLD = '# mine\n[old]\ntype = s3\nprovider = Other\nsecret_access_key = hidden\nodd = kept\n';
let home = '';
let config = '';
let s3: TestS3;
let graph: TestGraph;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'config-wizard-'));
  config = join(home, 'syncer.conf');
  s3 = await startTestS3();
  graph = await startTestGraph({
    drives: [{ type: 'personal' }, { type: 'business' }],
    devicePolls: ['authorization_pending', 'authorization_pending'],
    deviceInterval: 1,
  });
});
afterAll(async () => {
  await s3.stop();
  await graph.stop();
  await rm(home, { recursive: true, force: true });
});
beforeEach(() => rm(config, { force: true }));

async function start(options: TmuxOptions = {}, args = ''): Promise<TmuxTerminal> {
  const env = {
    HOME: home,
    SYNCER_CONFIG: config,
    SYNCER_DRIVE_PROVIDER_A_GRAPH_URL: graph.graphUrl,
    SYNCER_DRIVE_PROVIDER_A_AUTH_URL: graph.authUrl,
    SYNCER_DRIVE_PROVIDER_A_TOKEN_URL: graph.tokenUrl,
    ...options.env,
  };
  const terminal = await openTmux({ ...options, env, cwd: home });
  await terminal.type(`clear; ${process.execPath} ${program} config ${args}; echo ended $?`);
  await terminal.keys('Enter');
  return terminal;
}

const text = () => readFile(config, 'utf8');

/** Types an answer where the screen asks for `title`. */
async function answer(terminal: TmuxTerminal, title: string, typed: string): Promise<void> {
  await terminal.waitFor(title);
  await terminal.type(typed);
  await terminal.keys('Enter');
}

/** Up to the confirmation. */
async function describeStore(terminal: TmuxTerminal, secret: string): Promise<void> {
  await terminal.waitFor('New remote');
  await terminal.keys('n');
  await answer(terminal, 'Enter name for new remote.', 'store');
  await answer(terminal, 'Type of storage', '1');
  await answer(terminal, 'Whose S3 it is', 'Other');
  await terminal.waitFor('Take the credentials from the environment');
  await terminal.keys('n');
  await answer(terminal, 'access_key_id:', s3.accessKeyId);
  await answer(terminal, 'secret_access_key:', secret);
  await answer(terminal, 'region:', '');
  await answer(terminal, 'endpoint:', s3.endpoint);
  await terminal.waitFor('Edit advanced config?');
  await terminal.keys('n');
  await terminal.waitFor('Keep this remote?');
}

describe.skipIf(!hasTmux)('syncer config on a terminal', () => {
  test('makes a remote of S3; a wrong secret is found and mended before it is saved', async () => {
    const terminal = await start();
    await describeStore(terminal, 'wrong');
    await terminal.waitFor([
      'It does not work',
      'the secret key is wrong',
      'Go back to secret_access_key',
    ]);
    await expect(text()).rejects.toMatchObject({ code: 'ENOENT' });
    for (const title of ['Edit advanced', 'endpoint:', 'region:', 'secret_access_key:']) {
      await terminal.keys('Escape');
      await terminal.waitFor(title);
    }
    await terminal.waitFor('•••••');
    await terminal.keys('C-r');
    await terminal.waitFor('secret_access_key: wrong');
    await terminal.keys('C-u');
    await terminal.type(s3.secretAccessKey);
    await terminal.keys('Enter');
    await terminal.waitFor('region:');
    await terminal.keys('Enter');
    await terminal.waitFor(`endpoint: ${s3.endpoint}`);
    await terminal.keys('Enter');
    await terminal.waitFor('Edit advanced');
    await terminal.keys('Enter');
    await terminal.waitFor('It works: no entries');
    await terminal.keys('y');
    await terminal.waitFor(['Saved "store".', `s3, ${s3.endpoint}`]);
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
    expect(await text()).toBe(
      '[store]\ntype = s3\nprovider = Other\nenv_auth = false\n' +
        `access_key_id = ${s3.accessKeyId}\nsecret_access_key = ${s3.secretAccessKey}\nendpoint = ${s3.endpoint}\n`,
    );
  });

  /** Up to the question how to log in. */
  async function describeDrive(terminal: TmuxTerminal): Promise<void> {
    await terminal.waitFor('New remote');
    await terminal.keys('n');
    await answer(terminal, 'Enter name', 'work');
    await answer(terminal, 'Type of storage', 'onedr');
    await answer(terminal, 'client_id:', graph.clientId);
    await answer(terminal, 'client_secret:', 'topsecret');
    await terminal.waitFor('Edit advanced config?');
    await terminal.keys('Enter');
    await terminal.waitFor('Use auto config?');
  }

  test('makes a remote of a cloud drive from a token that is typed in over lines', async () => {
    const terminal = await start({ columns: 110, rows: 30 });
    await describeDrive(terminal);
    await terminal.keys('n');
    await terminal.waitFor([
      'syncer authorize drive_provider_a',
      '"***"',
      'Nothing is pasted yet.',
    ]);
    const token = JSON.stringify(graph.newToken());
    // No marks of a paste: the ends of lines come as Enter.
    await terminal.type('Paste the following into your remote machine --->\r');
    await terminal.type(token.slice(0, 30));
    await terminal.waitFor('Not complete yet');
    await terminal.type(`\r${token.slice(30)}`);
    await terminal.waitFor(['Complete, with a refresh token', 'token = ***']);
    await terminal.type('\r<---End paste\r');
    await terminal.waitFor(['config_type', '❯ 1  onedrive']);
    await terminal.keys('Enter');
    await terminal.waitFor('config_driveid');
    await terminal.type('2');
    await terminal.waitFor(`❯ 2  ${graph.drives[1]?.id.slice(0, 10)}`);
    await terminal.keys('Enter');
    await terminal.waitFor('It works: no entries');
    expect(await terminal.screen()).not.toContain('topsecret');
    await terminal.keys('Enter');
    await terminal.waitFor('Saved "work".');
    expect(await text()).toBe(
      `[work]\ntype = drive_provider_a\nclient_id = ${graph.clientId}\nclient_secret = topsecret\n` +
        `token = ${token}\ndrive_id = ${graph.drives[1]?.id}\ndrive_type = business\n`,
    );
  });

  test('logs in by the browser inside the wizard; Esc cancels', async () => {
    const browser = join(home, 'browser');
    await writeFile(
      browser,
      `#!${process.execPath}\nrequire('node:fs').existsSync(${JSON.stringify(join(home, 'go'))}) && fetch(process.argv[2])\n`,
    );
    await chmod(browser, 0o755);
    const port = await findFreePort();
    const terminal = await start({ env: { BROWSER: browser } }, `--auth-port ${port}`);
    await describeDrive(terminal);
    await terminal.keys('y');
    await terminal.waitFor(['Logging in', `http://127.0.0.1:${port}/auth`]);
    await terminal.keys('Escape');
    await terminal.waitFor('Use auto config?');
    await writeFile(join(home, 'go'), '');
    await terminal.keys('y');
    await terminal.waitFor('config_type');
    await terminal.keys('Escape');
    await terminal.waitFor('Use auto config?');
    await terminal.keys('d');
    await terminal.waitFor(['microsoft.com/devicelogin', 'ABCD2345E', '█▀▀▀▀▀▀▀█']);
    await terminal.waitFor('config_type');
  });

  test('Ctrl-C at every question leaves the file as it was', async () => {
    const steps: readonly (readonly [title: string, ...keys: string[]])[] = [
      ['Current remotes:', 'n'],
      ['Enter name', 'a', 'Enter'],
      ['Type of storage', '2', 'Enter'],
      ['client_id:', 'i', 'Enter'],
      ['client_secret:', 's', 'Enter'],
      ['Edit advanced', 'n'],
      ['Use auto config?', 'n'],
      ['config_token:', ...'{"access_token":"x"}', 'Enter'],
      ['config_type', 'Down', 'Down', 'Enter'],
      ['config_site_url'],
    ];
    await writeFile(config, OLD);
    for (let count = 1; count <= steps.length; count++) {
      const terminal = await start();
      for (const [at, [title, ...keys]] of steps.slice(0, count).entries()) {
        await terminal.waitFor(title);
        if (at < count - 1) await terminal.keys(...keys);
      }
      await terminal.keys('C-c');
      await terminal.waitFor('ended 130');
      expect(await text()).toBe(OLD);
      await terminal.close();
    }
  });

  test('letters on a remote copy, rename and delete it; what is not known of it stays', async () => {
    await writeFile(config, OLD);
    const terminal = await start();
    await terminal.waitFor('❯ 1  old');
    await terminal.keys('c');
    await terminal.waitFor('name: old-copy');
    await terminal.keys('Enter');
    await terminal.waitFor('Copied "old" to "old-copy".');
    await terminal.type('2r');
    await terminal.waitFor('Enter new name for "old-copy"');
    await terminal.keys('C-u', 'o', 'l', 'd');
    await terminal.waitFor('There is a remote "old" already.');
    await terminal.keys('e', 'r', 'Enter');
    await terminal.waitFor('Renamed "old-copy" to "older".');
    await terminal.keys('d');
    await terminal.waitFor('Delete "old"');
    await terminal.keys('y');
    await terminal.waitFor('Deleted "old".');
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
    expect(await text()).toBe(
      '# mine\n[older]\ntype = s3\nprovider = Other\nsecret_access_key = hidden\nodd = kept\n',
    );
  });

  test('follows the size of the terminal, and loses nothing by it', async () => {
    const terminal = await start({ columns: 40, rows: 12 });
    await terminal.waitFor('New remote');
    await terminal.keys('n');
    await terminal.waitFor('name:');
    await terminal.type('here');
    await terminal.resize(120, 30);
    await terminal.waitFor(/name: here/);
    await terminal.keys('Enter');
    await terminal.waitFor(['[here]', 'syncer config create here s3']);
    await terminal.resize(40, 12);
    const small = await terminal.waitFor('❯ 1  s3');
    expect(small.split('\n')).toHaveLength(12);
    await terminal.keys('Tab');
    await terminal.waitFor('type = s3');
    await terminal.keys('Tab', 'C-g');
    await terminal.waitFor(['move in a list', 'one question back']);
    await terminal.keys('Escape');
    await terminal.waitFor('❯ 1  s3');
    await terminal.keys('Escape');
    await terminal.waitFor('name: here');
  });

  test('without UTF-8 there is only ASCII; plain asks in lines', async () => {
    const ascii = await start({ env: { LC_ALL: 'C', LANG: 'C', NO_COLOR: '1' } });
    await ascii.waitFor('> n  New remote');
    expect(await ascii.screen(true)).not.toMatch(/\x1b\[(3[0-7]|9[0-7])m/);
    const plain = await start({ env: { SYNCER_PLAIN: '1' } });
    await plain.waitFor('n/s/i/q>');
    await plain.type('n\nd\nlocal\ny\nq\n');
    await plain.waitFor('ended 0');
    expect(await text()).toBe('[d]\ntype = local\n');
  });

  test('a new login asks whether the drive is to be chosen again', async () => {
    const [first, second] = graph.drives;
    const head = `[work]\ntype = drive_provider_a\nclient_id = ${graph.clientId}\n`;
    const place = (id = '') => `drive_id = ${id}\ndrive_type = `;
    await writeFile(config, `${head}token = {}\n${place(first?.id)}personal\n`);
    const terminal = await start({}, 'reconnect work: --device');
    await terminal.waitFor('Choose the place again?');
    expect(await text()).toContain('token = {"access_token":"access-');
    await terminal.keys('y');
    await terminal.waitFor('config_type');
    await terminal.keys('Enter');
    await terminal.waitFor('config_driveid');
    await terminal.keys('2', 'Enter');
    await terminal.waitFor(['Saved "work".', 'ended 0']);
    expect(await text()).toContain(`${place(second?.id)}business\n`);
  });

  test('the password of the configuration is asked before the first screen', async () => {
    const terminal = await start();
    await terminal.waitFor('New remote');
    await terminal.keys('s');
    await terminal.waitFor('Add Password');
    await terminal.keys('a');
    await terminal.waitFor('Enter NEW');
    await terminal.keys('p', 'w', 'Enter');
    await terminal.waitFor('Confirm NEW');
    await terminal.keys('p', 'x');
    await terminal.waitFor('The two passwords differ.');
    await terminal.keys('BSpace', 'w', 'Enter');
    await terminal.waitFor('Encrypted.');
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
    expect(await text()).toContain('RCLONE_ENCRYPT_V0');
    await terminal.type(`clear; ${process.execPath} ${program} config; echo over $?`);
    await terminal.keys('Enter');
    await terminal.waitFor('password:');
    await terminal.type('pw\r');
    await terminal.waitFor('Change or remove the password');
    await terminal.keys('q');
    await terminal.waitFor('over 0');
  });

  test('create --all asks on screens', async () => {
    const terminal = await start({}, 'create a alias --all');
    await answer(terminal, 'remote:', '/tmp');
    await terminal.waitFor('Keep this remote?');
    await terminal.keys('y');
    await terminal.waitFor(['Saved "a".', 'ended 0']);
    expect(await text()).toBe('[a]\ntype = alias\nremote = /tmp\n');
  });
});

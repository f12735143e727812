import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../../cli/free-port.ts';
import { hasTmux } from '../../support/tmux-terminal.ts';
import {
  answer,
  type ConfigPlace,
  describeDrive,
  describeStore,
  makeConfigPlace,
  program,
} from './config-screen.ts';

const OLD = '# mine\n[old]\ntype = s3\nprovider = Other\nsecret_access_key = hidden\nodd = kept\n';
let place: ConfigPlace;
beforeAll(async () => {
  place = await makeConfigPlace();
});
afterAll(() => place.remove());
beforeEach(() => rm(place.config, { force: true }));

describe.skipIf(!hasTmux)('syncer config on a terminal', () => {
  test('makes a remote of S3; a wrong secret is found and mended before it is saved', async () => {
    const terminal = await place.start();
    await describeStore(terminal, place.s3, 'wrong');
    await terminal.waitFor([
      'Test failed',
      'the secret key is wrong',
      'Go back to secret_access_key and',
    ]);
    await expect(place.text()).rejects.toMatchObject({ code: 'ENOENT' });
    await terminal.waitFor('❯ ✗ secret_access_key  ••••••••');
    await terminal.keys('Enter');
    await terminal.waitFor('❯   secret_access_key  •••••');
    await terminal.keys('C-r');
    await terminal.waitFor('❯   secret_access_key  wrong');
    await terminal.keys('C-u');
    await terminal.type(place.s3.secretAccessKey);
    await terminal.keys('Enter');
    await terminal.waitFor(['Test passed: no entries', 's save']);
    await terminal.keys('s');
    await terminal.waitFor(['Saved "store".', `s3, ${place.s3.endpoint}`]);
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
    expect(await place.text()).toBe(
      '[store]\ntype = s3\nprovider = Other\nenv_auth = false\n' +
        `access_key_id = ${place.s3.accessKeyId}\nsecret_access_key = ${place.s3.secretAccessKey}\nendpoint = ${place.s3.endpoint}\n`,
    );
  });

  test('makes a remote of a cloud drive from a token that is typed in over lines', async () => {
    const terminal = await place.start({ columns: 110, rows: 30 });
    await describeDrive(terminal, place.graph);
    await terminal.keys('n');
    await terminal.waitFor([
      'syncer authorize drive_provider_a',

      'Paste the token here.',
    ]);
    const token = JSON.stringify(place.graph.newToken());
    // No marks of a paste: the ends of lines come as Enter.
    await terminal.type('Paste the following into your remote machine --->\r');
    await terminal.type(token.slice(0, 30));
    await terminal.waitFor('Incomplete');
    await terminal.type(`\r${token.slice(30)}`);
    await terminal.waitFor(['Complete, with a refresh token', 'token = ***']);
    await terminal.type('\r<---End paste\r');
    await terminal.waitFor(['config_type', '❯ 1  onedrive']);
    await terminal.keys('Enter');
    await terminal.waitFor('config_driveid');
    await terminal.type('2');
    await terminal.waitFor(`❯ 2  ${place.graph.drives[1]?.id.slice(0, 10)}`);
    await terminal.keys('Enter');
    await terminal.waitFor('Test passed: no entries');
    expect(await terminal.screen()).not.toContain('topsecret');
    await terminal.keys('s');
    await terminal.waitFor('Saved "work".');
    expect(await place.text()).toBe(
      `[work]\ntype = drive_provider_a\nclient_id = ${place.graph.clientId}\nclient_secret = topsecret\n` +
        `token = ${token}\ndrive_id = ${place.graph.drives[1]?.id}\ndrive_type = business\n`,
    );
  });

  test('logs in by the browser inside the wizard; Esc cancels', async () => {
    const browser = join(place.home, 'browser');
    await writeFile(
      browser,
      `#!${process.execPath}\nrequire('node:fs').existsSync(${JSON.stringify(join(place.home, 'go'))}) && fetch(process.argv[2])\n`,
    );
    await chmod(browser, 0o755);
    const port = await findFreePort();
    const terminal = await place.start({ env: { BROWSER: browser } }, `--auth-port ${port}`);
    await describeDrive(terminal, place.graph);
    await terminal.keys('y');
    await terminal.waitFor(['Logging in', `http://127.0.0.1:${port}/auth`]);
    await terminal.keys('Escape');
    await terminal.waitFor('Can this computer open a browser?');
    await writeFile(join(place.home, 'go'), '');
    await terminal.keys('y');
    await terminal.waitFor('config_type');
    await terminal.keys('Escape');
    await terminal.waitFor('Can this computer open a browser?');
    await terminal.keys('d');
    await terminal.waitFor(['microsoft.com/devicelogin', 'ABCD2345E', '█▀▀▀▀▀▀▀█']);
    await terminal.waitFor('config_type');
  });

  test('letters on a remote copy, rename and delete it; what is not known of it stays', async () => {
    await writeFile(place.config, OLD);
    const terminal = await place.start();
    await terminal.waitFor('❯ 1  old');
    await terminal.keys('c');
    await terminal.waitFor('name: old-copy');
    await terminal.keys('Enter');
    await terminal.waitFor('Copied "old" to "old-copy".');
    await terminal.type('2r');
    await terminal.waitFor('Enter new name for "old-copy"');
    await terminal.keys('C-u', 'o', 'l', 'd');
    await terminal.waitFor('A remote named "old" already exists.');
    await terminal.keys('e', 'r', 'Enter');
    await terminal.waitFor('Renamed "old-copy" to "older".');
    await terminal.keys('d');
    await terminal.waitFor('Delete "old"');
    await terminal.keys('y');
    await terminal.waitFor('Deleted "old".');
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
    expect(await place.text()).toBe(
      '# mine\n[older]\ntype = s3\nprovider = Other\nsecret_access_key = hidden\nodd = kept\n',
    );
  });

  test('follows the size of the terminal, and loses nothing by it', async () => {
    const terminal = await place.start({ columns: 40, rows: 12 });
    await terminal.waitFor('New remote');
    await terminal.keys('n');
    await terminal.waitFor('name:');
    await terminal.type('here');
    await terminal.resize(120, 30);
    await terminal.waitFor(/name: here/);
    await terminal.keys('Enter');
    await terminal.waitFor(['[here]', 'syncer config create here s3']);
    await terminal.resize(40, 12);
    const small = await terminal.waitFor(/❯ +1 {2}s3/);
    expect(small.split('\n')).toHaveLength(12);
    await terminal.keys('Tab');
    await terminal.waitFor('type = s3');
    await terminal.keys('Tab', 'C-g');
    await terminal.waitFor('move in a list');
    await terminal.keys(...Array.from({ length: 5 }, () => 'Down'));
    await terminal.waitFor('go back one question');
    await terminal.keys('Escape');
    await terminal.waitFor(/❯ +1 {2}s3/);
    await terminal.keys('Escape', 'Escape');
    await terminal.waitFor('New remote');
    await terminal.keys('n');
    await terminal.waitFor('name: here');
  });

  test('without UTF-8 there is only ASCII; plain asks in lines', async () => {
    const ascii = await place.start({ env: { LC_ALL: 'C', LANG: 'C', NO_COLOR: '1' } });
    await ascii.waitFor('> n  New remote');
    expect(await ascii.screen(true)).not.toMatch(/\x1b\[(3[0-7]|9[0-7])m/);
    const plain = await place.start({ env: { SYNCER_PLAIN: '1' } });
    await plain.waitFor('n/s/i/q>');
    await plain.type('n\nd\nlocal\ny\nq\n');
    await plain.waitFor('ended 0');
    expect(await place.text()).toBe('[d]\ntype = local\n');
  });

  test('a new login asks whether the drive is to be chosen again', async () => {
    const [first, second] = place.graph.drives;
    const head = `[work]\ntype = drive_provider_a\nclient_id = ${place.graph.clientId}\n`;
    const drive = (id = '') => `drive_id = ${id}\ndrive_type = `;
    await writeFile(place.config, `${head}token = {}\n${drive(first?.id)}personal\n`);
    const terminal = await place.start({}, 'reconnect work: --device');
    await terminal.waitFor('Choose the drive again?');
    expect(await place.text()).toContain('token = {"access_token":"access-');
    await terminal.keys('y');
    await terminal.waitFor('config_type');
    await terminal.keys('Enter');
    await terminal.waitFor('config_driveid');
    await terminal.keys('2', 'Enter');
    await terminal.waitFor(['Saved "work".', 'ended 0']);
    expect(await place.text()).toContain(`${drive(second?.id)}business\n`);
  });

  test('the password of the configuration is asked before the first screen', async () => {
    const terminal = await place.start();
    await terminal.waitFor('New remote');
    await terminal.keys('s');
    await terminal.waitFor('Add Password');
    await terminal.keys('a');
    await terminal.waitFor('Enter NEW');
    await terminal.keys('p', 'w', 'Enter');
    await terminal.waitFor('Confirm NEW');
    await terminal.keys('p', 'x', 'Enter');
    await terminal.waitFor(['The two passwords differ.', 'Enter NEW']);
    await terminal.keys('p', 'w', 'Enter');
    await terminal.waitFor('Confirm NEW');
    await terminal.keys('p', 'w', 'Enter');
    await terminal.waitFor('Encrypted.');
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
    expect(await place.text()).toContain('RCLONE_ENCRYPT_V0');
    await terminal.type(`clear; ${process.execPath} ${program} config; echo over $?`);
    await terminal.keys('Enter');
    await terminal.waitFor('password:');
    await terminal.type('pw\r');
    await terminal.waitFor('Change or remove the password');
    await terminal.keys('q');
    await terminal.waitFor('over 0');
  });

  test('u puts back what the file held before, and again what it holds now', async () => {
    await writeFile(place.config, OLD, { mode: 0o644 });
    const terminal = await place.start();
    await terminal.waitFor('❯ 1  old');
    await terminal.keys('d');
    await terminal.waitFor('Delete "old"');
    await terminal.keys('y');
    await terminal.waitFor(['Deleted "old".', 'u  Undo the last change']);
    expect(await readFile(`${place.config}.undo`, 'utf8')).toBe(OLD);
    expect((await stat(`${place.config}.undo`)).mode & 0o777).toBe(0o600);
    await terminal.keys('u');
    await terminal.waitFor('restores the remote "old" (s3)');
    await terminal.keys('Enter');
    await terminal.waitFor('New remote');
    await terminal.keys('u');
    await terminal.waitFor('restores the remote');
    await terminal.keys('y');
    await terminal.waitFor('as it was before.');
    expect(await place.text()).toBe(OLD);
    await terminal.keys('u');
    await terminal.waitFor('deletes the remote "old" (s3)');
    await terminal.keys('y');
    await terminal.waitFor('No remotes found');
    expect(await place.text()).not.toContain('old');
  });

  test('create --all asks on screens', async () => {
    const terminal = await place.start({}, 'create a alias --all');
    await answer(terminal, 'remote:', '/tmp');
    await terminal.waitFor('s save');
    await terminal.keys('s');
    await terminal.waitFor(['Saved "a".', 'ended 0']);
    expect(await place.text()).toBe('[a]\ntype = alias\nremote = /tmp\n');
  });
});

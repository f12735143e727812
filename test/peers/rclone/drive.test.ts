import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GraphWorld, makeGraphWorld } from '../../support/graph-world.ts';
import { hasRclone } from '../../support/rclone.ts';
import { runInProcess } from '../../support/run-in-process.ts';

const FILES: Readonly<Record<string, string>> = {
  'a.txt': 'hello',
  'dir/deep/b': 'x'.repeat(500_000),
  'dir/empty': '',
  'odd "name": why?': 'odd',
};
const TIME = new Date('2023-11-14T22:13:20Z');

let world: GraphWorld;

beforeAll(async () => {
  world = await makeGraphWorld({ drives: [{ type: 'business' }, { type: 'personal' }] });
  for (const [path, content] of Object.entries(FILES)) {
    const file = join(world.dir, 'source', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    await utimes(file, TIME, TIME);
  }
});
afterAll(() => world.remove());

function syncer(...words: string[]) {
  const { graphUrl } = world.graph;
  return runInProcess([...words, '--onedrive-graph-url', graphUrl], {
    SYNCER_CONFIG: world.config,
    HOME: world.dir,
  });
}

const source = () => join(world.dir, 'source');

describe.skipIf(!hasRclone)('a drive that syncer and rclone use in turn', () => {
  it.each(['drive0:', 'drive1:'])('holds on %s what rclone finds equal', async (remote) => {
    expect(await syncer('copy', source(), `${remote}ours`)).toMatchObject({ code: 0 });
    expect((await world.rclone(`check source ${remote}ours`)).stderr).toContain('4 matching files');
    expect((await world.rclone(`copy source ${remote}theirs`)).code).toBe(0);
    const checked = await syncer('check', source(), `${remote}theirs`);
    expect(checked.stderr).toContain('4 matching files');
    expect((await syncer('sync', source(), `${remote}theirs`, '-v')).stderr).toContain(
      'There was nothing to transfer',
    );
  });

  // Times of directories are those of the client since rclone 1.66; 1.60.1 tells the service's.
  it.each([
    'lsf -R --format ps',
    'lsf -R --format pst --files-only',
    'lsjson -R --hash --no-mimetype --files-only',
    'hashsum quickxor',
    'size --json',
    'about --json',
    'lsd',
  ])('is told in the same way by %s', async (line) => {
    const theirs = await world.rclone(`${line} drive0:`);
    const ours = await syncer(...line.split(' '), 'drive0:');
    expect(ours.code).toBe(theirs.code);
    const lines = (text: string) =>
      text
        .split('\n')
        .map((each) => each.replace(/,$/, ''))
        .sort();
    expect(lines(ours.stdout)).toEqual(lines(theirs.stdout.toString()));
  });

  it('is copied, moved and purged by the service', async () => {
    const { graph } = world;
    await syncer('copy', 'drive0:ours', 'drive0:copied');
    await syncer('move', 'drive0:copied', 'drive0:moved');
    expect((await world.rclone('check source drive0:moved')).stderr).toContain('4 matching');
    await syncer('purge', 'drive0:moved');
    expect(graph.drive.files().filter((path) => /^(copied|moved)/.test(path))).toEqual([]);
    expect((await syncer('ls', 'drive0:moved')).code).toBe(3);
  });

  it.each([
    'rmdir drive0:nope',
    'rmdirs drive0:nope',
    'move drive0:nope drive0:other',
    'moveto drive0:nope drive0:other',
    'purge drive0:nope',
  ])('does not have what is named by %s, which ends with 3', async (line) => {
    expect((await world.rclone(line)).code).toBe(3);
    expect((await syncer(...line.split(' '))).code).toBe(3);
  });

  it.each(['move', 'moveto'])('gets the other case of a directory by %s', async (verb) => {
    const { drive } = world.graph;
    drive.put('case/file', 'x', TIME);
    expect((await syncer(verb, 'drive0:case', 'drive0:CASE')).code).toBe(0);
    expect(drive.files()).toContain('CASE/file');
    const refused = await syncer(verb, 'drive0:CASE', 'drive0:case', '--include', '*');
    expect(refused.code).toBe(7);
    expect(drive.files()).toContain('CASE/file');
    drive.remove('CASE');
  });

  it('is not deleted where a shortcut leads to where it is moved', async () => {
    const { drive } = world.graph;
    drive.put('real/file', 'x', TIME);
    drive.addShortcut('short', drive, 'real');
    const { stderr } = await syncer('move', 'drive0:short', 'drive0:real');
    expect(stderr).toContain('source and destination are the same');
    expect(drive.read('real/file')?.toString()).toBe('x');
    drive.remove('short');
    drive.remove('real');
  });

  it('keeps its login in the section, which rclone goes on with', async () => {
    world.graph.expireAccessTokens();
    expect((await syncer('lsf', 'drive0:')).code).toBe(0);
    expect((await world.rclone('lsf drive0:')).code).toBe(0);
  });
});

describe('a login', () => {
  it('is printed between two marks, and is good', async () => {
    const { graph } = world;
    graph.settings.deviceInterval = 0.01;
    const { clientId, authUrl, tokenUrl } = graph;
    const urls = ['--onedrive-auth-url', authUrl, '--onedrive-token-url', tokenUrl];
    const words = ['authorize', 'onedrive', clientId, 'a-secret', '--device', '-vv', ...urls];
    const { code, stdout, stderr } = await syncer(...words);
    expect(code).toBe(0);
    const [begin, token = '', end] = stdout.split('\n');
    expect([begin, end]).toEqual([
      'Paste the following into your remote machine --->',
      '<---End paste',
    ]);
    const { access_token: access, refresh_token: refresh, expiry } = JSON.parse(token);
    expect(Date.parse(expiry)).toBeGreaterThan(Date.now());
    for (const secret of [access, refresh, 'a-secret']) expect(stderr).not.toContain(secret);
    expect(stderr).toContain('ABCD2345E');
    const used = await syncer('lsf', `:onedrive,token='${token}',drive_id='${graph.drive.id}':`);
    expect(used.code).toBe(0);
  });

  it('that is over ends the run with 20, and says what to do', async () => {
    const config = await readFile(world.config, 'utf8');
    world.graph.expireAccessTokens();
    world.graph.revokeRefreshTokens();
    const { code, stderr } = await syncer('copy', source(), 'drive0:new');
    expect(code).toBe(20);
    expect(stderr).toContain('run "syncer config reconnect drive0:"');
    for (const secret of config.match(/(?:access|refresh)-[\w-]+/g) ?? []) {
      expect(stderr).not.toContain(secret);
    }
  });

  it('needs an application', async () => {
    const { code, stderr } = await syncer('authorize', 'onedrive');
    expect({ code, stderr }).toMatchObject({ code: 1 });
    expect(stderr).toContain('option client_id is missing');
    expect((await syncer('authorize', 'local')).stderr).toContain('needs no login');
  });
});

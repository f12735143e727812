import { existsSync, readdirSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeTree } from '../support/file-tree.ts';
import { waitFor } from '../support/wait-for.ts';
import { promiseWorld, STORAGES } from './promise-world.ts';

const world = promiseWorld();

describe.each(STORAGES)('on %s', (storage) => {
  test('a saved plan changes nothing, and applying it makes exactly its changes', async () => {
    const [source, dest] = [world.place('a disk'), world.place(storage)];
    await source.put({ 'a.txt': ['new', 1_600_000_000], 'b.txt': 'b' });
    await dest.put({ 'a.txt': 'old', 'extra.txt': 'x' });
    const before = await dest.files();
    await world.done(`sync ${source.at} ${dest.at} --save @plan.json`);
    expect(await dest.files()).toEqual(before);
    await source.put({ 'later.txt': 'not in the plan' });
    expect((await world.syncer('apply @plan.json')).code).toBe(22);
    expect(await dest.contents()).toEqual({ 'a.txt': 'new', 'b.txt': 'b' });
  });

  test('a plan leaves a file that has changed since, and ends with 22', async () => {
    const [source, dest] = [world.place('a disk'), world.place(storage)];
    await source.put({ 'b.txt': 'b' });
    await dest.put({ 'extra.txt': 'x' });
    await world.done(`sync ${source.at} ${dest.at} --save @plan.json`);
    await dest.put({ 'extra.txt': ['changed since', 1_700_000_000] });
    expect((await world.syncer('apply @plan.json')).code).toBe(22);
    expect(await dest.contents()).toEqual({ 'b.txt': 'b', 'extra.txt': 'changed since' });
  });

  test('`--review` without a terminal prints the plan and changes nothing', async () => {
    const [source, dest] = [world.place('a disk'), world.place(storage)];
    await source.put({ 'a.txt': 'a' });
    await dest.put({ 'extra.txt': 'x' });
    const { stdout } = await world.done(`sync ${source.at} ${dest.at} --review`);
    expect(stdout.toString()).toMatch(/^C .*a\.txt/m);
    expect(stdout.toString()).toMatch(/^D .*extra\.txt/m);
    expect(await dest.contents()).toEqual({ 'extra.txt': 'x' });
  });

  test('a guard stops a sync from an empty source with exit code 21, and nothing is deleted', async () => {
    const [source, dest] = [world.place(storage), world.place('a disk')];
    await source.put({ 'a.txt': 'a' });
    await world.done(`deletefile ${source.at}/a.txt`);
    if (storage === 'a disk') await source.put({ 'dir/': '' });
    await dest.put({ 'x.txt': 'stays' });
    const { code, stderr } = await world.syncer(`sync ${source.at} ${dest.at} --guard on`);
    expect(code, stderr).toBe(21);
    expect(await dest.contents()).toEqual({ 'x.txt': 'stays' });
  });
});

describe('exit codes', () => {
  test.each([
    [0, 'version'],
    [1, 'check @codes/one @codes/two'],
    [1, 'rmdir @codes/one'],
    [1, 'lsf nowhere:'],
    [2, 'nonsense'],
    [2, 'copy @codes/one'],
    [2, 'copy @codes/one @codes/three --no-such-flag'],
    [2, 'copy @codes/one @codes/three --transfers many'],
    [3, 'lsf @codes/missing'],
    [3, 'copy @codes/missing @codes/three'],
    [3, 'lsf s:no-such-bucket'],
    [3, 'lsf d:missing'],
    [4, 'deletefile @codes/one/missing'],
    [5, 'lsf away:bucket --retries 1 --low-level-retries 1'],
    [6, 'copy @codes/one @codes/two --immutable --retries 1'],
    [7, 'sync @codes/empty @codes/many --max-delete 1'],
    [8, 'copy @codes/many @codes/eight --max-transfer 1B'],
    [9, 'copy @codes/one @codes/one-again --error-on-no-transfer'],
    [10, 'copy @codes/large @codes/ten --max-duration 1s --bwlimit 500k --retries 1'],
    [21, 'sync @codes/empty @codes/many --guard on'],
  ] as const)('%i: %s', async (expected, line) => {
    await writeTree(world.dir, {
      'codes/one/f': 'one',
      'codes/one-again/f': 'one',
      'codes/two/f': 'other size',
      'codes/empty/': '',
      'codes/many/1': '1',
      'codes/many/2': '2',
      'codes/many/3': '3',
      'codes/large/f': 'x'.repeat(3_000_000),
    });
    const env = {
      SYNCER_CONFIG_AWAY_TYPE: 's3',
      SYNCER_CONFIG_AWAY_PROVIDER: 'Other',
      SYNCER_CONFIG_AWAY_ACCESS_KEY_ID: 'key',
      SYNCER_CONFIG_AWAY_SECRET_ACCESS_KEY: 'secret',
      SYNCER_CONFIG_AWAY_ENDPOINT: 'http://127.0.0.1:1',
    };
    const { code, stderr } = await world.syncer(line, { env });
    expect(code, stderr).toBe(expected);
  });

  test('75: another run holds the lock', async () => {
    const [source, dest] = [world.place('a disk'), world.place('a disk')];
    await source.put({ 'f.bin': 'x'.repeat(4_000_000) });
    const running = world.start(`copy ${source.at} ${dest.at} --lock --bwlimit 20k`);
    // It has the lock once it copies.
    const isCopying = () => existsSync(dest.at) && readdirSync(dest.at).length > 0;
    await waitFor(isCopying, running.ended);
    const { code } = await world.syncer(`sync ${source.at} ${dest.at} --lock`);
    running.kill('SIGTERM');
    expect(code).toBe(75);
    expect((await running.ended).code).toBe(143);
  });
});

describe('the configuration', () => {
  test('an rclone.conf works unchanged', async () => {
    const conf = join(world.dir, 'rclone.conf');
    const { endpoint, accessKeyId, secretAccessKey } = world.s3;
    const text = `# mine\n[minio]\ntype = s3\nprovider = Minio\naccess_key_id = ${accessKeyId}\nsecret_access_key = ${secretAccessKey}\nendpoint = ${endpoint}\n\n[box]\ntype = crypt\nremote = minio:x\n`;
    await writeFile(conf, text);
    const place = world.place('S3');
    await place.put({ 'a.txt': 'a' });
    const { stdout } = await world.done(
      `lsf ${place.at.replace('s:', 'minio:')} --config @rclone.conf`,
    );
    expect(stdout.toString()).toBe('a.txt\n');
    expect((await world.done('listremotes --config @rclone.conf')).stdout.toString()).toBe(
      'minio:\nbox:\n',
    );
    expect(await readFile(conf, 'utf8')).toBe(text);
  });

  test('a change writes only its keys: comments, order and unknown sections stay', async () => {
    const conf = join(world.dir, 'own.conf');
    const text =
      '# at the top\n[odd.name]\nunknown = a # b; c = "d"\n\n; before\n[two]\ntype = local\nx = 1\n';
    await writeFile(conf, text);
    await world.done('config update two copy_links=true --config @own.conf');
    const changed = await readFile(conf, 'utf8');
    expect(changed.replace(/copy_links = true\n/, '')).toBe(text);
    expect(changed).toContain('copy_links = true');
  });

  test('a new file is readable only by its owner', async () => {
    await world.done('config create new local --config @new.conf');
    expect((await stat(join(world.dir, 'new.conf'))).mode & 0o777).toBe(0o600);
  });
});

describe('output', () => {
  test('standard output is data, and everything else is on standard error', async () => {
    const place = world.place('a disk');
    await place.put({ 'a.txt': 'content' });
    const { stdout, stderr } = await world.done(`cat ${place.at}/a.txt -vv --stats 1s`);
    expect(stdout.toString()).toBe('content');
    expect(stderr).toMatch(/DEBUG|INFO/);
  });

  test('without a terminal there is no colour and no drawing, also with `-P`', async () => {
    const [source, dest] = [world.place('a disk'), world.place('a disk')];
    await source.put({ 'a.txt': 'a' });
    const { stdout, stderr } = await world.done(`copy ${source.at} ${dest.at} -P -v`);
    expect(`${stdout}${stderr}`).not.toContain('\u001b');
    expect((await world.done(`tree ${source.at}`)).stdout.toString()).not.toContain('\u001b');
  });

  test.each(['-vv', '-vv --dump headers', '--use-json-log -vv', '-vv --retries 1 --bad'])(
    'no secret of the configuration is in the output of: %s',
    async (flags) => {
      const place = world.place('S3');
      await place.put({ 'a.txt': 'a' });
      const { stdout, stderr } = await world.syncer(`lsjson ${place.at} ${flags}`);
      const config = await readFile(world.config, 'utf8');
      const secrets = [...config.matchAll(/(?:secret_access_key = |"access_token":")([^"\n]+)/g)];
      expect(secrets.length).toBeGreaterThan(1);
      for (const [, secret = ''] of secrets) expect(`${stdout}${stderr}`).not.toContain(secret);
    },
  );

  test('an error is one line with the path and the reason', async () => {
    const { stderr } = await world.syncer('lsf @missing/dir');
    const errors = stderr.split('\n').filter((line) => /error|ERROR/.test(line));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(
      /Failed to lsf: directory not found: .*\/missing\/dir; check the path/,
    );
  });
});

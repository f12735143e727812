import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { obscure } from '../../../src/config/obscure.ts';
import { newerRclone } from '../../support/open-rclone.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';

let world: SyncerWorld;
let temporary: string;

/** Processes whose command line names the temporary directory of the test, which that of each rclone is in. */
function rclones(): { readonly pid: number; readonly words: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return words.includes(temporary) ? [{ pid: Number(name), words }] : [];
    } catch {
      return [];
    }
  });
}

/** The process ids of rclone itself, without the shell that ends it. */
const servers = () => rclones().filter(({ words }) => !words.startsWith('/bin/sh'));

beforeEach(async () => {
  world = await makeSyncerWorld({ inOwnProcess: true });
  temporary = join(world.dir, '../tmp');
  mkdirSync(temporary);
  mkdirSync(join(world.dir, 'below'));
  writeFileSync(
    world.config,
    `[crypt]\ntype = crypt\nremote = ${world.dir}/below\npassword = ${obscure('secret')}\n`,
    { mode: 0o600 },
  );
});

afterEach(() => world.remove());

const env = () => ({ TMPDIR: temporary, SYNCER_RCLONE: newerRclone });

/** A file that takes a while at 10 MiB/s. */
function writeLarge(): void {
  mkdirSync(join(world.dir, 'from'));
  writeFileSync(join(world.dir, 'from/large'), Buffer.alloc(60 * 1024 * 1024, 'x'));
  for (let i = 0; i < 20; i++) writeFileSync(join(world.dir, `from/small${i}`), `${i}`);
}

const gone = () => expect.poll(rclones, { timeout: 20_000 }).toEqual([]);

describe.skipIf(newerRclone === undefined)('the rclone of a run', () => {
  it('ends with the run and leaves nothing', async () => {
    const ended = await world.run(['lsf', 'crypt:'], { env: env() });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(rclones()).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('ends when syncer is killed, with its directory', async () => {
    writeLarge();
    const run = world.start(['copy', 'from', 'crypt:', '--bwlimit', '10M'], { env: env() });
    await expect.poll(() => servers().length, { timeout: 20_000 }).toBe(1);
    await expect.poll(() => readdirSync(join(world.dir, 'below')).length).toBeGreaterThan(0);
    run.kill('SIGKILL');
    await run.ended;
    await gone();
    expect(readdirSync(temporary)).toEqual([]);
    const listed = await world.run(['lsf', 'crypt:', '--format', 'ps'], { env: env() });
    expect(listed.stdout.toString()).not.toMatch(/^large;/m);
    expect(await world.run(['copy', 'from', 'crypt:'], { env: env() })).toMatchObject({ code: 0 });
    const checked = await world.run(['check', 'from', 'crypt:', '--download'], { env: env() });
    expect(checked).toMatchObject({ code: 0 });
  });

  it('is started again when it is killed', async () => {
    writeLarge();
    const run = world.start(['copy', 'from', 'crypt:', '--bwlimit', '10M'], { env: env() });
    await expect.poll(() => servers().length, { timeout: 20_000 }).toBe(1);
    await expect.poll(() => readdirSync(join(world.dir, 'below')).length).toBeGreaterThan(0);
    for (const { pid } of servers()) process.kill(pid, 'SIGKILL');
    expect(await run.ended).toMatchObject({ code: 0 });
    const checked = await world.run(['check', 'from', 'crypt:', '--download'], { env: env() });
    expect(checked).toMatchObject({ code: 0 });
    await gone();
  });

  it('gets many small files in few requests', async () => {
    mkdirSync(join(world.dir, 'from'));
    for (let i = 0; i < 300; i++) writeFileSync(join(world.dir, `from/small${i}`), `${i}`);
    const program = join(world.dir, 'logging');
    const log = join(world.dir, 'log');
    const words = `exec '${newerRclone}' "$@" -vv --log-file '${log}'`;
    writeFileSync(program, `#!/bin/sh\n${words}\n`, { mode: 0o755 });
    for (const sides of [
      ['from', 'crypt:'],
      ['crypt:', 'to'],
    ]) {
      const copied = await world.run(['copy', ...sides, '--rclone-program', program]);
      expect(copied).toMatchObject({ code: 0 });
      const requests = readFileSync(log, 'utf8').match(/rc: "[^"]+": with/g) ?? [];
      expect(requests.filter((line) => line.includes('job/batch')).length).toBeLessThan(200);
      expect(requests).toContain('rc: "job/batch": with');
      rmSync(log);
    }
    expect(await world.run(['check', 'from', 'to'])).toMatchObject({ code: 0 });
  });

  it('is killed and started again when it answers nothing', async () => {
    writeLarge();
    const run = world.start(['copy', 'from', 'crypt:', '--bwlimit', '10M'], { env: env() });
    await expect.poll(() => servers().length, { timeout: 20_000 }).toBe(1);
    await expect.poll(() => readdirSync(join(world.dir, 'below')).length).toBeGreaterThan(0);
    for (const { pid } of servers()) process.kill(pid, 'SIGSTOP');
    expect(await run.ended).toMatchObject({ code: 0 });
    await gone();
  });

  it('is killed and started again when a file stops coming', async () => {
    writeLarge();
    await world.run(['copy', 'from', 'crypt:'], { env: env() });
    const words = ['copy', 'crypt:', 'to', '--bwlimit', '10M'];
    const run = world.start(words, { env: env() });
    await expect.poll(() => servers().length, { timeout: 20_000 }).toBe(1);
    await expect.poll(() => readdirSync(world.dir).includes('to')).toBe(true);
    for (const { pid } of servers()) process.kill(pid, 'SIGSTOP');
    expect(await run.ended).toMatchObject({ code: 0 });
    const checked = await world.run(['check', 'to', 'crypt:', '--download'], { env: env() });
    expect(checked).toMatchObject({ code: 0 });
    await gone();
  });

  it('has no secret among its words, and its directory is for one user', async () => {
    writeLarge();
    const run = world.start(['copy', 'from', 'crypt:', '--bwlimit', '10M'], { env: env() });
    await expect.poll(() => servers().length, { timeout: 20_000 }).toBe(1);
    for (const { words } of rclones()) expect(words).not.toContain(obscure('secret').slice(0, 8));
    const [folder = ''] = readdirSync(temporary);
    const { statSync } = await import('node:fs');
    expect(statSync(join(temporary, folder)).mode & 0o777).toBe(0o700);
    run.kill('SIGINT');
    expect(await run.ended).toMatchObject({ code: 130 });
    await gone();
  });

  it('does not take names that it cannot decrypt for an empty source', async () => {
    writeLarge();
    const copied = await world.run(['copy', 'from', 'crypt:', '--exclude', 'large'], {
      env: env(),
    });
    expect(copied).toMatchObject({ code: 0, stderr: '' });
    const wrong = `[crypt]\ntype = crypt\nremote = ${world.dir}/below\npassword = ${obscure('other')}\n`;
    writeFileSync(world.config, wrong, { mode: 0o600 });
    mkdirSync(join(world.dir, 'to'));
    writeFileSync(join(world.dir, 'to/kept'), 'kept');
    const ended = await world.run(['sync', 'crypt:', 'to'], { env: env() });
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain('20 names cannot be decrypted');
    expect(readdirSync(join(world.dir, 'to'))).toEqual(['kept']);
  });
});

describe('without an rclone that can be used', () => {
  it('says what is needed where none is installed', async () => {
    const ended = await world.run(['lsf', 'crypt:'], { env: { PATH: '/nowhere' } });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(
      'remotes of the type crypt need rclone, and no rclone is installed',
    );
  });

  it('says what is needed where it is too old', async () => {
    const program = join(world.dir, 'old');
    writeFileSync(
      program,
      '#!/bin/sh\n[ "$1" = version ] && echo "rclone v1.60.1" && exit\nexit 1\n',
    );
    chmodSync(program, 0o755);
    const ended = await world.run(['lsf', 'crypt:', '--rclone-program', program]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(`${program} is rclone 1.60.1, and 1.70 or newer is needed`);
  });
});

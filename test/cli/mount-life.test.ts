import { spawn } from 'node:child_process';
import { closeSync, existsSync, globSync, openSync } from 'node:fs';
import { mkdir, open, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { controlFolders } from '../../commands/mount/list-mounts.ts';
import { someOf, testOfAll } from '../support/in-part.ts';
import { canMount } from '../support/mount-place.ts';
import { failureOf, isMounted, type MountWorld, makeMountWorld } from '../support/mount-world.ts';
import { PROGRAM } from '../support/run-syncer.ts';
import { waitFor } from '../support/wait-for.ts';

let world: MountWorld;
beforeEach(async () => {
  world = await makeMountWorld();
});
afterEach(() => world.remove());

const json = async () =>
  JSON.parse((await world.run(['mounts', '--json'])).stdout.toString()) as {
    readonly mountPoint: string;
    readonly health: string;
    readonly pid?: number;
    readonly state: { readonly uploadsWaiting: number };
  }[];

describe.skipIf(!canMount)('the end of a mount', () => {
  const signals = [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const;
  test.each(someOf(signals, 1))(
    '%s: pending uploads are made, then it goes',
    async (signal, code) => {
      const running = await world.mount('--vfs-cache-mode', 'writes', '--vfs-write-back', '1h');
      await writeFile(join(world.mnt, 'a'), 'safe');
      running.kill(signal);
      const ended = await running.ended;
      expect([ended.code, isMounted(world.mnt)]).toEqual([code, false]);
      expect(await readFile(join(world.bucket, 'a'), 'utf8')).toBe('safe');
    },
  );

  test('a damaged state is a notice', async () => {
    const file = join(world.beside, 'syncer/state.db');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, 'x'.repeat(9000));
    const env = { XDG_STATE_HOME: world.beside };
    const running = world.start(['mount', world.bucket, world.mnt], { env });
    const why = `is damaged: ${file}; run "syncer doctor --fix"`;
    await waitFor(() => running.seen.stderr.includes(why), running.ended);
    running.kill('SIGTERM');
    expect((await running.ended).stderr).toContain(why);
  });

  test('fusermount -uz while idle ends the process', async () => {
    const running = await world.mount();
    expect((await world.call('fusermount3', '-uz', world.mnt)).code).toBe(0);
    expect((await running.ended).code).toBe(0);
  });

  test('unmounted with an open file, it serves until that is closed', async () => {
    await writeFile(join(world.bucket, 'a'), 'here');
    const running = await world.mount();
    const file = await open(join(world.mnt, 'a'));
    expect((await world.call('fusermount3', '-u', world.mnt)).code).not.toBe(0);
    expect((await world.call('fusermount3', '-uz', world.mnt)).code).toBe(0);
    expect(await file.readFile('utf8')).toBe('here');
    await file.close();
    expect((await running.ended).code).toBe(0);
  });

  test.each(someOf(['fusermount', 'SIGTERM'] as const, 1))(
    '%s while files are being written: all of them arrive, the last one to be closed too',
    async (how) => {
      const running = await world.mount('--vfs-cache-mode', 'writes', '--vfs-write-back', '0s');
      const names = Array.from({ length: 20 }, (_, i) => `f${i}`);
      const files = await Promise.all(names.map((name) => open(join(world.mnt, name), 'w')));
      for (const file of files) await file.write('first, ');
      if (how === 'SIGTERM') running.kill('SIGTERM');
      else await world.call('fusermount3', '-uz', world.mnt);
      await waitFor(() => !isMounted(world.mnt));
      for (const file of files) {
        await file.write('last');
        await file.close();
      }
      expect((await running.ended).code).toBe(how === 'SIGTERM' ? 143 : 0);
      const arrived = names.map((name) => readFile(join(world.bucket, name), 'utf8'));
      expect(await Promise.all(arrived)).toEqual(names.map(() => 'first, last'));
    },
  );

  test('SIGHUP does not end it, and shows what others have changed', async () => {
    const running = await world.mount('--attr-timeout', '0s');
    await expect(stat(join(world.mnt, 'late'))).rejects.toThrow('ENOENT');
    await writeFile(join(world.bucket, 'late'), 'x');
    running.kill('SIGHUP');
    await expect
      .poll(() =>
        stat(join(world.mnt, 'late')).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  });

  test('what was closed and not uploaded when it was killed is uploaded by the next one', async () => {
    const flags = ['--vfs-cache-mode', 'writes', '--vfs-write-back'];
    const running = await world.mount(...flags, '1h');
    await writeFile(join(world.mnt, 'a'), 'kept');
    running.kill('SIGKILL');
    await running.ended;
    await world.call('fusermount3', '-uz', world.mnt);
    const next = await world.mount(...flags, '0s');
    expect(await readFile(join(world.mnt, 'a'), 'utf8')).toBe('kept');
    next.kill('SIGTERM');
    await next.ended;
    expect(await readFile(join(world.bucket, 'a'), 'utf8')).toBe('kept');
  });
});

describe.skipIf(!canMount)('in the background', () => {
  test('the parent returns when the mount answers; mounts and unmount know it', async () => {
    await writeFile(join(world.bucket, 'a'), 'hello');
    const flags = ['--daemon', '--vfs-cache-mode', 'writes', '--vfs-write-back', '1h'];
    const started = await world.run(['mount', 'store:bucket', world.mnt, ...flags]);
    expect([started.code, started.stdout.toString()]).toEqual([0, '']);
    expect(await readFile(join(world.mnt, 'a'), 'utf8')).toBe('hello');
    await writeFile(join(world.mnt, 'b'), 'new');
    const mount = (await json()).find(({ mountPoint }) => mountPoint === world.mnt);
    expect(mount).toMatchObject({ health: 'live', state: { uploadsWaiting: 1 } });
    expect((await world.run(['unmount', '--wait', world.mnt])).code).toBe(0);
    expect(isMounted(world.mnt)).toBe(false);
    expect(await readFile(join(world.bucket, 'b'), 'utf8')).toBe('new');
    expect((await json()).some(({ mountPoint }) => mountPoint === world.mnt)).toBe(false);
  });

  test('unmount --wait fails where uploads are left', async () => {
    const flags = ['--daemon', '--vfs-cache-mode', 'writes', '--drain-timeout', '500ms'];
    await world.run(['mount', 'store:bucket', world.mnt, ...flags]);
    await writeFile(join(world.mnt, 'a'), 'kept');
    await rename(world.bucket, `${world.bucket}-away`);
    await writeFile(world.bucket, 'no folder');
    expect(failureOf(await world.run(['unmount', '--wait', world.mnt]))).toEqual({
      code: 1,
      message: expect.stringMatching(/is unmounted, but 1 files are not uploaded yet/),
    });
    expect(isMounted(world.mnt)).toBe(false);
  });

  test("the child's own error comes out, with its exit number", async () => {
    const ended = await world.run(['mount', 'nope:', world.mnt, '--daemon']);
    expect(failureOf(ended)).toEqual({
      code: 1,
      message: expect.stringMatching(/^Failed to mount: no remote named "nope"/),
    });
  });

  test('why it cannot be mounted stands in the log once', async () => {
    await writeFile(join(world.mnt, 'in the way'), '');
    const log = join(world.beside, 'log');
    const words = ['mount', 'store:bucket', world.mnt, '--daemon', '--log-file', log];
    expect((await world.run(words)).code).toBe(1);
    expect((await readFile(log, 'utf8')).match(/is not empty/g)).toHaveLength(1);
  });

  test('a store in memory can be mounted, a directory in it and below the current one, too', async () => {
    for (const source of someOf([':memory:made/by/the/mount', ':memory:'], 1)) {
      const words = ['mount', source, world.mnt, '--daemon'];
      const started = await world.run(words, { cwd: dirname(world.mnt) });
      expect([started.code, started.stderr]).toEqual([0, '']);
      await writeFile(join(world.mnt, 'a'), 'x');
      expect(await readFile(join(world.mnt, 'a'), 'utf8')).toBe('x');
      expect((await world.run(['unmount', '--wait', world.mnt])).code).toBe(0);
    }
  });

  test('unmount says what is in the way', async () => {
    await writeFile(join(world.bucket, 'a'), 'x');
    await world.run(['mount', 'store:bucket', world.mnt, '--daemon']);
    const file = await open(join(world.mnt, 'a'));
    const { code, message } = failureOf(await world.run(['unmount', world.mnt]));
    expect([code, message]).toEqual([
      1,
      expect.stringMatching(/busy; stop the programs that use it/),
    ]);
    await file.close();
    expect((await world.run(['unmount', world.mnt])).code).toBe(0);
    await waitFor(() => !isMounted(world.mnt));
  });

  test('a mount whose process does not respond: mounts and unmount end, and nothing is lost unseen', async () => {
    const flags = ['--vfs-cache-mode', 'writes', '--vfs-write-back', '1h', '--daemon'];
    await world.run(['mount', 'store:bucket', world.mnt, ...flags]);
    await writeFile(join(world.mnt, 'a'), 'waits');
    const found = async () => (await json()).find(({ mountPoint }) => mountPoint === world.mnt);
    const { pid = 0 } = (await found()) ?? {};
    // Programs that wait for it, or have a file of it open, keep it in use.
    const file = openSync(join(world.mnt, 'a'), 'r');
    const held = spawn('sleep', ['600'], { stdio: [file, 'ignore', 'ignore'] });
    closeSync(file);
    process.kill(pid, 'SIGSTOP');
    try {
      expect(await found()).toMatchObject({ health: 'hung' });
      const waited = failureOf(await world.run(['unmount', '--wait', world.mnt]));
      expect([waited.code, waited.message]).toEqual([
        1,
        expect.stringMatching(/is still mounted: its process does not respond/),
      ]);
      const { code, stderr } = await world.run(['unmount', world.mnt]);
      expect([code, stderr]).toEqual([0, expect.stringContaining('its process does not respond')]);
      expect(isMounted(world.mnt)).toBe(false);
    } finally {
      process.kill(pid, 'SIGCONT');
      held.kill('SIGKILL');
    }
    await expect.poll(() => existsSync(join(world.bucket, 'a'))).toBe(true);
  });

  testOfAll(
    'unmount --wait waits for the uploads of a mount whose process does not listen yet',
    async () => {
      const flags = ['--vfs-cache-mode', 'writes', '--vfs-write-back', '1h', '--daemon'];
      await world.run(['mount', 'store:bucket', world.mnt, ...flags]);
      await writeFile(join(world.mnt, 'a'), 'waits');
      const { pid } = (await json()).find(({ mountPoint }) => mountPoint === world.mnt) ?? {};
      const directories = controlFolders({}, { HOME: join(world.dir, '../home') });
      const sockets = directories.flatMap((dir) => globSync(join(dir, `${pid}-*.sock`)));
      expect(sockets).toHaveLength(1);
      // As before it listens, until unmount has looked for it.
      for (const socket of sockets) await rename(socket, `${socket}.later`);
      const unmounting = world.start(['unmount', '--wait', world.mnt]);
      await Promise.race([sleep(700), unmounting.ended]);
      for (const socket of sockets) await rename(`${socket}.later`, socket);
      const { code, stderr } = await unmounting.ended;
      expect([code, stderr]).toEqual([0, '']);
      expect(await readFile(join(world.bucket, 'a'), 'utf8')).toBe('waits');
    },
  );

  test('as mount(8) calls a helper', async () => {
    const helper = join(world.beside, 'mount.syncer');
    await symlink(PROGRAM, helper);
    await writeFile(join(world.bucket, 'a'), 'x');
    const options = 'rw,_netdev,noauto,x-systemd.automount,ro,vfs_cache_mode=writes,umask=077';
    const words = [process.execPath, helper, 'store:bucket', world.mnt, options];
    const through = ['sh', '-c', 'exec "$1" "$2" "$3" "$4" -o "$5"', 'sh', ...words];
    const { code, stderr } = await world.run([], { through });
    expect([code, stderr]).toEqual([0, '']);
    expect((await stat(join(world.mnt, 'a'))).mode & 0o777).toBe(0o600);
    await expect(writeFile(join(world.mnt, 'b'), '')).rejects.toThrow('EROFS');
    expect((await world.run(['unmount', world.mnt])).code).toBe(0);
  });
});

test('--print-unit mounts nothing', async () => {
  const flags = ['--vfs-cache-mode', 'full', '--daemon', '--print-unit'];
  const { code, stdout } = await world.run(['mount', 'store:bucket', world.mnt, ...flags]);
  const unit = stdout.toString();
  expect([code, isMounted(world.mnt)]).toEqual([0, false]);
  expect(unit).toContain('Type=notify\n');
  // Node cannot start under it.
  expect(unit).not.toContain('MemoryDenyWriteExecute');
  expect(unit).toMatch(
    new RegExp(`^ExecStart=.* mount store:bucket ${world.mnt} --vfs-cache-mode full$`, 'm'),
  );
  expect(unit).toContain(`Environment="SYNCER_CONFIG=${world.config}"`);
});

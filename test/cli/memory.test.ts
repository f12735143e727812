import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { ALL } from '../support/in-part.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';
import { startServe } from './start-serve.ts';

const MIB = 1024 ** 2;
const GROUP = `syncer-test-${process.pid}`;

/** A cgroup with a limit of 200 MiB, if this user can create one, and how to run a program in it. */
const group = [
  { folder: `/sys/fs/cgroup/memory/${GROUP}`, limit: 'memory.limit_in_bytes' },
  { folder: `/sys/fs/cgroup/${GROUP}`, limit: 'memory.max' },
].find(({ folder, limit }) => {
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, limit), String(200 * MIB), { flag: 'r+' });
    return true;
  } catch {
    try {
      rmdirSync(folder);
    } catch {
      // It was never there.
    }
    return false;
  }
});

let world: SyncerWorld;
beforeEach(async () => {
  world = await makeSyncerWorld({ inOwnProcess: true });
});
afterEach(() => world.remove());
afterAll(() => {
  if (group !== undefined) rmdirSync(group.folder);
});

test.skipIf(group === undefined || !ALL)(
  '16 uploads in parts fit into a container of 200 MiB',
  async () => {
    const [files, size] = [16, 17 * MIB];
    await Promise.all([
      mkdir(join(world.dir, 'a')),
      mkdir(join(world.dir, 'served/bucket'), { recursive: true }),
    ]);
    for (let i = 0; i < files; i++) {
      const file = await open(join(world.dir, `a/f${i}`), 'w');
      await file.truncate(size);
      await file.close();
    }
    const server = await startServe(world, [join(world.dir, 'served')]);
    await writeFile(
      world.config,
      `[s]\ntype = s3\nprovider = Other\nendpoint = ${server.endpoint}\nupload_cutoff = 5M\nchunk_size = 5M\n`,
      { mode: 0o600 },
    );
    const enter = 'echo $$ > "$0/cgroup.procs"; exec "$@"';
    const through = ['sh', '-c', enter, group?.folder ?? ''];
    const ended = await world.run(['copy', 'a', 's:bucket', '--transfers', String(files)], {
      through,
    });
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(
      (await readdir(join(world.dir, 'served/bucket'))).filter((name) => name !== '.syncer-s3'),
    ).toHaveLength(files);
    server.running.kill('SIGTERM');
    await server.running.ended;
  },
);

test('too little memory is reported, and the copy is made with what is needed', async () => {
  await mkdir(join(world.dir, 'a'));
  await writeFile(world.config, '');
  for (let i = 0; i < 40; i++)
    await writeFile(join(world.dir, `a/f${i}`), Buffer.alloc(100_000, i));
  const { code, stderr } = await world.run([
    'copy',
    'a',
    'b',
    '--memory',
    '10M',
    '--transfers',
    '64',
  ]);
  expect(code).toBe(0);
  expect(stderr).toContain('--memory: at least 96Mi are needed');
  expect(await readdir(join(world.dir, 'b'))).toHaveLength(40);
});

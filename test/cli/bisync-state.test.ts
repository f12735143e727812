import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, rename, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { machineBoot, ownMark } from '../../src/system/owner-state.ts';
import { bisyncWorld } from '../support/bisync-world.ts';
import { damageDatabase } from '../support/state-rows.ts';

const pipe = (path: string) => promisify(execFile)('mkfifo', [path]);

const { world, at, bisync, filesIn, edit, expectBoth } = bisyncWorld();

test.each([
  ['--workdir', 'a/state'],
  ['--workdir', 'b'],
  ['--backup-dir1', 'a/old'],
  ['--backup-dir2', 'b/old'],
])('%s may not be %s, where its files would be synced', async (flag, dir) => {
  await edit('a/f', '1');
  const run = await bisync(` ${flag} ${at(dir)}`);
  expect(run.code).toBe(7);
  expect(run.stderr).toMatch(new RegExp(`${flag}: ".*" is .*its files would count as files`));
  expect(await filesIn('b')).toEqual({});
});

test('--workdir may be in a side if it is excluded', async () => {
  await edit('a/f', '1');
  const flags = ` --workdir ${at('a/state')} --exclude /state/**`;
  expect((await bisync(flags)).code).toBe(0);
  expect(await filesIn('b')).toEqual({ f: '1' });
  await unlink(at('b/f'));
  await edit('b/g', '2');
  expect((await bisync(flags)).code).toBe(0);
  expect(Object.keys(await filesIn('a')).filter((path) => !path.startsWith('state/'))).toEqual([
    'g',
  ]);
});

test('a state directory that cannot be written is named, before anything is changed', async () => {
  await edit('a/f', '1');
  await writeFile(at('file'), '');
  const run = await bisync(` --workdir ${at('file/state')}`);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(`cannot keep the state of bisync in "${at('file/state')}": mkdir`);
  expect(run.stderr).toContain('or name another directory with --workdir');
  expect(await filesIn('b')).toEqual({});
});

test('a state that is not a file is an error, before anything is changed', async () => {
  await edit('a/f', '1');
  await bisync(` --workdir ${at('state')}`);
  const file = join(at('state'), 'state.db');
  await rename(file, at('kept'));
  await edit('a/g', '2');
  const blocks = [() => mkdir(join(file, 'in-the-way'), { recursive: true }), () => pipe(file)];
  for (const block of blocks) {
    await block();
    const run = await bisync(` --workdir ${at('state')}`);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`not a regular file: ${file}`);
    expect(await filesIn('b')).toEqual({ f: '1' });
    await rm(file, { recursive: true });
  }
  await rename(at('kept'), file);
  expect((await bisync(` --workdir ${at('state')}`)).code).toBe(0);
  await expectBoth({ f: '1', g: '2' });
});

const withState = async (change: (state: DatabaseSync) => void) => {
  const state = new DatabaseSync(join(at('state'), 'state.db'));
  change(state);
  state.close();
};

test.each([
  ['an earlier boot of this machine', '00000000-1-0', machineBoot().machine, 'earlier', 0],
  ['another machine', '00000000-1-0', 'another', 'boot', 75],
  ['a process that has ended', ownMark().replace(/-\w+$/, '-1'), '', '', 0],
])('a lock of %s', async (_, mark, machine, boot, code) => {
  await edit('a/f', '1');
  await bisync(` --workdir ${at('state')}`);
  const lock = (seenMs: number) =>
    withState((state) => {
      const sql = 'UPDATE pairs SET owner = ?, machine = ?, boot = ?, seen_ms = ?';
      state.prepare(sql).run(mark, machine, boot, seenMs);
    });
  await lock(Date.now() - 3 * 60_000);
  const run = await bisync(` --workdir ${at('state')}`);
  expect(run.code).toBe(code);
  if (code === 0) return;
  expect(run.stderr).toMatch(
    /another bisync of these two paths is running on another machine, which was last seen at 20/,
  );
  expect(run.stderr).toContain('if its machine is gone, run again with --max-lock 2m');
  expect((await bisync(` --workdir ${at('state')} --max-lock 4m`)).code).toBe(75);
  await lock(Date.now() - 100_000);
  expect((await bisync(` --workdir ${at('state')} --max-lock 1s`)).code).toBe(75);
  await lock(Date.now() - 3 * 60_000);
  expect((await bisync(` --workdir ${at('state')} --max-lock 2m`)).code).toBe(0);
  // Its clock was ahead.
  await lock(Date.now() + 86_400_000);
  expect((await bisync(` --workdir ${at('state')} --max-lock 2m`)).code).toBe(0);
});

test('what an earlier version left stops a run, until --resync', async () => {
  await edit('a/f', '1');
  await edit('b/g', '2');
  const places = ['a', 'b'].map((side) => JSON.stringify(['disk', realpathSync(at(side))]));
  const name = createHash('sha256').update(JSON.stringify(places)).digest('hex').slice(0, 32);
  const file = join(world.env.HOME, '.local/state/syncer/bisync', `${name}.jsonl`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '{"bisync":1}\n');
  for (const flags of ['', ' --dry-run', ' --check-sync only']) {
    const run = await bisync(flags);
    expect(run.code).toBe(7);
    expect(run.stderr).toContain(`earlier state of bisync found in ${file}`);
    expect(run.stderr).toContain('run bisync with --resync');
  }
  expect(await filesIn('b')).toEqual({ g: '2' });
  expect((await bisync(' --resync --dry-run')).code).toBe(0);
  expect(existsSync(file)).toBe(true);
  expect((await bisync(' --resync')).code).toBe(0);
  expect(existsSync(file)).toBe(false);
  await expectBoth({ f: '1', g: '2' });
  expect((await bisync()).code).toBe(0);
});

test('a damaged state stops a run before anything is changed, and names the way out', async () => {
  await edit('a/f', '1');
  await edit('a/g', '1');
  const flags = ` --workdir ${at('state')}`;
  await bisync(flags);
  await unlink(at('a/f'));
  await withState((state) => state.exec("UPDATE agreed SET page = X'5B5D'"));
  const run = await bisync(flags);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('what both sides had in "" after the last run is damaged');
  expect(run.stderr).toContain('run bisync with --resync');
  expect(await filesIn('b')).toEqual({ f: '1', g: '1' });
  expect((await bisync(`${flags} --resync`)).code).toBe(0);
  await expectBoth({ f: '1', g: '1' });
  await unlink(at('a/f'));
  const file = join(at('state'), 'state.db');
  damageDatabase(file);
  for (const more of ['', ' --resync']) {
    const refused = await bisync(flags + more);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`is damaged: ${file}`);
    expect(refused.stderr).toContain(`move ${file}* away, then bisync with --resync`);
  }
  expect(await filesIn('b')).toEqual({ f: '1', g: '1' });
});

test.each(['gone', 'empty'])(
  'a state that is %s stops a run; what its copy knows is not believed',
  async (how) => {
    const file = join(world.env.HOME, '.local/state/syncer/state.db');
    await rm(dirname(file), { recursive: true });
    await edit('a/f', '1');
    await edit('a/g', '1');
    await bisync();
    await rename(at('a/f'), at('f'));
    await bisync();
    await expectBoth({ g: '1' });
    // It came back, and is on one side only.
    await rename(at('f'), at('a/f'));
    if (how === 'gone') await rm(file);
    else await truncate(file);
    const refused = await bisync();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`the state of syncer is ${how}: ${file}`);
    expect(refused.stderr).toContain('run "syncer doctor --fix", then bisync with --resync');
    const doctor = await world.syncer('doctor --json');
    expect(doctor.stdout).toContain(`the state of syncer is ${how}: ${file}`);
    const fixed = await world.syncer('doctor --fix --json');
    expect(fixed.stdout).toMatch(/restored the copy of .*run bisync with --resync/);
    const after = await bisync();
    expect(after.code).toBe(7);
    expect(after.stderr).toContain('run bisync with --resync, which deletes nothing');
    expect(await filesIn('a')).toEqual({ f: '1', g: '1' });
    expect((await bisync(' --resync')).code).toBe(0);
    await expectBoth({ f: '1', g: '1' });
    await unlink(at('a/f'));
    expect((await bisync()).code).toBe(0);
    await expectBoth({ g: '1' });
  },
);

test('a state directory that is damaged is left to doctor', async () => {
  await edit('a/f', '1');
  const file = join(world.env.HOME, '.local/state/syncer/state.db');
  await mkdir(dirname(file), { recursive: true });
  damageDatabase(file);
  const run = await bisync();
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('run "syncer doctor --fix", then bisync with --resync');
  expect(await filesIn('b')).toEqual({});
  await rm(dirname(file), { recursive: true });
});

test('--backup-dir2 keeps what earlier runs have kept', async () => {
  await edit('a/f', '1');
  await edit('a/g', '1');
  await bisync();
  const flags = ` --backup-dir2 ${at('old')}`;
  await edit('a/f', '2');
  await bisync(flags);
  await edit('a/f', '3');
  await bisync(flags);
  await unlink(at('a/f'));
  expect((await bisync(flags)).code).toBe(0);
  expect(await filesIn('old')).toEqual({ f: '1', 'f~2': '2', 'f~3': '3' });
});

test('a ring of three pairs, in which a deletion goes round, is noticed', async () => {
  const pair = async (one: string, other: string) => {
    const run = await world.syncer(`bisync ${at(one)} ${at(other)}`);
    expect(run.code, run.stderr).toBe(0);
    return run.stderr;
  };
  const round = async () =>
    (await pair('a', 'b')) + (await pair('b', 'c')) + (await pair('c', 'a'));
  for (const name of ['a', 'b', 'c'])
    for (const file of ['k1', 'k2']) await edit(`${name}/${file}`, file);
  await round();
  await edit('a/f', 'new');
  await pair('a', 'b');
  await pair('c', 'a');
  await unlink(at('b/f'));
  const said = [await round(), await round(), await round()].join('');
  expect(said).toMatch(/NOTICE: f: Copied to path[12] again, although an earlier run deleted it/);
  expect(said).toContain('are in a ring');
});

test('an ordinary round of deletions and new files is no ring', async () => {
  for (const file of ['k1', 'k2', 'f']) await edit(`a/${file}`, file);
  await bisync();
  await unlink(at('b/f'));
  await bisync();
  await edit('a/f', 'another file of this name');
  const run = await bisync();
  expect(run.code).toBe(0);
  expect(run.stderr).not.toContain('again');
});

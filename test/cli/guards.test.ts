import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { someOf } from '../support/in-part.ts';
import { inProcessWorld } from '../support/in-process-world.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';
import { damageDatabase } from '../support/state-rows.ts';

const world = inProcessWorld();
const { syncer, names } = world;

const many = (count: number): Tree =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 'x']));

const below = (dir: string, count: number): Tree =>
  Object.fromEntries(Object.entries(many(count)).map(([name, text]) => [`${dir}/${name}`, text]));

/** Writes the two sides, and runs with a state of their own: what guards remember is of this test. */
async function sides(a: Tree, b: Tree): Promise<void> {
  await mkdir(join(world.dir, 'a'), { recursive: true });
  await mkdir(join(world.dir, 'b'), { recursive: true });
  await writeTree(join(world.dir, 'a'), a);
  await writeTree(join(world.dir, 'b'), b);
}

const dest = async () => Object.keys((await readTree(join(world.dir, 'b'))) ?? {}).length;

const MODES = ['', ' --delete-before', ' --delete-during', ' --delete-after --ignore-errors'];
const TRIPPING: readonly [guard: string, source: number, dest: number][] = [
  ['empty', 0, 3],
  ['percent=50', 1, 101],
  ['count=2', 1, 4],
  ['on', 0, 3],
];

describe.each(TRIPPING)('--guard %s', (guard, before, after) => {
  beforeEach(() => sides(many(before), many(after)));

  test.each(someOf(MODES, 2))('deletes nothing%s', async (mode) => {
    for (const more of ['', ' --dry-run', ' --backup-dir @old']) {
      const run = await syncer(`sync @a @b --guard ${guard}${mode}${more}`);
      expect(run.code).toBe(21);
      expect(run.stderr).toMatch(/guard \w+: .* f\d.*; nothing was deleted; if they may go, run:/);
      expect(await dest()).toBe(after);
    }
  });

  test.each(someOf(MODES, 2))('goes on with the number that it named%s', async (mode) => {
    const { stderr } = await syncer(`sync @a @b --guard ${guard}${mode}`);
    const [, command = ''] = /run: syncer (.*)/.exec(stderr) ?? [];
    expect(command).toContain(`--allow-deletes ${after - before}`);
    const other = command.replace(/\d+$/, `${2 * after}`);
    const run = (line: string) => runInProcess(line.split(' '), world.env);
    expect((await run(other)).code).toBe(21);
    expect((await run(`${command} --dry-run`)).code).toBe(0);
    expect(await dest()).toBe(after);
    expect((await run(command)).code).toBe(0);
    expect(await dest()).toBe(before);
  });

  test('a variable and the file of defaults turn it on, --guard off turns it off', async () => {
    const [line, env] = [['sync', `${world.dir}/a`, `${world.dir}/b`], world.env];
    expect((await runInProcess(line, { ...env, SYNCER_GUARD: guard })).code).toBe(21);
    const own = join(world.dir, 'own.conf');
    await writeFile(join(world.dir, 'defaults.conf'), `[default]\nguard = ${guard}\n`);
    expect((await runInProcess([...line, '--config', own], env)).code).toBe(21);
    expect(await dest()).toBe(after);
    const off = [...line, '--config', own, '--guard', 'off'];
    expect((await runInProcess(off, { ...env, SYNCER_GUARD: guard })).code).toBe(0);
    expect(await dest()).toBe(before);
  });
});

describe.each([
  ['empty', ''],
  ['percent=1,count=1', 'new'],
])('--guard %s of a bucket', (guard, source) => {
  /** Without those of the empty files by which a run finds out that its backup is not its source. */
  const deletions = (from: number) =>
    world.s3.log.requests
      .slice(from)
      .filter(({ method, query }) => method === 'DELETE' || query.has('delete'))
      .filter(({ key }) => !key.includes('syncer-partial-')).length;

  test('sends no deletion until it is lifted', async () => {
    const place = `s:guarded${world.count}/p`;
    await sides(source === '' ? {} : { [source]: 'x' }, many(120));
    await syncer(`copy @b ${place}`);
    const from = world.s3.log.requests.length;
    const line = `sync @a ${place} --guard ${guard}`;
    const trashes = ['', ' --trash', ` --backup-dir s:guarded${world.count}/old`];
    const modes = [...MODES, ...trashes, ' --fast-list', ' --max-delete 500'];
    for (const mode of someOf(modes, 3)) {
      for (const more of ['', ' --dry-run', ' --allow-deletes 9']) {
        expect((await syncer(`${line}${mode}${more}`)).code, `${mode}${more}`).toBe(21);
      }
    }
    expect((await syncer(`${line} --allow-deletes 120 --dry-run`)).code).toBe(0);
    expect((await syncer(`${line} --guard off --dry-run`)).code).toBe(0);
    expect(deletions(from)).toBe(0);
    expect((await syncer(`${line} --allow-deletes 120`)).code).toBe(0);
    expect(deletions(from)).toBeGreaterThan(0);
    expect((await syncer(`lsf ${place}`)).stdout).toBe(source === '' ? '' : `${source}\n`);
  });
});

test('what is copied stays; extra directories stay, too', async () => {
  await sides({ new: 'x' }, { 'd/f': 'x', e: 'x' });
  expect((await syncer('sync @a @b --guard count=1 --ignore-errors')).code).toBe(21);
  expect((await names()).filter((path) => /^b.*\w$/.test(path))).toEqual(['b/d/f', 'b/e', 'b/new']);
});

test('a review shows the guard, a saved plan obeys it', async () => {
  await sides({}, many(3));
  const review = await syncer('sync @a @b --guard empty --review');
  expect([review.code, await dest()]).toEqual([0, 3]);
  expect(review.stderr).toContain('guard empty');
  expect((await syncer('sync @a @b --guard empty --save @plan')).code).toBe(0);
  expect((await syncer('apply @plan')).code).toBe(21);
  expect(await dest()).toBe(3);
  expect((await syncer('apply @plan --allow-deletes 3')).code).toBe(0);
  expect(await dest()).toBe(0);
});

test('a percentage of --max-delete deletes nothing, a number deletes so many', async () => {
  await sides({ f0: 'x' }, many(5));
  expect((await syncer('sync @a @b --max-delete 79%')).code).toBe(21);
  expect(await dest()).toBe(5);
  expect((await syncer('sync @a @b --max-delete 3')).code).toBe(7);
  expect(await dest()).toBe(2);
  expect((await syncer('sync @a @b --max-delete 50%')).code).toBe(0);
  expect(await dest()).toBe(1);
  for (const line of ['delete @b', 'purge @b', 'move @b @a']) {
    const run = await syncer(`${line} --max-delete 50%`);
    expect([run.code, await dest()]).toEqual([1, 1]);
    expect(run.stderr).toContain('a percentage is for sync');
  }
});

test.each(['delete @b', 'purge @b', 'move @b @c', 'moveto @b @c'])(
  '%s knows the guard count only',
  async (line) => {
    await sides({}, many(3));
    const run = await syncer(`${line} --guard empty,percent=1,home,marker,count=2`);
    expect(run.code).toBe(21);
    expect(run.stderr).toMatch(/guard count: 3 files would be (deleted|moved away), more than 2/);
    expect(await dest()).toBe(3);
    expect((await syncer(`${line} --guard count=2 --allow-deletes 3 --dry-run`)).code).toBe(0);
    expect(await dest()).toBe(3);
    expect((await syncer(`${line} --guard count=3`)).code).toBe(0);
    expect(await dest()).toBe(0);
  },
);

test('a run in the other direction is stopped before it overwrites anything', async () => {
  await sides({ f: 'old' }, {});
  expect((await syncer('sync @a @b --guard swapped')).code).toBe(0);
  await writeTree(join(world.dir, 'a'), { f: 'newer' });
  const run = await syncer('sync @b @a --guard swapped,empty');
  expect(run.code).toBe(21);
  expect(run.stderr).toMatch(/guard swapped: the last good run went from .*--guard empty\n/);
  expect(await readFile(join(world.dir, 'a/f'), 'utf8')).toBe('newer');
  expect((await syncer('sync @b @a --guard empty')).code).toBe(0);
  expect((await syncer('sync @a @b --guard swapped')).code).toBe(0);
});

test.skipIf(process.getuid?.() !== 0)('a disk that is not mounted any more', async () => {
  await sides({ old: 'x' }, {});
  const mountPoint = join(world.dir, 'a');
  execFileSync('mount', ['-t', 'tmpfs', 'guards-test', mountPoint]);
  try {
    await writeTree(mountPoint, many(3));
    expect((await syncer('sync @a @b --guard same-device')).code).toBe(0);
    expect(await dest()).toBe(3);
  } finally {
    execFileSync('umount', [mountPoint]);
  }
  for (const more of ['', ' --dry-run', ' --delete-before', ' --allow-deletes 3']) {
    const run = await syncer(`sync @a @b --guard on${more}`);
    expect(run.code).toBe(21);
    expect(run.stderr).toMatch(/guard same-device: .* \(tmpfs guards-test\) in the last good run/);
    expect(await dest()).toBe(3);
  }
  expect((await syncer('sync @a @b --guard empty')).code).toBe(0);
  expect((await syncer('sync @a @b --guard same-device')).code).toBe(21);
});

test('the home directory, / and what holds the configuration are no destinations', async () => {
  await sides({}, {});
  const home = join(world.dir, 'b');
  const run = (to: string) =>
    runInProcess(['sync', `${world.dir}/a`, to, '--guard', 'home', '-n'], {
      HOME: home,
      SYNCER_CONFIG: join(home, 'c/syncer.conf'),
    });
  await mkdir(join(home, 'c/d'), { recursive: true });
  for (const [to, why] of Object.entries({
    '/': 'is /',
    [home]: 'is the home directory',
    [`${home}/c`]: 'holds the configuration',
  })) {
    const { code, stderr } = await run(to);
    expect([code, stderr]).toEqual([21, expect.stringContaining(`the destination ${why}`)]);
  }
  expect((await run(`${home}/c/d`)).code).toBe(0);
});

describe('a marker', () => {
  beforeEach(async () => {
    await sides({ f: 'x' }, { extra: 'x' });
    expect((await syncer('guard init @a')).code).toBe(0);
  });

  test('survives whatever is synced, and is in no listing', async () => {
    await syncer('guard init @b');
    const marker = await readFile(join(world.dir, 'b/.syncer-guard'), 'utf8');
    for (const more of ['', ' --delete-excluded --exclude *', ' --delete-before', ' --fast-list']) {
      expect((await syncer(`sync @a @b --guard marker${more}`)).code).toBe(0);
      expect(await readFile(join(world.dir, 'b/.syncer-guard'), 'utf8')).toBe(marker);
    }
    expect((await syncer('lsf -R @a')).stdout).toBe('f\n');
    expect((await syncer('check @a @b --size-only')).stderr).toContain('1 matching files');
    await syncer('delete @b --rmdirs');
    expect(await names()).toEqual(['a/', 'a/.syncer-guard', 'a/f', 'b/', 'b/.syncer-guard']);
    const purge = await syncer('purge @b');
    expect(purge.stderr).toContain('.syncer-guard, too');
    expect(await names()).toEqual(['a/', 'a/.syncer-guard', 'a/f']);
  });

  test('that is missing or another one changes nothing', async () => {
    const path = join(world.dir, 'a/.syncer-guard');
    const value = await readFile(path, 'utf8');
    for (const spoil of [() => rm(path), () => writeFile(path, 'other\n')]) {
      await spoil();
      const run = await syncer('sync @a @b --guard marker');
      expect(run.code).toBe(21);
      expect(run.stderr).toMatch(/guard marker: .*run: syncer guard init /);
      expect(Object.keys((await readTree(join(world.dir, 'b'))) ?? {})).toEqual(['extra']);
    }
    await writeFile(path, value);
    expect((await syncer('sync @a @b --guard marker')).code).toBe(0);
  });

  test('of a name: the file must be there', async () => {
    expect((await syncer('sync @a @b --guard marker=d/here')).code).toBe(21);
    await writeTree(join(world.dir, 'a'), { 'd/here': 'any' });
    expect((await syncer('sync @a @b --guard marker=d/here')).code).toBe(0);
    expect(await names()).toContain('b/d/here');
  });

  test('stays on S3, as destination and as source', async () => {
    const place = `s:guards${world.count}/p`;
    await syncer(`copy @a ${place}`);
    expect((await syncer(`guard init ${place}`)).code).toBe(0);
    expect((await syncer(`sync @b ${place} --fast-list`)).code).toBe(0);
    expect((await syncer(`lsf -R ${place}`)).stdout).toBe('extra\n');
    expect((await syncer(`cat ${place}/.syncer-guard`)).stdout).toMatch(/^[0-9a-f]{32}\n$/);
    expect((await syncer(`sync ${place} @b --guard marker`)).code).toBe(0);
    expect((await syncer(`purge ${place}`)).code).toBe(0);
    expect((await syncer(`cat ${place}/.syncer-guard`)).stdout).toBe('');
    expect((await syncer(`sync ${place} @b --guard marker`)).code).toBe(21);
  });
});

describe('runs that no one looks at', () => {
  let program: SyncerWorld;
  beforeEach(async () => {
    program = await makeSyncerWorld();
    await writeTree(join(program.dir, 'a'), many(200));
  });
  afterEach(() => program.remove());

  const left = async () => Object.keys((await readTree(join(program.dir, 'b'))) ?? {}).length;

  test('a job obeys guards', async () => {
    const job = ['job', 'x', '--', 'sync', 'a', 'b', '--guard', 'count=3'];
    expect((await program.run(job)).code).toBe(0);
    expect((await program.run(['run', 'x'])).code).toBe(0);
    await rm(join(program.dir, 'a'), { recursive: true });
    await mkdir(join(program.dir, 'a'));
    const run = await program.run(['run', 'x']);
    expect([run.code, await left()]).toEqual([21, 200]);
    expect((await program.run(['run', 'x', '--allow-deletes', '200'])).code).toBe(0);
    expect(await left()).toBe(0);
  });

  test('--watch compares a few directories with the numbers of all', async () => {
    await writeTree(join(program.dir, 'a'), { ...below('d', 60), ...below('e', 300) });
    const words = ['sync', 'a', 'b', '--watch', '--watch-delay', '50ms', '--guard'];
    const watching = program.start([...words, 'empty,percent=50']);
    // With the directory.
    await expect.poll(left).toBe(200 + 62 + 300);
    await rename(join(program.dir, 'a/d'), join(program.dir, 'd'));
    await expect.poll(left).toBe(200 + 301);
    await rename(join(program.dir, 'a/e'), join(program.dir, 'e'));
    expect((await watching.ended).code).toBe(21);
    expect(watching.seen.stderr).toContain('300 of 560 files');
    expect(await left()).toBe(200 + 301);
  });
});

test('what guards remember is no ground to go on if it is damaged', async () => {
  await sides({ f: 'x' }, {});
  const state = join(world.dir, 'state');
  const run = () =>
    runInProcess(['sync', `${world.dir}/a`, `${world.dir}/b`, '--guard', 'swapped'], {
      ...world.env,
      XDG_STATE_HOME: state,
    });
  expect((await run()).code).toBe(0);
  damageDatabase(join(state, 'syncer/state.db'));
  const damaged = await run();
  expect(damaged.code).toBe(21);
  expect(damaged.stderr).toMatch(/state of syncer is damaged.*run "syncer doctor --fix"/);
});

test('what an earlier version remembers of two places stops a run', async () => {
  await sides(many(3), many(3));
  const state = join(world.dir, 'earlier');
  const [a, b] = [join(world.dir, 'a'), join(world.dir, 'b')];
  const id = hash('sha256', `disk ${a}\ndisk ${b}`).slice(0, 24);
  const file = join(state, 'syncer/guards', `pair-${id}.json`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '{"sources":["disk /a"],"devices":{}}');
  const env = { ...world.env, XDG_STATE_HOME: state };
  const run = () => runInProcess(['sync', b, a, '--guard', 'on'], env);
  const refused = await run();
  expect(refused.code).toBe(21);
  expect(refused.stderr).toContain(`is not compared: ${file}; look whether`);
  await rm(file);
  expect((await run()).code).toBe(0);
});

test('no home: what needs a memory is refused, numbers are compared', async () => {
  await sides({}, many(3));
  const line = ['sync', `${world.dir}/a`, `${world.dir}/b`, '--guard'];
  const env = { SYNCER_CONFIG: join(world.dir, 'none.conf'), HOME: '' };
  const run = await runInProcess([...line, 'count=2'], env);
  expect(run.code).toBe(21);
  expect(await dest()).toBe(3);
});

test.each(['nothing', 'percent', 'count=x'])('--guard %s is a usage error', async (text) => {
  await sides({}, {});
  expect((await syncer(`sync @a @b --guard ${text}`)).code).toBe(1);
});

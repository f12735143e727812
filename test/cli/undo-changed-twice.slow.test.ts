import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import type { FileEntry, Op, Remote } from '../../src/core/remote.ts';
import type { Command, Invocation } from '../../src/shell/command-line/command.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';
import { randomFrom } from '../support/random-from.ts';
import { runInProcess } from '../support/run-in-process.ts';

const world = inProcessWorld();
const { syncer, lastRun } = world;

/** `move a b`, `write a 5` or `delete a`; what is written has the number as its content and time. */
type Step = string;

/** Where the changes are: on a disk, or in a bucket without or with versions. */
const PLACES = ['a disk', 'a bucket', 'a bucket with versions'] as const;
type Place = (typeof PLACES)[number];

async function makePlace(place: Place): Promise<string> {
  if (place === 'a disk') {
    return world.dir;
  }
  const bucket = `twice${world.count}`;
  await syncer(`mkdir s:${bucket} --no-history`);
  if (place !== 'a bucket') await syncer(`backend versioning s:${bucket} Enabled`);
  return `s:${bucket}`;
}

/** Makes the steps in one run, which keeps what it deletes and replaces. */
async function change(at: string, steps: readonly Step[], flag = '--trash'): Promise<void> {
  const command = async ({ remotes, context }: Invocation) => {
    const remote = await remotes.openDir(at);
    for (const step of steps) await take(remote, step, { signal: context.signal });
  };
  const load = async (): Promise<Command> => command;
  const commands = COMMANDS.map((each) => (each.name === 'delete' ? { ...each, load } : each));
  const { code, stderr } = await runInProcess(['delete', at, flag], world.env, { commands });
  expect(code, `${steps.join('; ')}: ${stderr}`).toBe(0);
}

async function take(remote: Remote, step: Step, op: Op): Promise<void> {
  const [verb, path = '', more = ''] = step.split(' ');
  const old = await remote.stat(verb === 'move' ? more : path, op);
  const own: Op = { ...op, change: { replaces: (old as FileEntry | undefined) ?? 'nothing' } };
  if (verb === 'write') {
    const body = Buffer.from(more);
    const modTime = BigInt(1_500_000_000 + Number(more)) * 1_000_000_000n;
    await remote.write(
      { path, size: body.length, modTime, seekable: false, open: async () => body },
      own,
    );
    return;
  }
  const file = (await remote.stat(path, op)) as FileEntry;
  const { moveFrom, copyFrom } = remote.can;
  if (verb === 'delete') await remote.delete([file], op);
  else if (moveFrom) await moveFrom(remote, file, more, own);
  else {
    await copyFrom?.(remote, file, more, own);
    await remote.delete([file], { ...op, change: { keptAt: { remote, path: more } } });
  }
}

/** The files of a place by path; and all contents that are there, or that its trash or its server keeps. */
async function held(at: string) {
  const [bucket = '', dir = ''] = at.replace('s:', '').split('/');
  const root = at.startsWith('s:') ? join(world.s3.root, bucket) : at;
  const below = dir === '' || !at.startsWith('s:') ? '' : `${dir}/`;
  const files: Record<string, string> = {};
  const all = new Set<string>();
  for (const [path, text] of Object.entries((await readTree(root)) ?? {})) {
    const content = text.replace(/@.*/, '');
    if (path.endsWith('/') || /records|bucket\.json/.test(path)) continue;
    all.add(content);
    if (path.startsWith(below) && !path.includes('.syncer-'))
      files[path.slice(below.length)] = content;
  }
  return { files, all };
}

test.each(PLACES)(
  'what was moved comes back although its new name has changed: %s',
  async (place) => {
    const at = await makePlace(place);
    await change(at, ['write a 1', 'write b 2', 'write c 3'], '--no-history');
    await change(at, ['move a p', 'move b p', 'move c p']);
    const run = await lastRun();
    await change(at, ['write p 9'], '--no-history');
    // A server with versions also has what the change itself has replaced.
    const wanted = {
      a: '1',
      b: '2',
      p: '9',
      ...(place === 'a bucket with versions' && { c: '3' }),
    };
    for (const _ of ['first', 'again']) {
      const { code, stderr } = await syncer(`undo ${run}`);
      expect((await held(at)).files, stderr).toEqual(wanted);
      expect([code, stderr]).toEqual([22, expect.stringContaining('p: Left as it is')]);
    }
  },
);

/** Steps that are possible one after the other; `files` is what is there, and changes. */
function randomSteps(
  random: (below: number) => number,
  files: Map<string, number>,
  most: number,
  next: () => number,
): readonly Step[] {
  const pick = (from: readonly string[]) => from[random(from.length)] ?? '';
  return Array.from({ length: 1 + random(most) }, () => {
    const path = pick([...files.keys()]);
    const to = pick(['a', 'b', 'c', 'd'].filter((name) => name !== path));
    const kind = files.size === 0 ? 0 : random(4);
    if (kind === 0) {
      files.set(to, next());
      return `write ${to} ${files.get(to)}`;
    }
    const content = files.get(path) ?? 0;
    files.delete(path);
    if (kind === 1) return `delete ${path}`;
    files.set(to, content);
    return `move ${path} ${to}`;
  });
}

/** Environment: SEEDS trials on each place, from SEED. */
const { SEEDS = '8', SEED = '1' } = process.env;

test.each(PLACES)(
  'runs that change paths again and again are undone around edits: %s',
  async (place) => {
    for (let seed = Number(SEED); seed < Number(SEED) + Number(SEEDS); seed++) {
      const at = `${await makePlace(place)}/${seed}`;
      const random = randomFrom(seed);
      let last = 100 * seed;
      const next = () => ++last;
      const files = new Map([...'abc'].map((path) => [path, next()] as const));
      const first = [...files].map(([path, content]) => `write ${path} ${content}`);
      await change(at, first, '--no-history');
      const before = (await held(at)).files;
      const steps = randomSteps(random, files, 6, next);
      await change(at, steps);
      const run = await lastRun();
      const edits =
        random(4) === 0
          ? []
          : randomSteps(random, files, 2, next).filter((step) => !step.startsWith('move'));
      const edited = new Set(edits.map((step) => step.split(' ')[1]));
      if (edits.length > 0) await change(at, edits, '--no-history');
      const then = await held(at);
      const { code, stderr } = await syncer(`undo ${run}`);
      const now = await held(at);
      const told = `seed ${seed}, ${steps.join('; ')} | ${edits.join('; ')}\n${code} ${stderr}\n${JSON.stringify([before, then.files, now.files])}`;
      expect(
        [...then.all].filter((content) => !now.all.has(content)),
        told,
      ).toEqual([]);
      for (const path of 'abcd') {
        const [old, is] = [before[path], now.files[path]];
        if (edited.has(path)) expect(is, told).toBe(then.files[path] ?? is);
        else if (is !== undefined && is !== old) expect(stderr, told).toContain(` ${path}: Left`);
        // What was there is there again, or is where the run has put it.
        else if (old !== undefined && then.all.has(old))
          expect(Object.values(now.files), told).toContain(old);
      }
      if (edits.length === 0) expect([code, now.files], told).toEqual([0, before]);
      // A path may have the same content before the run and at some time during it: nothing is lost, wherever it is.
      const again = await syncer(`undo ${run}`);
      const kept = (await held(at)).all;
      expect(
        [...now.all].filter((each) => !kept.has(each)),
        again.stderr,
      ).toEqual([]);
    }
  },
);

test.each(PLACES)(
  'what is the only copy of a file that undo leaves is not deleted: %s',
  async (place) => {
    const [at, from] = [await makePlace(place), join(world.dir, 'from')];
    await writeTree(from, { f: 'old' });
    const run = async (line: string) => {
      const { code, stderr } = await syncer(line);
      expect(code, stderr).toBe(0);
    };
    await run(`move @from ${at}/to`);
    const moved = await lastRun();
    await writeTree(from, { f: 'mine' });
    const left = await syncer(`undo ${moved} --trash=false`);
    expect([left.code, left.stderr]).toEqual([22, expect.stringContaining('Left as it is')]);
    expect((await held(`${at}/to`)).files['f'] ?? (await held(at)).files['to/f']).toBe('old');
    await run(`sync @from ${at}/to --backup-dir ${at}/bak`);
    const synced = await lastRun();
    await writeTree(from, { f: 'edited since' });
    await run(`copy @from ${at}/to --no-history`);
    expect((await syncer(`undo ${synced} --trash=false`)).code).toBe(22);
    expect(await readTree(join(world.dir, 'from'))).toMatchObject({ f: 'edited since@1000000000' });
    expect([...(await held(at)).all]).toContain('old');
    await run(`undo ${synced} --force --trash=false`);
  },
);

test.each(PLACES.slice(1))(
  'an undo that ends after any number of its changes loses nothing, and another one goes on: %s',
  async (place) => {
    const bucket = await makePlace(place);
    for (let most = 0, isWhole = false; !isWhole; most++) {
      const at = `${bucket}/${most}`;
      const [a, b, c] = [1000 + 10 * most, 1001 + 10 * most, 1002 + 10 * most];
      await change(at, [`write a ${a}`, `write b ${b}`, `write c ${c}`], '--no-history');
      await change(at, ['move a p', 'move b p', 'move c p']);
      const run = await lastRun();
      await change(at, [`write p ${c + 1}`], '--no-history');
      const then = await held(at);
      let made = 0;
      world.s3.setFaults(({ method, operation }) => {
        if (method === 'GET' || method === 'HEAD') return undefined;
        return made++ < most || operation === 'unknown' ? undefined : { status: 403 };
      });
      const first = await syncer(`undo ${run} --retries 1 --trash=false`);
      world.s3.setFaults(undefined);
      isWhole = made <= most;
      const now = await held(at);
      expect(
        [...then.all].filter((one) => !now.all.has(one)),
        first.stderr,
      ).toEqual([]);
      const second = await syncer(`undo ${run} --trash=false`);
      expect((await held(at)).files, second.stderr).toMatchObject({
        ...{ a: `${a}`, b: `${b}`, p: `${c + 1}` },
      });
      expect(most).toBeLessThan(30);
    }
  },
);

test('what is declined does not count as undone for what the run did before', async () => {
  const at = await makePlace('a disk');
  await change(at, ['write a 1', 'write b 2'], '--no-history');
  await change(at, ['move a p', 'delete p', 'move b p']);
  const run = await lastRun();
  const undo = (input: string) => runInProcess(['undo', run, '-i'], world.env, { input });
  // The file of b stays at p: that of a can only come from the trash, and not over it.
  const { stderr } = await undo(`n\n${'y\n'.repeat(9)}`);
  expect((await held(at)).files, stderr).toEqual({ a: '1', p: '2' });
  await undo('y\n'.repeat(9));
  expect((await held(at)).files).toEqual({ a: '1', b: '2' });
});

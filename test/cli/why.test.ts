import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTree, writeTree } from '../support/file-tree.ts';
import { ALL } from '../support/in-part.ts';
import { inProcessWorld } from '../support/in-process-world.ts';
import { randomFrom } from '../support/random-from.ts';
import { runInProcess } from '../support/run-in-process.ts';

const world = inProcessWorld();

const PATHS = ['a', 'b.tmp', 'c.jpg', 'd/a', 'd/b.tmp', 'd/e/c.jpg', 'd/e/f/g', 'h/i.jpg'];

const RULES = [
  '- *.tmp',
  '+ *.jpg',
  '- d/**',
  '- /a',
  '+ d/e/**',
  '- h/',
  '- c.*',
  '+ /d/a',
  '!',
  '- *',
];

const FLAGS: readonly (readonly string[])[] = [
  ...[['--checksum'], ['--size-only'], ['--update'], ['--ignore-existing'], ['--existing']],
  ...[['--ignore-times'], ['--delete-excluded'], ['--max-depth', '2'], ['--min-size', '3B']],
  ...[['--max-size', '4B'], ['--exclude-if-present', 'b.tmp'], ['--no-update-modtime']],
  ...[['--include', '*.jpg'], ['--exclude', 'd/*'], ['--hash-filter', '1/2'], ['--no-traverse']],
  ...[['--ignore-size'], ['--modify-window', '3s'], ['--delete-before'], ['--fast-list']],
];

/** Content and time of each file. */
async function contents(dir: string) {
  const found: Record<string, string> = {};
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs } = await stat(path);
    const content = entry.isFile() ? await readFile(path, 'utf8') : '';
    found[path.slice(dir.length + 1)] = `${content}@${mtimeMs}`;
  }
  return found;
}

/** Of so many trials each. */
const [BLOCKS, TRIALS] = ALL ? [4, 50] : [1, 20];

describe('the verdict is what the run then does', () => {
  test.each(Array.from({ length: BLOCKS }, (_, block) => block))(
    'block %i of random runs',
    async (block) => {
      for (let at = 0; at < TRIALS; at++) await oneTrial(block * TRIALS + at);
    },
  );

  async function oneTrial(seed: number): Promise<void> {
    const pick = randomFrom(seed + 1);
    const dir = join(world.dir, `${seed}`);
    const [from, to] = [join(dir, 'from'), join(dir, 'to')];
    await Promise.all([mkdir(from, { recursive: true }), mkdir(to, { recursive: true })]);
    for (const side of [from, to]) {
      for (const path of PATHS) {
        if (pick(3) === 0) continue;
        await writeTree(side, { [path]: ['one', 'two', 'three', 'x'][pick(4)] ?? '' });
        const second = 1_700_000_000 + pick(3) * 2;
        await utimes(join(side, path), second, second);
      }
    }
    const flags = Array.from({ length: pick(4) }, () => FLAGS[pick(FLAGS.length)] ?? []).flat();
    const rules = Array.from({ length: pick(4) }, () => RULES[pick(RULES.length)] ?? '');
    if (rules.length > 0) {
      await writeFile(join(dir, 'rules'), rules.join('\n'));
      flags.push('--filter-from', join(dir, 'rules'));
    }
    const verb = ['sync', 'copy', 'move'][pick(3)] ?? 'sync';
    const path = PATHS[pick(PATHS.length)] ?? '';
    const before = { from: await contents(from), to: await contents(to) };
    const words = ['why', from, to, path, '--json', '--as', verb, ...flags];
    const why = await runInProcess(words, world.env);
    const about = `${seed}: ${verb} ${path} ${flags.join(' ')} [${rules.join(', ')}]: ${why.stdout}${why.stderr}`;
    expect({ from: await contents(from), to: await contents(to) }, about).toEqual(before);
    const run = await runInProcess([verb, from, to, ...flags], world.env);
    const after = { from: await contents(from), to: await contents(to) };
    if (why.stdout === '') return expect([why.code, about]).toEqual([run.code, about]);
    const { action, destinationFilter } = JSON.parse(why.stdout) as {
      action: string;
      destinationFilter?: object;
    };
    const [source, old, now] = [before.from[path], before.to[path], after.to[path]];
    const isMoved = source !== undefined && after.from[path] === undefined;
    const text = (file: string | undefined) => file?.replace(/@.*/, '');
    const did = () => {
      if (old !== undefined && now === undefined) return 'delete';
      if (old === undefined && now !== undefined) return verb === 'move' ? 'move' : 'copy';
      if (text(old) !== text(now)) return 'update';
      if (old !== now) return isMoved ? 'update or time' : 'time';
      return isMoved ? 'delete' : 'nothing';
    };
    const kinds: Readonly<Record<string, readonly string[]>> = {
      // The same content, written or only given a time.
      time: ['time', 'update', 'update or time', 'move'],
      nothing: ['skip', 'exclude', 'update', 'move'],
      'update or time': ['update', 'time', 'move'],
      update: ['update', 'move', ...(destinationFilter === undefined ? [] : ['copy'])],
      delete: isMoved ? ['delete', 'update', 'move'] : ['delete'],
    };
    const what = did();
    expect(kinds[what] ?? [what], about).toContain(action);
    const isSaidUnchanged = action === 'skip' || action === 'exclude';
    expect(isSaidUnchanged && what !== 'nothing', about).toBe(false);
    if (what === 'nothing' && !isSaidUnchanged) {
      // Written again with what was there.
      expect(text(source), about).toBe(text(old));
      expect(flags, about).toContain('--ignore-times');
    }
  }
});

describe('what is shown', () => {
  const prepared = async () => {
    await writeTree(join(world.dir, 'a'), {
      'd/x.jpg': 'long',
      'd/y.tmp': 't',
      'e/.no': '',
      'e/z': '',
      '.syncer-trash/run/f': '',
    });
    await writeTree(join(world.dir, 'b'), { 'd/x.jpg': 'short', gone: 'g' });
    await writeFile(join(world.dir, 'rules'), '# comment\n- *.tmp\n+ *.jpg\n');
  };

  test.each([
    [
      'd/x.jpg',
      'included: + *.jpg (--filter-from',
      'line 3',
      'update: Sizes differ (src 4 vs dst 5)',
    ],
    ['d/y.tmp', 'excluded: - *.tmp (--filter-from', 'line 2', 'exclude: Excluded: - *.tmp'],
    ['gone', 'included: no filter rule excludes it', 'delete gone of', 'delete: not at the source'],
    ['.syncer-trash', 'excluded: an entry of syncer itself', 'exclude: '],
    ['.syncer-trash/run/f', 'excluded: an entry of syncer itself', 'exclude: '],
    ['e/z', 'the directory has the file .no', 'not there', '(--exclude-if-present .no)'],
  ])('%s', async (path, ...texts) => {
    await prepared();
    const line = `why @a @b ${path} --filter-from @rules --exclude-if-present .no`;
    const { code, stdout } = await world.syncer(line);
    expect(code).toBe(0);
    for (const text of texts) expect(stdout).toContain(text);
    expect(stdout.trimEnd().split('\n').at(-1)).toContain(`${path}: sync: `);
  });

  test('on S3: only reads', async () => {
    await prepared();
    const place = `s:why${world.count}`;
    await world.syncer(`copy @a ${place}`);
    world.s3.log.clear();
    const { stdout } = await world.syncer(`why @b ${place}/ d/x.jpg --size-only`);
    expect(stdout).toMatch(/d\/x\.jpg: sync: update: Sizes differ \(src 5 vs dst 4\)\n$/);
    expect(world.s3.log.count('PutObject') + world.s3.log.count('DeleteObject')).toBe(0);
    expect(world.s3.log.count('ListObjectsV2')).toBe(2);
  });

  test('the last run that changed the path, on each side', async () => {
    await prepared();
    const place = `s:changed${world.count}`;
    expect((await world.syncer('why @a @b d/x.jpg')).stdout).not.toMatch(/^history/m);
    await world.syncer('touch @a/d/x.jpg');
    await world.syncer(`copy @a ${place}`);
    const { stdout } = await world.syncer(`why @a ${place} d/x.jpg`);
    expect(stdout).toMatch(
      /^history {6}source last changed by run \S+ \(syncer touch .*x\.jpg\), \d+ s ago: time set$/m,
    );
    expect(stdout).toMatch(
      /^ {13}destination last changed by run \S+ \(syncer copy .*\), \d+ s ago: created$/m,
    );
    await world.syncer('sync @a @b');
    expect((await world.syncer('why @a @b d/x.jpg')).stdout).toContain(': updated\n');
    const json = JSON.parse((await world.syncer('why @a @b gone --json')).stdout);
    expect(json.history).toEqual([
      {
        side: 'destination',
        run: expect.any(String),
        began: expect.any(String),
        words: expect.arrayContaining(['sync']),
        changes: ['delete'],
      },
    ]);
  });

  test('a change that failed is none, and a history that cannot be read is a notice', async () => {
    await prepared();
    await mkdir(join(world.dir, 'b/e'), { recursive: true });
    await writeTree(join(world.dir, 'b'), { 'e/z/in-the-way': '' });
    expect((await world.syncer('copyto @a/e/z @b/e/z')).code).not.toBe(0);
    expect((await world.syncer('why @a @b e/z')).stdout).not.toMatch(/^history/m);
    await writeTree(world.dir, { 'state/syncer/runs': 'a file' });
    const { code, stdout, stderr } = await runInProcess(
      ['why', join(world.dir, 'a'), join(world.dir, 'b'), 'gone'],
      { ...world.env, XDG_STATE_HOME: join(world.dir, 'state') },
    );
    expect(code).toBe(0);
    expect(stderr).toContain('cannot read the history of runs in');
    expect(stdout).toContain('gone: sync: delete: ');
  });

  test('a path that is nowhere ends with 4, one that is none with 1', async () => {
    await prepared();
    expect((await world.syncer('why @a @b none')).code).toBe(4);
    for (const path of ['.', '../x', 'a//b', '/']) {
      expect((await world.syncer(`why @a @b ${path}`)).code).toBe(1);
    }
    expect((await world.syncer('why @a/d/x.jpg @b x.jpg')).code).toBe(1);
    expect((await world.syncer('why @none @b x')).code).toBe(3);
  });

  test('a damaged state is a notice, but not with --lock', async () => {
    await writeTree(join(world.dir, 'a'), { f: 'x' });
    const state = join(world.dir, 'state/syncer');
    await mkdir(state, { recursive: true });
    await writeFile(join(state, 'state.db'), 'x'.repeat(9000));
    const env = { ...world.env, XDG_STATE_HOME: join(world.dir, 'state') };
    const why = (...flags: string[]) =>
      runInProcess(['why', `${world.dir}/a`, `${world.dir}/b`, 'f', ...flags], env);
    const run = await why();
    expect(run.code).toBe(0);
    expect(run.stderr).toContain(`is damaged: ${state}/state.db; run "syncer doctor --fix"`);
    expect((await why('--lock')).code).toBe(1);
  });

  test('a guard is the verdict if it trips', async () => {
    await prepared();
    const { code, stdout } = await world.syncer('why @a @b gone --guard marker');
    expect(code).toBe(0);
    expect(stdout).toMatch(/gone: sync: stop: guard marker: there is no \.syncer-guard/);
    expect(Object.keys((await readTree(join(world.dir, 'b'))) ?? {})).toContain('gone');
  });

  test('--trash: where the old file goes', async () => {
    await prepared();
    const into = '.syncer-trash of ';
    const gone = await world.syncer('why @a @b gone --trash');
    expect(gone.stdout).toMatch(/^trash {8}the deleted file is kept in \.syncer-trash of /m);
    expect(gone.stdout).toMatch(/^requests {5}move gone of .* to \.syncer-trash of /m);
    const changed = await world.syncer('why @a @b d/x.jpg --trash-dir @kept');
    expect(changed.stdout).toMatch(/^trash {8}the replaced file is kept in .*kept$/m);
    expect(changed.stdout).toMatch(/keep d\/x\.jpg of .* in .*kept$/m);
    const fresh = await world.syncer('why @a @b d/y.tmp --trash');
    expect(fresh.stdout).toContain('no file of the destination is deleted or replaced');
    expect((await world.syncer('why @a @b gone')).stdout).not.toContain(into);
    expect((await world.syncer('why @a @b gone --trash-dir @b/kept')).code).not.toBe(0);
    expect(Object.keys((await readTree(join(world.dir, 'b'))) ?? {})).not.toContain(
      '.syncer-trash/',
    );
  });

  test('--track-renames: either name of the file, and what the run then does', async () => {
    await prepared();
    await writeTree(join(world.dir, 'a'), { 'new/name': 'moved', other: 'o' });
    await writeTree(join(world.dir, 'b'), { 'old/name': 'moved' });
    const renamed = 'rename: old/name of the destination is renamed to new/name';
    for (const path of ['new/name', 'old/name']) {
      const { stdout } = await world.syncer(`why @a @b ${path} --track-renames`);
      expect(stdout).toContain(`${path}: sync: ${renamed}`);
      expect(stdout).toMatch(/^requests {5}rename old\/name of .* to new\/name$/m);
      const without = await world.syncer(`why @a @b ${path}`);
      expect(without.stdout).not.toContain('renamed');
    }
    const other = await world.syncer('why @a @b other --track-renames');
    expect(other.stdout).toContain('other: sync: copy: ');
    expect(await readTree(join(world.dir, 'b'))).toMatchObject({ 'old/name': expect.anything() });
    const run = await world.syncer('sync @a @b --track-renames -v');
    expect(run.stderr).toContain('Renamed from "old/name"');
  });

  test('--lock-remote: who holds the lock', async () => {
    await prepared();
    const place = `s:locked${world.count}`;
    await world.syncer(`copy @a ${place}`);
    const why = () => world.syncer(`why @b ${place} d/x.jpg --lock-remote`);
    expect((await why()).stdout).toMatch(/^lock {9}no run holds the remote lock$/m);
    const holder = { id: '20261122-101112-7k3f', host: 'there', command: 'syncer sync x y' };
    const record = { ...holder, generation: 1, beat: 2, isReleased: false };
    await writeTree(join(world.dir, 'held'), { '.syncer-lock': JSON.stringify(record) });
    await world.syncer(`copyto @held/.syncer-lock ${place}/.syncer-lock`);
    const held = await why();
    expect(held.stdout).toContain(
      'run 20261122-101112-7k3f on there holds the remote lock: syncer sync x y; the run ends with 75 if',
    );
    expect(held.stdout).toContain('d/x.jpg: sync: update: ');
    const local = await world.syncer('why @a @b gone --lock-remote');
    expect(local.stdout).toMatch(/gone: sync: stop: --lock-remote is not for local directories/);
  });

  test('flags for empty directories: what the run does with one', async () => {
    await prepared();
    await mkdir(join(world.dir, 'a/empty'));
    const made = await world.syncer('why @a @b empty --create-empty-src-dirs');
    expect([made.code, made.stdout]).toEqual([
      0,
      expect.stringMatching(/^empty: sync: make-dir: /m),
    ]);
    const moved = await world.syncer('why @a @b empty --as move --delete-empty-src-dirs');
    expect(moved.stdout).toMatch(
      /^requests {5}delete the directory empty of .*\/a, if it is empty$/m,
    );
    expect(moved.stdout).toMatch(/^empty: move: remove-dir: if empty$/m);
  });
});

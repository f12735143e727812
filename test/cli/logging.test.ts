import { execFile, execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import {
  chmod,
  mkdir,
  open,
  readdir,
  readFile,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pastRuns } from '../../src/state/runs.ts';
import { inState } from '../support/open-state.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';
import { withoutPrivileges } from '../support/without-privileges.ts';

let world: SyncerWorld;
beforeEach(async () => {
  world = await makeSyncerWorld();
  await writeFile(world.config, '');
  await mkdir(join(world.dir, 'src/d'), { recursive: true });
  await writeFile(join(world.dir, 'src/a'), 'hello\n');
  await writeFile(join(world.dir, 'src/d/b'), Buffer.alloc(2000));
});
afterEach(() => world.remove());

const TIME = String.raw`\d{4}/\d\d/\d\d \d\d:\d\d:\d\d`;
const withoutTimes = (text: string) => text.replace(new RegExp(`^${TIME} `, 'gm'), '');
/** Speeds and durations differ from run to run. */
const steady = (text: string) =>
  withoutTimes(text)
    .replace(/[\d.]+ [KMG]?i?B\/s, ETA (-|\w+)/, 'RATE')
    .replace(/(Elapsed time:) +\S+$/m, '$1         N.Ns');

const STATS = [
  '',
  'Transferred:   \t    1.959 KiB / 1.959 KiB, 100%, RATE',
  'Checks:                 0 / 0, -, Listed 3',
  'Transferred:            2 / 2, 100%',
  'Elapsed time:         N.Ns',
  '',
  '',
].join('\n');

test('a copy is silent', async () => {
  expect(await world.run(['copy', 'src', 'dst'])).toMatchObject({ code: 0, stderr: '' });
});

test.each(['--dump=layers', '-vv'])('%s names the layers of a remote', async (flag) => {
  const { stderr } = await world.run(['copy', 'src', 'dst', flag]);
  const found = [...stderr.matchAll(/DEBUG : .*\/(\w+): (Layers .*)/g)].map(([, ...of]) => of);
  const text = 'Layers from the inside out: observers, journal, own-names';
  expect(found).toEqual([
    ['src', text],
    ['dst', text],
  ]);
});

test('-v tells what is copied, and the statistics at the end', async () => {
  const { stderr, stdout } = await world.run(['copy', 'src', 'dst', '-v', '--transfers', '1']);
  expect(stdout.toString()).toBe('');
  expect(steady(stderr)).toBe(
    'INFO  : a: Copied (new)\nINFO  : d/b: Copied (new)\n' +
      `INFO  : d: Set directory modification time (using DirSetModTime)\nINFO  : ${STATS}`,
  );
  const again = await world.run(['copy', 'src', 'dst', '--verbose']);
  expect(withoutTimes(again.stderr)).toContain('INFO  : There was nothing to transfer\n');
});

test('-P without a terminal logs the statistics, --stats-one-line on one line', async () => {
  const { stderr, stdout } = await world.run(['copy', 'src', 'dst', '-P']);
  expect(stdout.toString()).toBe('');
  expect(steady(stderr)).toBe(`NOTICE: ${STATS}`);
  const again = await world.run(['copy', 'src', 'dst', '-P', '--stats-one-line']);
  expect(withoutTimes(again.stderr)).toBe('NOTICE:           0 B / 0 B, -, 0 B/s, ETA -\n');
});

test('--stats logs them for any command', async () => {
  const { stderr, stdout } = await world.run(['ls', 'src', '--stats', '1h', '-v']);
  expect(stdout.toString()).toContain('        6 a\n');
  expect(withoutTimes(stderr)).toMatch(/^INFO {2}: \nTransferred: {3}\t/);
});

test('--dry-run tells what it leaves undone', async () => {
  const { stderr } = await world.run(['copy', 'src', 'dst', '-n']);
  expect(withoutTimes(stderr)).toContain('NOTICE: a: Skipped copy as --dry-run is set (size 6)\n');
});

test.each([
  // The figures of rclone 1.75.2.
  ['copy src dst --backup-dir old', { bytes: 2016, checks: 2, renames: 1, transfers: 2 }],
  ['sync src dst --suffix .old', { bytes: 2016, checks: 3, deletes: 1, renames: 1, transfers: 2 }],
  ['sync src dst --track-renames', { bytes: 2006, checks: 3, renames: 1, transfers: 1 }],
  ['moveto src/a dst/a', { bytes: 6, checks: 0, renames: 1, transfers: 1 }],
])('--dry-run counts as rclone: %s', async (line, expected) => {
  await mkdir(join(world.dir, 'dst'));
  await writeFile(join(world.dir, 'dst/a'), 'older file');
  await writeFile(join(world.dir, 'dst/b'), Buffer.alloc(2000));
  for (const path of ['src/d/b', 'dst/b']) await utimes(join(world.dir, path), 1e9, 1e9);
  const words = [...line.split(' '), '-n', '-v', '--use-json-log'];
  const { stderr } = await world.run(words);
  const { stats } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  expect(stats).toMatchObject({ ...expected, serverSideMoves: 0, serverSideMoveBytes: 0 });
});

test('--use-json-log writes every line as JSON', async () => {
  const { stderr } = await world.run([
    'copy',
    'src',
    'dst',
    '-v',
    '--use-json-log',
    '--transfers=1',
  ]);
  const records = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records.slice(0, 2)).toEqual([
    {
      level: 'info',
      msg: 'Copied (new)',
      size: 6,
      object: 'a',
      objectType: 'string',
      time: expect.any(String),
    },
    {
      level: 'info',
      msg: 'Copied (new)',
      size: 2000,
      object: 'd/b',
      objectType: 'string',
      time: expect.any(String),
    },
  ]);
  expect(records.at(-1)).toMatchObject({
    level: 'info',
    msg: expect.stringContaining('Transferred:   \t'),
    stats: { bytes: 2006, transfers: 2, totalTransfers: 2, errors: 0 },
  });
  const failed = await world.run(['copy', 'nosuch', 'dst', '--use-json-log']);
  const last = JSON.parse(failed.stderr.trimEnd().split('\n').at(-1) ?? '');
  expect(last).toMatchObject({ level: 'error', code: 'directory-not-found' });
  expect(last.msg).toMatch(/^Failed to copy: /);
});

test('the JSON log says of what is left undone which action it was, and the size', async () => {
  const words = ['sync', 'src', 'dst', '-n', '--use-json-log', '--create-empty-src-dirs'];
  const { stderr } = await world.run(words);
  const records = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const undone = records.filter(({ msg }) => msg.startsWith('Skipped '));
  expect(undone).toContainEqual({
    level: 'notice',
    msg: 'Skipped copy as --dry-run is set (size 6)',
    object: 'a',
    objectType: 'string',
    size: 6,
    skipped: 'copy',
    time: expect.any(String),
  });
  const dir = undone.find(({ skipped }) => skipped === 'make directory');
  expect(dir).toMatchObject({ object: 'd' });
  expect(dir).not.toHaveProperty('size');
});

test('--log-file takes it all, and is appended to', async () => {
  const words = ['src', 'dst', '-v', '--log-file', 'log'];
  expect((await world.run(['copy', ...words])).stderr).toBe('');
  expect((await world.run(['copy', ...words])).stderr).toBe('');
  const log = withoutTimes(await readFile(join(world.dir, 'log'), 'utf8'));
  expect(log).toContain('INFO  : a: Copied (new)\n');
  expect(log).toContain('INFO  : There was nothing to transfer\n');
});

test.each([
  // The other flags do nothing without a size.
  [
    ['--log-file-max-backups', '1', '--log-file-max-age', '1h', '--log-file-compress'],
    ['2020', 'l.log'],
  ],
  [
    ['--log-file-max-size', '1M'],
    ['2020', 'NOW', 'l.log'],
  ],
  [
    ['--log-file-max-size', '1M', '--log-file-max-backups', '1'],
    ['NOW', 'l.log'],
  ],
  [
    ['--log-file-max-size', '1M', '--log-file-max-age', '1h'],
    ['NOW', 'l.log'],
  ],
  [
    ['--log-file-max-size', '1M', '--log-file-compress'],
    ['2020.gz', 'NOW.gz', 'l.log'],
  ],
])('a log file of 1 MiB with %j', async (flags, expected) => {
  const dir = join(world.dir, 'logs');
  await mkdir(dir);
  await writeFile(join(dir, 'l.log'), Buffer.alloc(1024 * 1024, 'x'));
  await writeFile(join(dir, 'l-2020-01-01T00-00-00.000.log'), 'old');
  // It runs until its input ends.
  const words = ['rcat', 'dst/a', '-vv', '--log-file', 'logs/l.log', ...flags];
  const running = world.start(words, { input: { open: true } });
  const names = async () =>
    (await readdir(dir)).map((name) =>
      name.replace(/^l-(2020)?.*\.log(\.gz)?$/, (_, year = 'NOW', end = '') => `${year}${end}`),
    );
  await expect.poll(names).toEqual(expected);
  running.end();
  expect((await running.ended).code).toBe(0);
  expect(await readFile(join(dir, 'l.log'), 'latin1')).toMatch(/rcat/);
});

test('--stats-file-name-length cuts names in statistics, --stats-unit chooses the unit of speeds', async () => {
  await writeFile(join(world.dir, 'src/a name that is long.bin'), Buffer.alloc(2_000_000));
  const copy = ['copy', 'src', 'dst', '-v', '--bwlimit', '1M', '--stats', '200ms'];
  const lines = async (...flags: readonly string[]) =>
    (await world.run([...copy, '--ignore-times', ...flags])).stderr.match(/^ \* .*bin:.*$/gm);
  expect((await lines('--stats-file-name-length', '10'))?.[0]).toMatch(
    /^ \* a nam….bin: +\d+% \/ 1.907 MiB, .*B\/s, .+$/,
  );
  expect((await lines('--stats-file-name-length', '0', '--stats-unit', 'bits'))?.[0]).toMatch(
    /^ \* a name that is long.bin: +\d+% \/ 1.907 MiB, .*bit\/s, .+$/,
  );
});

test('--log-systemd begins lines with the priority', async () => {
  const { stderr } = await world.run(['copy', 'src', 'dst', '-vv', '--log-systemd']);
  const lines = stderr.split('\n').filter((line) => /Version|Copied/.test(line));
  expect(lines.filter((line) => !line.startsWith('<'))).toEqual([]);
  expect(lines).toContainEqual(expect.stringMatching(/^<7>DEBUG : syncer: Version/));
  expect(lines).toContain('<6>INFO  : a: Copied (new)');
});

test('logs links and special files unless filtered or skipped by a flag', async () => {
  const special = join(world.dir, 'src/fifo');
  execFileSync('mkfifo', [special]);
  await symlink('a', join(world.dir, 'src/link'));
  const told = async (...flags: readonly string[]) =>
    (await world.run(['lsf', 'src', ...flags])).stderr.match(/(?<=NOTICE: )\w+(?=: Can't)/g) ?? [];
  expect(await told()).toEqual(['fifo', 'link']);
  expect(await told('--skip-specials')).toEqual(['link']);
  expect(await told('--skip-links')).toEqual(['fifo']);
  expect(await told('--exclude', 'l*')).toEqual(['fifo']);
  expect(await told('--include', 'link')).toEqual(['link']);
  const both = await world.run(['copy', 'src', 'dst', '--exclude', 'fifo', '--exclude', 'link']);
  expect(both).toMatchObject({ code: 0, stderr: '' });
});

test('a failure is told with its path and decides the exit code, also with -q', async () => {
  const { stderr, code } = await world.run(['ls', 'nosuch', '-q']);
  expect(code).toBe(3);
  expect(stderr).toMatch(new RegExp(`^${TIME} ERROR : Failed to ls: .*nosuch.*\n$`));
});

test('-vv begins with the version and the command line', async () => {
  const { stderr } = await world.run(['listremotes', '-vv']);
  expect(withoutTimes(stderr)).toMatch(
    /^DEBUG : Setting --config .*\nDEBUG : syncer: Version "v[\d.]+" starting with parameters \["syncer" "listremotes" "-vv"\]\n/,
  );
});

test('a name with a line end in it stays on its line', async () => {
  await writeFile(join(world.dir, 'src', 'x\ny'), '');
  const { stderr } = await world.run(['copy', 'src', 'dst', '-v']);
  expect(withoutTimes(stderr)).toContain('INFO  : x␊y: Copied (new)\n');
});

test('include and exclude flags together bring a hint, and only together', async () => {
  const hint = 'ERROR : Using --filter is recommended instead of both --include and --exclude';
  const both = await world.run(['lsf', 'src', '--include', 'a', '--exclude', 'b']);
  expect(both).toMatchObject({ code: 0, stderr: expect.stringContaining(hint) });
  const alone = await world.run(['lsf', 'src', '--exclude', 'b', '--filter', '+ a']);
  expect(alone).toMatchObject({ code: 0, stderr: '' });
});

test('--dump filters prints the rules', async () => {
  const { stdout } = await world.run(['ls', 'src', '--include', '/a', '--dump', 'filters']);
  expect(stdout.toString()).toMatch(/^--- start filters ---\n.*--- end filters ---\n {8}6 a\n$/s);
});

test('neither the log nor the history has the values of headers or a command for a password', async () => {
  const state = join(world.dir, 'headers-state');
  const words = ['--header', 'Cookie: a=V4lue', '--header-upload=X-Any: V4lue', '--dry-run', '-vv'];
  const secret = ['--password-command', 'echo V4lue'];
  const { code, stderr } = await world.run(['copy', 'src', 'dst', ...words, ...secret], {
    env: { XDG_STATE_HOME: state },
  });
  expect(code, stderr).toBe(0);
  const history = JSON.stringify(await inState(state, (database) => pastRuns(database, 9)));
  expect(stderr).toContain('"Cookie: REDACTED"');
  expect(history).toContain('"Cookie: REDACTED"');
  expect(stderr + history).not.toContain('V4lue');
});

test('equal errors are summed up at the end, without the lines for each file changing', async () => {
  await mkdir(join(world.dir, 'dst/d'), { recursive: true });
  await writeFile(join(world.dir, 'dst/a'), 'another length\n');
  await writeFile(join(world.dir, 'dst/d/b'), 'other');
  const copy = ['copy', 'src', 'dst', '--immutable'];
  const why = 'Source and destination exist but do not match: immutable file modified';
  const { stderr } = await world.run(copy);
  const lines = withoutTimes(stderr).trim().split('\n');
  expect(lines.slice(0, 2).sort()).toEqual([`ERROR : a: ${why}`, `ERROR : d/b: ${why}`]);
  expect(lines).toContain(`NOTICE: 2 files: ${why}`);
  expect(lines.at(-1)).toMatch(/^ERROR : Failed to copy with 2 errors: last error was: /);
  const json = await world.run([...copy, '--use-json-log']);
  expect(json.stderr).not.toContain('2 files:');
});

test('files that may not change are no reason to rename the backups of a sync again', async () => {
  await mkdir(join(world.dir, 'dst'), { recursive: true });
  await writeFile(join(world.dir, 'dst/a'), 'another length\n');
  await writeFile(join(world.dir, 'dst/extra'), 'old');
  const flags = ['--immutable', '--suffix=.bak', '--ignore-errors', '--retries=3'];
  const { stderr } = await world.run(['sync', 'src', 'dst', ...flags]);
  expect(stderr).not.toContain('Attempt');
  expect(await readdir(join(world.dir, 'dst'))).toContain('extra.bak');
});

test.each(['nobody reads', 'somebody has stopped reading'])(
  'a run does not wait for a pipe that %s',
  async (which) => {
    const pipe = join(world.dir, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const { O_RDONLY, O_NONBLOCK } = constants;
    const reader = which === 'nobody reads' ? undefined : await open(pipe, O_RDONLY | O_NONBLOCK);
    // More than a pipe holds.
    for (let number = 0; number < 500; number++) {
      await writeFile(join(world.dir, 'src', `${number}${'x'.repeat(200)}`), '');
    }
    const { code } = await world.run(['copy', 'src', 'dst', '-vv', '--log-file', 'pipe']);
    expect(code).toBe(0);
    expect(await readdir(join(world.dir, 'dst'))).toHaveLength(502);
    const { bytesRead, buffer } = (await reader?.read(Buffer.alloc(500))) ?? {};
    await reader?.close();
    if (reader !== undefined) expect(buffer?.toString('utf8', 0, bytesRead)).toContain('DEBUG : ');
  },
);

test('a pipe as log file gets every line for a slow reader', async () => {
  const pipe = join(world.dir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const read = promisify(execFile)('sh', ['-c', 'exec < pipe; sleep 0.3; cat'], { cwd: world.dir });
  const { code } = await world.run(['copy', 'src', 'dst', '-v', '--log-file', 'pipe']);
  expect(code).toBe(0);
  const { stdout } = await read;
  expect(steady(stdout)).toContain(`INFO  : d/b: Copied (new)\n`);
  expect(steady(stdout)).toContain(STATS);
});

test.skipIf(withoutPrivileges === undefined)(
  'a pipe as log file need not be readable for the run',
  async () => {
    const pipe = join(world.dir, 'pipe');
    execFileSync('mkfifo', ['-m', '666', pipe]);
    const reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    await chmod(pipe, 0o222);
    const through = withoutPrivileges ?? [];
    const log = ['-v', '--log-file', 'pipe'];
    expect((await world.run(['copy', 'src', 'dst', ...log], { through })).code).toBe(0);
    const { bytesRead, buffer } = await reader.read(Buffer.alloc(5000));
    expect(steady(buffer.toString('utf8', 0, bytesRead))).toContain('d/b: Copied (new)\n');
    await reader.close();
    const alone = await world.run(['copy', 'src', 'dst', ...log], { through });
    expect(alone.code).toBe(1);
    expect(alone.stderr).toContain('ENXIO: no such device or address');
  },
);

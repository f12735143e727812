import { execFileSync } from 'node:child_process';
import { lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readTree, writeTree } from '../support/file-tree.ts';
import { someOf } from '../support/in-part.ts';
import { runInProcess } from '../support/run-in-process.ts';

let dir: string;
let from: string;
let to: string;
let plan: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'saved-plan-'));
  [from, to, plan] = [join(dir, 'from'), join(dir, 'to'), join(dir, 'plan.json')];
  await writeTree(from, { x: '1', 'd/y': '22', z: 'z' });
  await writeTree(to, { gone: 'g', z: 'older' });
  const head = { format: 'syncer plan', version: 1, saved: '2026-01-31', directory: dir };
  const other = { ...head, command: ['config', 'delete', 'one'], changes: [] };
  await writeFile(join(dir, 'other'), JSON.stringify(other));
});
afterEach(() => rm(dir, { recursive: true }));

const contents = async (path: string) => {
  const tree = Object.entries((await readTree(path)) ?? {});
  return Object.fromEntries(tree.map(([name, text]) => [name, String(text).replace(/@.*/, '')]));
};

const syncer = (...words: string[]) => runInProcess(words, { HOME: dir, SYNCER_CONFIG: '' });

const TEXT = `C        2 B d/y: not at the destination
D        1 B gone: not at the source
C        1 B x: not at the destination
U        1 B z: size 1 B, at dest 5 B
To do: 1 deletion, 1 update, 2 copies · 1 B deleted, 4 B to send
`;

test('a plan is saved, printed and applied', async () => {
  const saved = await syncer('sync', from, to, '--save', plan);
  expect(saved).toMatchObject({ code: 0, stdout: TEXT });
  expect(saved.stderr).toContain(`Saved 4 changes. Apply with: syncer apply ${plan}\n`);
  expect(await contents(to)).toEqual({ gone: 'g', z: 'older' });
  expect((await stat(plan)).mode & 0o777).toBe(0o600);
  const { command } = JSON.parse(await readFile(plan, 'utf8'));
  expect(command).toEqual(['sync', from, to]);
  expect(await syncer('apply', plan, '--review')).toMatchObject({ code: 0, stdout: TEXT });
  expect(await syncer('apply', plan, '--dry-run')).toMatchObject({ code: 0 });
  expect(await contents(to)).toEqual({ gone: 'g', z: 'older' });
  expect(await syncer('apply', plan)).toMatchObject({ code: 0 });
  expect(await contents(to)).toEqual(await contents(from));
});

test('a plan that was applied has nothing left to do, also with --ignore-times', async () => {
  await syncer('sync', from, to, '--ignore-times', '--save', plan);
  expect(await syncer('apply', plan)).toMatchObject({ code: 0 });
  const again = await syncer('apply', plan);
  expect(again.stderr).toContain('Nothing left to do: 4 changes are already made');
  expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining('Skipped: changed')]);
  await writeTree(to, { x: 'mine since' });
  const late = await syncer('apply', plan);
  expect([late.code, late.stderr]).toEqual([22, expect.stringContaining('x: Skipped: changed')]);
});

test('a plan is applied under the locks that its flags ask for', async () => {
  await syncer('sync', from, to, '--save', plan);
  const { code, stderr } = await syncer('apply', plan, '--lock-remote');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('--lock-remote is not for local directories'),
  ]);
  expect(await contents(to)).toEqual({ gone: 'g', z: 'older' });
});

test('paths of its flags mean the same in every directory, and a trial knows of backups', async () => {
  const bak = relative(process.cwd(), join(dir, 'bak'));
  await syncer('sync', relative(process.cwd(), from), to, '--backup-dir', bak, '--save', plan);
  const { command } = JSON.parse(await readFile(plan, 'utf8'));
  expect(command).toEqual(['sync', from, to, '--backup-dir', join(dir, 'bak')]);
  const trial = await syncer('apply', plan, '--dry-run');
  expect([trial.code, trial.stderr]).toEqual([0, expect.stringContaining('z: Skipped copy')]);
  expect((await syncer('apply', plan)).code).toBe(0);
  expect(await contents(join(dir, 'bak'))).toEqual({ gone: 'g', z: 'older' });
});

test.each([[[]], [['--backup-dir', 'bak']]])(
  'a rename below a file that goes is applied, with %j',
  async (flags) => {
    await writeTree(from, { 'gone/in': 'renamed' });
    await writeTree(to, { old: 'renamed' });
    const more = flags.map((flag) => (flag === 'bak' ? join(dir, flag) : flag));
    const saved = await syncer('sync', from, to, '--track-renames', ...more, '--save', plan);
    expect(saved.stdout).toContain('gone/in: named "old" at dest');
    expect(await syncer('apply', plan)).toMatchObject({ code: 0 });
    expect(await contents(to)).toEqual(await contents(from));
  },
);

test('a plan goes into a pipe and comes out of one; a link stays a link', async () => {
  const [pipe, link] = [join(dir, 'pipe'), join(dir, 'link')];
  execFileSync('mkfifo', [pipe]);
  await symlink('plan.json', link);
  const read = readFile(pipe, 'utf8');
  expect((await syncer('sync', from, to, '--save', pipe)).code).toBe(0);
  const text = await read;
  expect(JSON.parse(text).changes).toHaveLength(4);
  await syncer('sync', from, to, '--save', link);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  const [run] = await Promise.all([syncer('apply', pipe), writeFile(pipe, text)]);
  expect(run.code).toBe(0);
  expect(await contents(to)).toEqual(await contents(from));
});

test('what changed since is skipped and listed, and the exit code is 22', async () => {
  await syncer('sync', from, to, `--save=${plan}`, '--review');
  await writeTree(from, { z: 'changed', fresh: 'new' });
  await writeTree(to, { gone: 'changed' });
  await rm(join(from, 'x'));
  const run = await syncer('apply', plan, '-v');
  expect(run.code).toBe(22);
  for (const line of [
    'z: Skipped: changed since the plan was shown',
    'gone: Skipped: changed since the plan was shown',
    'fresh: Skipped: not in the plan',
    'x: Skipped: no longer needed',
    'd/y: Copied (new)',
  ]) {
    expect(run.stderr).toContain(line);
  }
  expect(await contents(to)).toEqual({ gone: 'changed', z: 'older', 'd/': '', 'd/y': '22' });
});

test('a plan that is applied again has nothing left to do', async () => {
  await syncer('sync', from, to, '--save', plan);
  expect((await syncer('apply', plan)).code).toBe(0);
  const again = await syncer('apply', plan);
  expect(again.code).toBe(0);
  expect(again.stderr).toContain(
    'Nothing left to do: 4 changes are already made, or no longer needed',
  );
  expect(await contents(to)).toEqual(await contents(from));
});

test('changes that are marked as excluded are not made, and are not counted as skipped', async () => {
  await syncer('sync', from, to, '--save', plan);
  const saved = JSON.parse(await readFile(plan, 'utf8'));
  for (const change of saved.changes) change.excluded = change.kind === 'delete';
  await writeFile(plan, JSON.stringify(saved));
  expect(await syncer('apply', plan)).toMatchObject({ code: 0 });
  expect(await contents(to)).toEqual({ ...(await contents(from)), gone: 'g' });
});

test('to standard output it is JSON alone; deletions can be saved as well', async () => {
  const { stdout, code } = await syncer('delete', to, '--save', '-');
  expect(code).toBe(0);
  const changes = JSON.parse(stdout).changes.map(({ kind, path }: Record<string, string>) => [
    kind,
    path,
  ]);
  expect(changes.sort()).toEqual([
    ['delete', 'gone'],
    ['delete', 'z'],
  ]);
});

const REFUSED: readonly (readonly [string, () => readonly string[], string])[] = [
  ['--dry-run', () => ['sync', from, to, '--save', plan, '-n'], '--save with --dry-run'],
  ['--interactive', () => ['sync', from, to, '--save', plan, '-i'], '--interactive'],
  ['a secret', () => ['sync', from, ':s3,secret_access_key=abcdefgh:b', '--save', plan], 'secret'],
  ['no directory', () => ['sync', from, to, '--save', join(plan, 'x')], 'cannot save the plan'],
  ['no file', () => ['apply', plan], 'no such file'],
  ['no plan', () => ['apply', join(from, 'x')], '"syncer plan"; save one with --save FILE'],
  ['a command without a plan', () => ['apply', join(dir, 'other')], 'its command has none'],
];

test.each(someOf(REFUSED, 4))('refused and nothing written: %s', async (_, words, text) => {
  const run = await syncer(...words());
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(text);
  await expect(stat(plan)).rejects.toThrow('ENOENT');
  expect(await contents(to)).toEqual({ gone: 'g', z: 'older' });
});

/** Adds words to the command of the saved plan. */
async function addWords(...words: readonly string[]) {
  const saved = JSON.parse(await readFile(plan, 'utf8'));
  await writeFile(plan, JSON.stringify({ ...saved, command: [...saved.command, ...words] }));
}

const OWN_FLAGS: readonly (readonly [readonly string[], readonly string[], number])[] = [
  [['--max-delete', '5'], ['--max-delete', '0'], 7],
  [['--max-delete=5', '--max-transfer', '1G'], ['--max-delete=0'], 7],
  [['--backup-dir', '/nowhere', '--'], ['--max-delete=0', '--backup-dir='], 7],
  [['--update=false'], ['-un'], 0],
  [['--max-delete', '5'], ['--profile=night', '--config=@config'], 7],
];

test.each(someOf(OWN_FLAGS, 2))(
  'flags of the user win over those of a plan: %j, %j',
  async (ofPlan, typed, code) => {
    await rm(join(from, 'z'));
    await rm(join(to, 'z'));
    await syncer('sync', from, to, '--save', plan);
    await addWords(...ofPlan);
    await writeTree(dir, { 'defaults.conf': '[profile night]\nmax-delete = 0\n' });
    const own = typed.map((word) => word.replace('@config', join(dir, 'none.conf')));
    const run = await syncer('apply', plan, ...own);
    expect(run.code, run.stderr).toBe(code);
    expect(await contents(to)).toMatchObject({ gone: 'g' });
  },
);

const [ABOUT, FOREIGN, PLACE] = ['delete it from "command"', 'type --', 'in the configuration'];

const OVERRIDES = [
  ...['http_proxy="http://127.0.0.1:1"', 'no_check_certificate', 'dump=headers', 'header="A: b"'],
  ...['bind=127.0.0.1', 'user_agent=x', 'ca_cert=/x', 'max_delete=9'],
];
const RULE_FILES = [
  ...['files-from', 'files-from-raw', 'files-from0', 'filter-from', 'include-from'],
  ...['exclude-from', 'metadata-include-from', 'metadata-exclude-from'],
];
const row = (text: string, ...words: string[]): [readonly string[], string] => [words, text];

test.each<[readonly string[], string]>([
  [['--dry-run=false'], ABOUT],
  [['-n=false'], ABOUT],
  [['-vn'], FOREIGN],
  [['-i'], ABOUT],
  [['--interactive=false'], ABOUT],
  [['--review=false'], ABOUT],
  [['--save=x'], ABOUT],
  [['--apply', 'x'], ABOUT],
  [['--on-change', 'touch PWN'], FOREIGN],
  [['--on-success=touch PWN'], FOREIGN],
  [['--on-failure=touch PWN'], FOREIGN],
  [['-M', '--metadata-mapper', 'touch PWN'], FOREIGN],
  [['--password-command', 'touch PWN'], FOREIGN],
  [['--name-transform', 'command=/bin/pw'], FOREIGN],
  [['--name-transform=all,Command=/bin/pw'], FOREIGN],
  [['--name-transform', 'lowercase', '--name-transform=dir,command'], FOREIGN],
  [['--log-file', 'PWN'], FOREIGN],
  [['--report', 'PWN'], FOREIGN],
  [['--ping-url', 'http://127.0.0.1/x'], FOREIGN],
  [['--config', 'x'], FOREIGN],
  [['--profile', 'x'], FOREIGN],
  [['--combined', 'PWN'], ABOUT],
  [['--manifest', 'PWN'], ABOUT],
  [['--dest-after', 'PWN'], ABOUT],
  [['--dump', 'headers'], FOREIGN],
  [['--syslog'], FOREIGN],
  [['--cpuprofile', 'PWN'], FOREIGN],
  [['--rc'], FOREIGN],
  [['--cache-dir', 'PWN'], FOREIGN],
  [['--no-check-certificate'], FOREIGN],
  [['--http-proxy', 'http://127.0.0.1:9'], FOREIGN],
  [['--no-history'], FOREIGN],
  [['--s3-endpoint', 'http://127.0.0.1:9'], FOREIGN],
  [['--s3-shared-credentials-file=/x'], FOREIGN],
  [[`--s3-secret-access-key=\${env:HOME}`], FOREIGN],
  [['--s3-env-auth'], FOREIGN],
  [['--s3-profile=work'], FOREIGN],
  [['--s3-role-arn=arn:aws:iam::1:role/x'], FOREIGN],
  [['--onedrive-region=cn'], FOREIGN],
  [['--copy-dest', 'prod,env_auth:b'], PLACE],
  [['--copy-dest', 'prod,role_arn="arn:aws:iam::1:role/x":b'], PLACE],
  [['--copy-dest', 'drive,region=cn:b'], PLACE],
  [['--copy-dest', ':alias,remote="prod,profile=work:b":'], PLACE],
  [['--backup-dir', ':local,global.on_success="touch PWN":/x'], PLACE],
  [['--backup-dir=prod,endpoint=x:b'], PLACE],
  [['--copy-dest', 'prod,override.token_url=x:b'], PLACE],
  [['--copy-dest', ':s3,shared_credentials_file=/x:b'], PLACE],
  [['--copy-dest', `:s3,region="\${file:/etc/hostname}":b`], PLACE],
  [['--copy-dest', ':alias,remote=":s3,secret_access_key=""x"":b":'], PLACE],
  ...OVERRIDES.flatMap((option) => [
    row(PLACE, '--copy-dest', `shelf,override.${option}:b`),
    row(PLACE, '--copy-dest', `:alias,remote="shelf,override.${option.replaceAll('"', '""')}:b":`),
  ]),
  ...['endpoint', 'sts_endpoint', 'ibm_iam_endpoint'].map((option) =>
    row(PLACE, '--copy-dest', `:s3,env_auth,${option}=127.0.0.1:b`),
  ),
  ...['auth_url', 'token_url', 'graph_url', 'tenant_url'].map((option) =>
    row(PLACE, '--copy-dest', `:onedrive,${option}="http://127.0.0.1:1":b`),
  ),
  ...RULE_FILES.map((name) => row(FOREIGN, `--${name}=/etc/hostname`)),
  [['--metadata-filter-from', '/etc/hostname'], FOREIGN],
  [['--exclude-from', '-'], FOREIGN],
  [['--allow-deletes', '1'], FOREIGN],
  [['--allow-bucket-deletes=*'], FOREIGN],
  [['--suffix'], 'flag needs an argument: --suffix'],
  [['--nosuch'], 'unknown flag: --nosuch'],
  [['--', '-x'], '"-x" is no path'],
])('a plan that holds %j is refused, whatever is asked of it', async (words, text) => {
  await syncer('sync', from, to, '--save', plan);
  await addWords(...words);
  for (const flags of [[], ['--dry-run'], ['--review']]) {
    const run = await syncer('apply', plan, ...flags);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toContain(`${plan}: `);
    expect(run.stderr).toContain(text);
  }
  expect(await contents(to)).toEqual({ gone: 'g', z: 'older' });
});

test('a flag that a plan must not hold does not count if the user types it himself', async () => {
  await syncer('sync', from, to, '--save', plan);
  await addWords('--log-file', join(dir, 'theirs'), '--report', join(dir, 'theirs'));
  const flags = ['--log-file', join(dir, 'mine'), '--report', join(dir, 'report')];
  expect((await syncer('apply', plan, ...flags, '-v')).code).toBe(0);
  expect(await readFile(join(dir, 'mine'), 'utf8')).toContain('x: Copied (new)');
  expect(JSON.parse(await readFile(join(dir, 'report'), 'utf8')).exit).toBe(0);
  await expect(stat(join(dir, 'theirs'))).rejects.toThrow('ENOENT');
});

test('--save keeps flags that decide about files, names the others, and the plan can be applied', async () => {
  const rules = join(dir, 'rules');
  await writeTree(dir, {
    rules: 'x\n',
    '.config/syncer/defaults.conf': '[profile night]\nexclude = z\non-success = false\n',
  });
  const config = ['--config', join(dir, '.config/syncer/syncer.conf'), '--profile', 'night'];
  const others = ['-v', '--transfers=2', '--on-success', `touch ${join(dir, 'done')}`];
  const log = ['--log-file', join(dir, 'log'), '--combined', join(dir, 'list')];
  const flags = ['-c', '--exclude-from', rules, '--max-delete=5'];
  const saved = await syncer(
    'sync',
    from,
    to,
    ...flags,
    ...config,
    ...others,
    ...log,
    '--save',
    plan,
  );
  expect(saved.code).toBe(0);
  const { command } = JSON.parse(await readFile(plan, 'utf8'));
  const kept = ['-c', '--max-delete', '5'];
  expect(command).toEqual(['sync', '--exclude', 'z', from, to, ...kept]);
  expect(await readFile(join(dir, 'log'), 'utf8')).toContain(
    `Apply with: syncer apply ${plan} --exclude-from=${rules} ${config.join('=').replace('=--profile', ' --profile')} --verbose --transfers=2 '--on-success=touch ${join(dir, 'done')}' --log-file=${log[1]}`,
  );
  const review = await syncer('apply', plan, '--review');
  expect(review.stderr).toContain(
    `Command of the plan: syncer sync --exclude z ${from} ${to} ${kept.join(' ')}\n`,
  );
  expect((await syncer('apply', plan, '--dry-run')).stderr).toContain(
    'Command of the plan: syncer ',
  );
  // Without the rules, it finds more to do than the plan has, and leaves it.
  const bare = await syncer('apply', plan);
  expect([bare.code, bare.stderr]).toEqual([22, expect.stringContaining('x: Skipped: not in the')]);
  expect(await contents(to)).toEqual({ 'd/': '', 'd/y': '22', z: 'older' });
  expect((await syncer('apply', plan, '--exclude-from', rules, '--dry-run')).stderr).not.toMatch(
    /x: Skipped/,
  );
  await expect(stat(join(dir, 'done'))).rejects.toThrow('ENOENT');
});

const UNSAVED: readonly (readonly [place: string, text: string])[] = [
  [':s3,shared_credentials_file=/x:b', 'must not set shared_credentials_file'],
  [':local,global.log_file=x:/x', 'must not set global.log_file'],
  [':s3,endpoint=127.0.0.1:b', 'must not set endpoint'],
  [':onedrive,token_url="http://127.0.0.1:1":b', 'as a remote with a name'],
  ['shelf,override.header="A: b":b', 'must not set override.header'],
  [':sftp,ssh=/x:b', 'must not set ssh'],
  [':crypt,remote=":sftp,ssh=/x:b":', 'must not set ssh'],
];

test.each(someOf(UNSAVED, 3))('a plan of %s cannot be saved', async (place, text) => {
  const run = await syncer('copy', from, to, '--compare-dest', place, '--save', plan);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(text);
  await expect(stat(plan)).rejects.toThrow('ENOENT');
});

test('a plan of another command or directory is refused', async () => {
  await syncer('sync', from, to, '--save', plan);
  const other = await syncer('copy', from, to, '--apply', plan);
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('of another command') });
  const saved = JSON.parse(await readFile(plan, 'utf8'));
  await writeFile(
    plan,
    JSON.stringify({ ...saved, command: ['sync', 'src', 'docs'], directory: '/' }),
  );
  const elsewhere = await syncer('apply', plan);
  expect(elsewhere.code).toBe(1);
  expect(elsewhere.stderr).toContain('the plan has relative paths and is of another directory');
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { writeTree } from '../support/file-tree.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { section } from '../support/s3-world.ts';

let dir: string;
let s3: TestS3;

beforeAll(async () => {
  [dir, s3] = await Promise.all([mkdtemp(join(tmpdir(), 'syncer-test-')), startTestS3()]);
  await writeTree(join(dir, 't'), {
    'a.jpg': '',
    'b.png': '',
    'c.txt': '',
    'd,e': '',
    'link-to': '-> c.txt',
  });
});

afterAll(async () => {
  await s3.stop();
  await rm(dir, { recursive: true });
});

type Env = Readonly<Record<string, string>>;

async function syncer(words: readonly string[], env: Env = {}, config = '') {
  const file = join(dir, 'syncer.conf');
  await writeFile(file, config);
  return runInProcess(words, { SYNCER_CONFIG: file, HOME: dir, ...env });
}

describe('lists in variables are CSV, as in rclone 1.75', () => {
  test.each<[Env, readonly string[], string]>([
    [{ RCLONE_EXCLUDE: '*.jpg,*.png' }, [], 'c.txt\nd,e\n'],
    [{ SYNCER_EXCLUDE: '*.jpg,*.png' }, ['--exclude', '*.txt'], 'd,e\n'],
    [{ RCLONE_INCLUDE: '*.jpg,"d,e"' }, [], 'a.jpg\nd,e\n'],
    [{ RCLONE_FILTER: '- *.jpg,+ *.txt,- *' }, [], 'c.txt\n'],
    [{ RCLONE_EXCLUDE: '"*.{jpg,png}"' }, [], 'c.txt\nd,e\n'],
    [{ RCLONE_EXCLUDE: '', RCLONE_INCLUDE: '' }, [], 'a.jpg\nb.png\nc.txt\nd,e\n'],
    [{ RCLONE_EXCLUDE_IF_PRESENT: 'nix,c.txt' }, [], ''],
  ])('%j %j', async (env, words, names) => {
    const { code, stdout } = await syncer(['lsf', join(dir, 't'), ...words], env);
    expect([code, stdout]).toEqual([0, names]);
  });

  test('what is no list is refused, not taken for one pattern', async () => {
    for (const text of ['a"b', '"a', '*.jpg\n*.png', '*.{jpg,png}']) {
      expect((await syncer(['lsf', dir], { RCLONE_EXCLUDE: text })).code).toBe(1);
    }
  });
});

describe('the more specific source of an option wins, as in rclone', () => {
  /** Sources of `skip_links`, the one that wins first. */
  const sources = ['string', 'flag', 'of the remote', 'of the kind', 'general', 'file'] as const;
  const pairs = sources.flatMap((strong, at) =>
    sources
      .slice(at + 1)
      .flatMap((weak) => [[strong, weak, true] as const, [strong, weak, false] as const]),
  );

  test.each(pairs)('%s before %s: %s', async (strong, weak, value) => {
    const says = (source: (typeof sources)[number]) =>
      source === strong ? value : source === weak ? !value : undefined;
    const env = Object.fromEntries(
      Object.entries({
        RCLONE_CONFIG_MYLOCAL_SKIP_LINKS: says('of the remote'),
        RCLONE_LOCAL_SKIP_LINKS: says('of the kind'),
        RCLONE_SKIP_LINKS: says('general'),
      }).flatMap(([name, set]) => (set === undefined ? [] : [[name, String(set)]])),
    );
    const inFile = says('file') === undefined ? '' : `skip_links = ${says('file')}\n`;
    const string = says('string') === undefined ? '' : `,skip_links=${says('string')}`;
    const flag = says('flag') === undefined ? [] : [`--skip-links=${says('flag')}`];
    const { code, stderr } = await syncer(
      ['lsf', `myLocal${string}:${join(dir, 't')}`, ...flag],
      env,
      `[myLocal]\ntype = local\n${inFile}`,
    );
    expect([code, stderr.includes('link-to')]).toEqual([0, !value]);
  });

  test('a connection string before the flag of the backend', async () => {
    const config = section(s3, 's', { access_key_id: 'wrong' });
    const right = s3.accessKeyId;
    const lsd = (spec: string, ...words: string[]) =>
      syncer(['lsd', spec, '--retries', '1', ...words], {}, config);
    expect((await lsd(`s,access_key_id=${right}:`, '--s3-access-key-id', 'x')).code).toBe(0);
    expect((await lsd('s,access_key_id=x:', '--s3-access-key-id', right)).code).toBe(1);
    expect((await lsd('s:', '--s3-access-key-id', right)).code).toBe(0);
  });

  test('variables and options of an alias do not hold for what it leads to', async () => {
    const config = `[at]\ntype = alias\nremote = ${join(dir, 't')}\n`;
    const env = { RCLONE_CONFIG_AT_SKIP_LINKS: 'true' };
    expect((await syncer(['lsf', 'at,skip_links:'], env, config)).stderr).toContain('link-to');
  });
});

describe('-vv tells which variables were used', () => {
  test('those of flags and of options', async () => {
    const env = {
      RCLONE_EXCLUDE: '*.jpg,*.png',
      SYNCER_STATS: '173ms',
      RCLONE_CONFIG_M_SKIP_LINKS: 'true',
      RCLONE_CONFIG_M_TYPE: 'local',
    };
    const { stderr } = await syncer(['lsf', `m:${dir}`, '-vv'], env);
    const from = 'from environment variable';
    expect(stderr).toContain(
      `DEBUG : Setting --exclude "*.png" ${from} RCLONE_EXCLUDE="*.jpg,*.png"`,
    );
    expect(stderr).toContain(`DEBUG : Setting --stats "173ms" ${from} SYNCER_STATS="173ms"`);
    expect(stderr).toContain(
      `Setting skip_links="true" for "m" ${from} RCLONE_CONFIG_M_SKIP_LINKS`,
    );
  });

  test('but no secrets', async () => {
    const env = {
      RCLONE_HEADER: 'X-Custom: hunter2,"Authorization: Bearer hunter2"',
      RCLONE_RC_PASS: 'hunter2',
      RCLONE_PASSWORD_COMMAND: 'echo hunter2',
      RCLONE_S3_SECRET_ACCESS_KEY: 'hunter2',
      RCLONE_CONFIG_S_SESSION_TOKEN: 'hunter2',
    };
    const shown = await syncer(['lsd', 's:', '-vv', '--retries', '1'], env, section(s3, 's'));
    expect(shown.stderr).toContain('Setting --header REDACTED from');
    expect(shown.stderr).toContain('Setting secret_access_key=REDACTED for "s" from');
    expect(shown.stderr).not.toContain('hunter2');
    expect((await syncer(['help', 'flags'], env)).stdout).not.toContain('hunter2');
  });

  test('also where a variable and a flag contradict each other', async () => {
    const { code, stderr } = await syncer(['version', '-q'], { RCLONE_LOG_LEVEL: 'DEBUG' });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      / DEBUG : Setting --log-level "DEBUG" from .*\n(.*\n)*.*Can't set -q and --log-level/,
    );
  });
});

test.each<[readonly string[], Env]>([
  [['version'], { RCLONE_LOG_LEVEL: 'DEBUG', RCLONE_USE_JSON_LOG: '1' }],
  [['version', '-vv'], { RCLONE_USE_JSON_LOG: '1' }],
  [['version', '--use-json-log'], { RCLONE_LOG_LEVEL: 'DEBUG' }],
])('%j with %j logs as -vv does', async (words, env) => {
  const { stderr } = await syncer(words, env);
  expect(stderr).toMatch(/"level":"debug","msg":"Version .*"object":"syncer".*"\}\n/);
});

test('help shows the default that a variable sets', async () => {
  const env = { RCLONE_STATS: '173ms', RCLONE_DRY_RUN: 'true', SYNCER_EXCLUDE: 'a,b' };
  const help = async (...words: string[]) =>
    (await syncer(words, env)).stdout.replaceAll(/\s+/g, ' ');
  const flags = await help('help', 'flags');
  expect(flags).toMatch(/--stats duration .{0,200}?\(default 173ms\)/);
  expect(flags).toMatch(/--dry-run .{0,200}?\(default true\)/);
  expect(flags).toMatch(/--exclude .{0,200}?\(default a,b\)/);
  expect(await help('copy', '--help')).toMatch(/--dry-run .{0,200}?\(default true\)/);
});

test('config create refuses a name with a colon', async () => {
  expect(await syncer(['config', 'create', '--', 'remote:', 'local'])).toMatchObject({ code: 2 });
});

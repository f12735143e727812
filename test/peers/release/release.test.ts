import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { findFreePort } from '../../cli/free-port.ts';
import { errorsOfUsr1AtStart } from '../../support/signalled-start.ts';
import { canBoot, inContainer } from '../../support/systemd-container.ts';
import { hasTmux, openTmux } from '../../support/tmux-terminal.ts';
import { HARDENED_RESULT, hardenedTrial } from './hardened-trial.ts';

const root = resolve(import.meta.dirname, '../../..');
const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
const debianArch = arch === 'x64' ? 'amd64' : 'arm64';

/** Where Debian's libraries for arm64 lie on a machine of another kind. */
const ARM_LIBRARIES = '/usr/aarch64-linux-gnu';
const QEMU = 'qemu-aarch64-static';
const canRunArm =
  spawnSync(QEMU, ['--version']).status === 0 && existsSync(`${ARM_LIBRARIES}/lib/libstdc++.so.6`);

let dir = '';
const built = (name: string) => join(dir, 'built', name);
const bare = (name: string) => join(dir, 'bare', `${name}-linux-${arch}`);

/** Runs a program with an environment that has no Node, and nothing else. */
function run(program: string, args: readonly string[], input = ''): string {
  const env = { PATH: '/nonexistent', HOME: join(dir, 'home'), TMPDIR: dir };
  return execFileSync(program, args, { env, input, encoding: 'utf8', stdio: 'pipe' });
}

/** `npm run release` in a project's folder. */
async function release(project: string, out: string, ...words: string[]): Promise<void> {
  const all = ['scripts/release.ts', '--out', out, ...words];
  await promisify(execFile)(process.execPath, all, { cwd: project });
}

/** Copies what a release is made of, so that nobody changes it meanwhile. */
function copyOf(project: string, copy: string): string {
  mkdirSync(copy, { recursive: true });
  const sources = ['commands', 'components', 'installer', 'scripts', 'src'];
  for (const name of [
    ...sources,
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'LICENSE',
    'CHANGELOG.md',
  ]) {
    cpSync(join(project, name), join(copy, name), { recursive: true });
  }
  // As links where that works: nothing is written into these.
  const packages = join(project, 'node_modules');
  const { status } = spawnSync('cp', ['-al', packages, copy], { stdio: 'ignore' });
  if (status !== 0) execFileSync('cp', ['-a', packages, copy]);
  return copy;
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'syncer-release-'));
  mkdirSync(join(dir, 'home'));
  const project = copyOf(root, join(dir, 'project'));
  await release(project, join(dir, 'bare'), '--bare');
  await release(project, join(dir, 'built'), '--arch', arch, '--program', 'webhook');
}, 300_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('the archive holds webhook-linux-<arch>/webhook, and its checksum is listed', () => {
  const name = `webhook-linux-${debianArch}.tar.gz`;
  const list = execFileSync('tar', ['-tvf', built(name)], { encoding: 'utf8' });
  expect(list).toMatch(
    new RegExp(`^-rwxr-xr-x root/root .* webhook-linux-${debianArch}/webhook$`, 'm'),
  );
  for (const file of ['LICENSE', 'THIRD_PARTY.txt', 'NODE_LICENSE.txt', 'man/webhook.1']) {
    expect(list).toContain(` webhook-linux-${debianArch}/${file}\n`);
  }
  const { stdout } = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: join(dir, 'built') });
  expect(stdout.toString()).toBe(`${name}: OK\n`);
});

test('the installer installs the server from that archive, without a Node anywhere', async () => {
  const system = join(dir, 'system');
  mkdirSync(system);
  const words = ['--root', system, '--work-dir', '/srv', '--token', 'secret'];
  const port = `${await findFreePort()}`;
  const archive = built(`webhook-linux-${debianArch}.tar.gz`);
  const all = [...words, '--port', port, '--archive', archive];
  expect(run(bare('webhook-installer'), all, '1\n')).toMatch(/SHA-256 matches[\s\S]*installed\./);
  const program = join(system, 'usr/bin/webhook');
  expect(readFileSync(program).equals(readFileSync(bare('webhook')))).toBe(true);

  const hooks = join(dir, 'hooks.json');
  const hook = { id: 'h', 'execute-command': '/bin/true', 'response-message': 'from inside' };
  writeFileSync(hooks, JSON.stringify([hook]));
  const server = spawn(program, ['-hooks', hooks, '-ip', '127.0.0.1', '-port', port], {
    stdio: 'ignore',
    env: {},
  });
  try {
    let answer: string | undefined;
    while (answer === undefined && server.exitCode === null) {
      answer = await fetch(`http://127.0.0.1:${port}/hooks/h`)
        .then((response) => response.text())
        .catch(() => undefined);
    }
    expect(answer).toBe('from inside');
  } finally {
    server.kill();
  }
});

test('syncer copies, with threads that hash and copy, and times to the nanosecond', () => {
  const [from, to] = [join(dir, 'from'), join(dir, 'to')];
  mkdirSync(from);
  writeFileSync(join(from, 'large'), randomBytes(17 * 1024 * 1024));
  execFileSync('touch', ['-d', '2020-01-02 03:04:05.123456789', join(from, 'large')]);
  const small = Array.from({ length: 300 }, (_, n) => `small-${n}`);
  for (const name of small) writeFileSync(join(from, name), name);
  run(bare('syncer'), ['copy', from, to]);
  const time = (path: string) => statSync(path, { bigint: true }).mtimeNs;
  expect(time(join(to, 'large'))).toBe(time(join(from, 'large')));
  expect(readFileSync(join(to, 'large')).equals(readFileSync(join(from, 'large')))).toBe(true);
  for (const name of small) {
    expect(readFileSync(join(to, name), 'utf8')).toBe(name);
    expect(time(join(to, name))).toBe(time(join(from, name)));
  }
  // The native part was only there while it was loaded.
  expect(readdirSync(dir).filter((name) => name.startsWith('syncer-native'))).toEqual([]);
});

test.each([
  ['syncer', ['rcat', 'x']],
  ['webhook', ['-nopanic', '-port', '0']],
  ['webhook-installer', []],
])('SIGUSR1 opens no debugger in the executable %s', async (name, words) => {
  expect(await errorsOfUsr1AtStart(bare(name), ...words)).not.toContain('ebugger');
});

test('NODE_OPTIONS are for other programs', () => {
  const env = { NODE_OPTIONS: '--require /nonexistent.js' };
  const { stdout } = spawnSync(bare('syncer'), ['version'], { env, encoding: 'utf8' });
  expect(stdout).toMatch(`syncer v${manifest.version}\n`);
});

test.skipIf(process.getuid?.() !== 0)('it runs where there is nothing but the C library', () => {
  const cage = join(dir, 'cage');
  const libraries = execFileSync('ldd', [bare('syncer')], { encoding: 'utf8' });
  for (const [path] of libraries.matchAll(/\/\S+/g)) {
    mkdirSync(join(cage, dirname(path)), { recursive: true });
    copyFileSync(path, join(cage, path));
  }
  copyFileSync(bare('syncer'), join(cage, 'syncer'));
  const text = execFileSync('/usr/sbin/chroot', [cage, '/syncer', 'version'], {
    encoding: 'utf8',
    env: {},
  });
  expect(text).toMatch(`syncer v${manifest.version}\n`);
});

test.skipIf(!hasTmux)('its screens are drawn', async () => {
  const terminal = await openTmux({ env: { HOME: join(dir, 'home') }, cwd: dir });
  await terminal.type(`clear; ${bare('syncer')}; echo ended $?`);
  await terminal.keys('Enter');
  await terminal.waitFor('New remote');
  await terminal.keys('q');
  await terminal.waitFor('ended 0');
});

describe.skipIf(!canRunArm || arch === 'arm64')('for arm64, under qemu', () => {
  const arm = (name: string, ...args: string[]) =>
    run(`/usr/bin/${QEMU}`, [
      '-L',
      ARM_LIBRARIES,
      join(dir, 'bare', `${name}-linux-arm64`),
      ...args,
    ]);

  test('all programs start, and know what they are', () => {
    expect(arm('syncer', 'version')).toMatch(/- os\/arch: arm64\n/);
    expect(arm('webhook', '-version')).toBe('webhook version 2.8.0\n');
    expect(arm('webhook-installer', 'version')).toMatch(manifest.version);
  });

  test('syncer sets times to the nanosecond, through its native part', () => {
    const [from, to] = [join(dir, 'arm-from'), join(dir, 'arm-to')];
    mkdirSync(from);
    writeFileSync(join(from, 'x'), 'x');
    execFileSync('touch', ['-d', '2020-01-02 03:04:05.123456789', join(from, 'x')]);
    arm('syncer', 'copy', from, to);
    expect(statSync(join(to, 'x'), { bigint: true }).mtimeNs % 1_000_000_000n).toBe(123_456_789n);
  });
});

test.skipIf(!canBoot)(
  '--hardened under systemd, which keeps the port open over a kill',
  async (context) => {
    const files = {
      'webhook.tar.gz': readFileSync(built(`webhook-linux-${debianArch}.tar.gz`)),
      'webhook-installer': readFileSync(bare('webhook-installer')),
    };
    const script = hardenedTrial(dirname(process.execPath), root);
    const { started, output } = await inContainer(script, files, [root]);
    if (!started) context.skip(`no systemd starts here: ${output}`);
    expect(output).toBe(HARDENED_RESULT);
  },
);

test('another folder gives the same bytes', async () => {
  const project = copyOf(join(dir, 'project'), join(dir, 'another', 'folder'));
  await release(project, join(dir, 'again'), '--arch', arch, '--program', 'webhook');
  for (const name of readdirSync(join(dir, 'built'))) {
    const [first, again] = [readFileSync(built(name)), readFileSync(join(dir, 'again', name))];
    expect(again.equals(first), name).toBe(true);
  }
});

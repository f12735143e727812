import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putRelease, type ReleaseHost, startReleaseHost } from '../servers/release-host.ts';
import { COMPILED_CACHE } from '../support/compiled-cache.ts';
import { releaseArchive } from '../support/tarballs.ts';
import { findFreePort } from './free-port.ts';

const program = resolve(
  import.meta.dirname,
  '../../packages/syncer-webhook/dist/webhook-installer.js',
);

let root: string;
let host: ReleaseHost;
let places: readonly string[];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'webhook-installer-cli-'));
  await mkdir(join(root, 'srv'));
  host = await startReleaseHost();
  putRelease(host, releaseArchive());
  const port = `${await findFreePort()}`;
  places = [
    ...['--root', root, '--work-dir', '/srv', '--port', port],
    ...['--release-url', host.url, '--arch', 'x86_64'],
  ];
});
afterEach(async () => {
  await host.close();
  await rm(root, { recursive: true, force: true });
});

/** Starts the installer as its own process. */
function start(words: readonly string[], input = '') {
  const child = spawn(process.execPath, [program, ...words, ...places], {
    env: { ...process.env, ...COMPILED_CACHE },
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([stdout, stderr, [code, signal]]) => ({ stdout, stderr, code, signal }),
  );
  return { child, ended };
}

const run = (words: readonly string[], input?: string) => start(words, input).ended;
const files = async () => (await readdir(root, { recursive: true })).sort();

test('echo 1 | webhook-installer installs into the system in --root; echo 2 removes it', async () => {
  const before = await files();
  const { code, stdout, stderr } = await run([], '1\n');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/webhook is installed\.\ntoken of the hook "test": [\da-f]{32}\n/);
  const made = (await files()).filter((name) => !before.includes(name));
  expect(made).toEqual(
    expect.arrayContaining([
      'etc/webhook.conf',
      'lib/systemd/system/webhook.service',
      'srv/webhook/test.sh',
      'usr/bin/webhook',
    ]),
  );
  expect((await run([], '2')).code).toBe(0);
  const left = await readdir(root, { recursive: true, withFileTypes: true });
  expect(left.filter((entry) => !entry.isDirectory())).toEqual([]);
});

test('rule 4.5 menu: anything else prints an input error and ends with 1', async () => {
  const { code, stdout, stderr } = await run([], 'yes\n1\n');
  expect(code).toBe(1);
  expect(stdout).toMatch(/1\) install/);
  expect(stderr).toMatch(/input error/);
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 143],
] as const) {
  test(`${signal} during the download: all is undone, and it ends with ${code}`, async () => {
    const before = await files();
    const begun = Promise.withResolvers<void>();
    host.answers.set('/2.8.0/webhook-linux-amd64.tar.gz', (request, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      if (request.method === 'HEAD') return void response.end();
      response.write('x');
      begun.resolve();
    });
    const { child, ended } = start(['install', '--yes']);
    await begun.promise;
    child.kill(signal);
    const { code: actual, stderr } = await ended;
    expect(actual).toBe(code);
    expect(stderr).toMatch(/interrupted by Ctrl-C|terminated by a signal|terminal was closed/);
    expect(await files()).toEqual(before);
  });
}

test('a reader that goes away does not leave it half-way', async () => {
  const { child, ended } = start(['install', '--yes']);
  child.stdout.destroy();
  expect((await ended.catch(() => once(child, 'close'))) !== undefined).toBe(true);
  expect(await files()).toEqual(expect.arrayContaining(['usr/bin/webhook', 'etc/webhook.conf']));
});

test('help and version', async () => {
  expect((await run(['--help'])).stdout).toMatch(
    /^webhook-installer installs and uninstalls the hook server/,
  );
  expect((await run(['version'])).stdout).toMatch(/^webhook-installer \d+\.\d+\.\d+\n$/);
  expect((await run(['--version'])).stdout).toBe((await run(['version'])).stdout);
});

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { findFreePort } from './free-port.ts';

const root = resolve(import.meta.dirname, '../..');
let dir = '';
let files: readonly string[] = [];
let archive = '';

const npm = (...words: string[]) =>
  execFileSync('npm', words, { cwd: root, encoding: 'utf8', stdio: 'pipe', maxBuffer: 1 << 26 });

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'syncer-npm-'));
  const [packed] = JSON.parse(npm('pack', '--json', '--ignore-scripts', '--pack-destination', dir));
  files = packed.files.map(({ path }: { path: string }) => path);
  archive = join(dir, packed.filename);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('the package holds what runs, its licences, and nothing else', () => {
  const others = files.filter((path) => !/^dist\/(chunks\/)?[^/]+\.js$/.test(path));
  expect(others.sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'dist/THIRD_PARTY.txt',
    'package.json',
  ]);
  for (const path of Object.values(manifest.bin)) expect(files).toContain(path);
});

test('every package of the bundle has its text', () => {
  const notice = readFileSync(join(root, 'dist/THIRD_PARTY.txt'), 'utf8');
  const texts = notice.split(/^== .* ==$/m).slice(1);
  expect(texts.length).toBeGreaterThan(60);
  for (const text of texts) expect(text.length).toBeGreaterThan(500);
});

test('installed globally its programs run, and it needs one other package', async () => {
  const prefix = join(dir, 'global');
  npm('install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', archive);
  const run = (name: string, ...words: string[]) =>
    execFileSync(join(prefix, 'bin', name), words, { encoding: 'utf8' });
  expect(run('syncer', 'version')).toMatch(`syncer v${manifest.version}`);
  expect(run('webhook', '-version')).toBe('webhook version 2.8.0\n');
  expect(run('webhook-installer', 'version')).toMatch(manifest.version);
  await expectAnswer(join(prefix, 'bin/webhook'));
  const tree = JSON.parse(npm('ls', '--global', '--prefix', prefix, '--all', '--json'));
  expect(Object.keys(tree.dependencies.syncer.dependencies)).toEqual(['koffi']);
});

/** A hook server of the bundle serves. */
async function expectAnswer(program: string): Promise<void> {
  const hooks = join(dir, 'hooks.json');
  writeFileSync(hooks, '[{"id": "h", "execute-command": "/bin/true"}]');
  const port = `${await findFreePort()}`;
  const place = ['-hooks', hooks, '-ip', '127.0.0.1', '-port', port];
  const server = spawn(program, place, { stdio: 'ignore' });
  try {
    let status: number | undefined;
    while (status === undefined && server.exitCode === null) {
      const answer = await fetch(`http://127.0.0.1:${port}/hooks/h`).catch(() => undefined);
      status = answer?.status;
    }
    expect(status).toBe(200);
  } finally {
    server.kill();
  }
}

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { PACKAGES, type PackageName } from '../../scripts/bundle/programs.ts';
import { errorsOfUsr1AtStart } from '../support/signalled-start.ts';
import { findFreePort } from './free-port.ts';

const root = resolve(import.meta.dirname, '../..');
let dir = '';
const packed: Partial<Record<PackageName, { readonly files: string[]; readonly archive: string }>> =
  {};
const filesOf = (name: PackageName) => packed[name]?.files ?? [];

const npm = (cwd: string, ...words: string[]) =>
  execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: 'pipe', maxBuffer: 1 << 26 });

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'syncer-npm-'));
  for (const [name, { folder }] of Object.entries(PACKAGES)) {
    const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', dir];
    const [pack] = JSON.parse(npm(join(root, folder), ...words));
    const files = pack.files.map(({ path }: { path: string }) => path);
    packed[name as PackageName] = { files, archive: join(dir, pack.filename) };
  }
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const TEXTS = [
  'LICENSE',
  'README.md',
  'dist/THIRD_PARTY.txt',
  'dist/sbom.cdx.json',
  'package.json',
];

test('the packages hold what runs, man pages, licences, documents, a schema, and nothing else', () => {
  const others = (name: PackageName) =>
    filesOf(name).filter(
      (path) => !/^dist\/((chunks\/)?[^/]+\.js|man\/[^/]+\.1)$|^docs\/.*\.(md|svg)$/.test(path),
    );
  expect(others('syncer').sort()).toEqual([...TEXTS, 'CHANGELOG.md', 'SECURITY.md'].sort());
  expect(others('syncer-webhook').sort()).toEqual([...TEXTS, 'dist/hooks.schema.json'].sort());
  for (const [name, { folder }] of Object.entries(PACKAGES)) {
    const { bin, man } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    for (const path of [...Object.values(bin), ...man])
      expect(filesOf(name as PackageName)).toContain(path);
  }
});

test('links of the pages in a package lead to files of it', () => {
  const files = filesOf('syncer');
  const pages = files.filter((path) => path.endsWith('.md'));
  const targets = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8').replace(/^```.*?^```/gms, '');
    const links = [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, link = '']) => link);
    return links
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => `${page}: ${normalize(join(dirname(page), link)).replace(/\/$/, '')}`);
  });
  expect(targets.length).toBeGreaterThan(100);
  const exists = (path: string) =>
    files.some((file) => file === path || file.startsWith(`${path}/`));
  expect(targets.filter((target) => !exists(target.replace(/^.*?: /, '')))).toEqual([]);
});

/** Names of files that only the repository holds; pages on decisions are about its source. */
const OF_REPOSITORY =
  /`(?:src|commands|components|installer|scripts|test|bench|packages)\/[^`\n]*`/g;

test('pages for users name no file that the package does not hold', () => {
  expect('see `src/main.ts`'.match(OF_REPOSITORY)).toHaveLength(1);
  const pages = filesOf('syncer').filter(
    (path) => /^(?:docs\/.*|SECURITY)\.md$/.test(path) && !path.startsWith('docs/decisions/'),
  );
  const named = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    return [...text.matchAll(OF_REPOSITORY)].map(([name]) => `${page}: ${name}`);
  });
  expect(named).toEqual([]);
});

test('every library of a bundle is in its notice and in its bill of materials, Ink and React once', () => {
  for (const { folder } of Object.values(PACKAGES)) {
    const text = (path: string) => readFileSync(join(root, folder, 'dist', path), 'utf8');
    const notices = text('THIRD_PARTY.txt')
      .split(/^== (.*) .* \(.*\) ==$/m)
      .slice(1);
    const names = notices.filter((_, i) => i % 2 === 0);
    for (const [i, notice] of notices.entries())
      if (i % 2 === 1) expect(notice.length).toBeGreaterThan(500);
    const { components } = JSON.parse(text('sbom.cdx.json'));
    const listed = components.map(({ name }: { name: string }) => name);
    expect(listed.toSorted()).toEqual([...names, 'koffi'].sort());
    for (const one of ['ink', 'react', 'react-reconciler'])
      expect(names.filter((name) => name === one)).toHaveLength(1);
    const inks = filesOf(folder === '.' ? 'syncer' : 'syncer-webhook').filter(
      (path) => path.endsWith('.js') && /react-reconciler/i.test(text(path.slice('dist/'.length))),
    );
    expect(inks.length).toBeLessThanOrEqual(1);
  }
});

test('installed globally the programs run, each package needs one other, and man finds the pages', async () => {
  const prefix = join(dir, 'global');
  const archives = Object.values(packed).map(({ archive }) => archive);
  npm(root, 'install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', ...archives);
  const run = (name: string, ...words: string[]) =>
    execFileSync(join(prefix, 'bin', name), words, { encoding: 'utf8' });
  expect(run('syncer', 'version')).toMatch(`syncer v${manifest.version}`);
  expect(run('webhook', '-version')).toBe('webhook version 2.8.0\n');
  expect(run('webhook-installer', 'version')).toMatch(manifest.version);
  await expectAnswer(join(prefix, 'bin/webhook'));
  for (const page of ['syncer', 'syncer-sync', 'webhook', 'webhook-installer'])
    expect(existsSync(join(prefix, `share/man/man1/${page}.1`))).toBe(true);
  const tree = JSON.parse(npm(root, 'ls', '--global', '--prefix', prefix, '--all', '--json'));
  for (const name of Object.keys(PACKAGES))
    expect(Object.keys(tree.dependencies[name].dependencies)).toEqual(['koffi']);
});

test.each([
  ['syncer', ['dist/syncer.js', 'rcat', 'x']],
  ['syncer of a checkout', ['bin/syncer', 'rcat', 'x']],
  ['the shortest run of syncer', ['dist/syncer.js', 'version']],
  ['webhook', ['packages/syncer-webhook/dist/webhook.js', '-nopanic', '-port', '0']],
  ['webhook-installer', ['packages/syncer-webhook/dist/webhook-installer.js']],
])(
  'SIGUSR1 opens no debugger in %s, not even in its first moments',
  async (_, [file, ...words]) => {
    const errors = await errorsOfUsr1AtStart(join(root, file ?? ''), ...words);
    expect(errors).not.toContain('ebugger');
  },
);

test.each([
  ['syncer', ['dist/syncer.js', 'version']],
  ['webhook', ['packages/syncer-webhook/dist/webhook.js', '-version']],
  ['webhook-installer', ['packages/syncer-webhook/dist/webhook-installer.js', '--help']],
])('SIGUSR2 does not end %s while its code is loaded', (_, [file = '', ...words]) => {
  const hook = join(dir, 'signalled.cjs');
  // The versions are the first that a program looks at, before it loads anything.
  writeFileSync(
    hook,
    `const { versions } = process;
const get = () => (process.kill(process.pid, 'SIGUSR2'), versions);
Object.defineProperty(process, 'versions', { get });`,
  );
  const path = join(root, file);
  const { signal, status } = spawnSync(process.execPath, ['--require', hook, path, ...words]);
  expect({ signal, status }).toEqual({ signal: null, status: 0 });
});

test('without koffi, whose times are exact, bisync takes no copy of its own for a change', () => {
  const alone = join(dir, 'alone');
  cpSync(join(root, 'dist'), join(alone, 'dist'), { recursive: true });
  for (const side of ['a', 'b']) mkdirSync(join(alone, side));
  const bisync = (...flags: string[]) =>
    execFileSync(process.execPath, ['dist/syncer.js', 'bisync', 'a', 'b', ...flags], {
      cwd: alone,
      env: { HOME: alone, PATH: process.env['PATH'] },
      stdio: 'pipe',
    });
  const names = Array.from({ length: 20 }, (_, i) => `file${i}`);
  for (const name of names) writeFileSync(join(alone, 'a', name), name);
  bisync('--resync');
  for (const name of names) rmSync(join(alone, 'a', name));
  bisync('--force');
  expect(readdirSync(join(alone, 'b'))).toEqual([]);
});

test('a checkout that is not built cannot be packed or installed', () => {
  const copy = join(dir, 'unbuilt');
  for (const path of ['package.json', 'scripts/require-build', 'README.md'])
    cpSync(join(root, path), join(copy, path));
  // `npm run --silent` tells the programs that it starts to be silent, too.
  const env = { ...process.env, npm_config_loglevel: 'notice' };
  const run = (...words: string[]) => spawnSync('npm', words, { cwd: copy, encoding: 'utf8', env });
  const prefix = ['--prefix', join(dir, 'unbuilt-global')];
  for (const words of [['pack'], ['install', '--global', '--install-links', ...prefix, '.']]) {
    const { status, stderr } = run(...words);
    expect(status).not.toBe(0);
    expect(stderr).toContain('syncer is not built: run "npm ci && npm run build" first');
  }
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

import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import syncer from '../../package.json' with { type: 'json' };
import webhook from '../../packages/syncer-webhook/package.json' with { type: 'json' };
import { uncheckedPackages, withIntegrity } from '../../scripts/lock/integrity.ts';
import { missingOptional } from '../../scripts/lock/missing-optional.ts';

const root = resolve(import.meta.dirname, '../..');

test('package-lock.json holds the packages of every platform, without which `npm ci` refuses it', async () => {
  const { packages } = JSON.parse(await readFile(resolve(root, 'package-lock.json'), 'utf8'));
  expect(Object.keys(packages).length).toBeGreaterThan(50);
  expect(missingOptional(packages)).toEqual({});
});

test('what is installed on Linux, and what comes with the program, is checked', async () => {
  const { packages } = JSON.parse(await readFile(resolve(root, 'package-lock.json'), 'utf8'));
  expect(uncheckedPackages(packages)).toEqual([]);
});

test('both packages have one version, and what they depend on is in the one lock file', () => {
  const keys = ['version', 'license', 'author', 'repository', 'bugs', 'os', 'engines'] as const;
  for (const key of keys) expect(webhook[key], key).toEqual(syncer[key]);
  expect(syncer.dependencies).toMatchObject(webhook.dependencies);
});

test('npm does not warn of the Node of the system, on which nothing runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'syncer-npm-'));
  try {
    for (const name of ['package.json', 'package-lock.json'])
      await writeFile(
        join(folder, name),
        (await readFile(join(root, name), 'utf8')).replaceAll('>=24.15', '>=99'),
      );
    // Those of the npm that runs the tests.
    const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
    const env = Object.fromEntries(own);
    const warnings = () => {
      const words = ['ci', '--dry-run', '--offline', '--cache', join(folder, 'cache')];
      const shell = `npm ${words.join(' ')} 2>&1 >/dev/null`;
      return execFileSync('sh', ['-c', shell], { cwd: folder, encoding: 'utf8', env });
    };
    expect(warnings()).toContain('EBADENGINE');
    await cp(join(root, '.npmrc'), join(folder, '.npmrc'));
    expect(warnings()).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('planted faults are found: packages without a checksum', async () => {
  const [integrity, version] = ['sha512-x', '1'];
  const windows = { version, dev: true, optional: true, os: ['win32'], cpu: ['x64'] };
  const packages = {
    '': {},
    'node_modules/checked': { version, integrity },
    'node_modules/a': { version },
    'node_modules/tool': { version, dev: true },
    'node_modules/a/node_modules/@b/linux': { ...windows, os: ['linux'] },
    'node_modules/windows': windows,
    'node_modules/shipped-windows': { ...windows, dev: false },
    'node_modules/musl': { ...windows, os: ['linux'], libc: ['musl'] },
    'node_modules/alias': { ...windows, name: 'other' },
    'node_modules/linked': { link: true },
  };
  const faults = ['a', 'tool', 'a/node_modules/@b/linux', 'shipped-windows'];
  expect(uncheckedPackages(packages)).toEqual(faults.map((name) => `node_modules/${name}`));
  const asked: string[] = [];
  const completed = await withIntegrity(packages, async (spec) => {
    asked.push(spec);
    return spec === 'windows@1' ? undefined : integrity;
  });
  const names = ['a', 'tool', '@b/linux', 'windows', 'shipped-windows', 'musl', 'other'];
  expect(asked).toEqual(names.map((name) => `${name}@1`));
  expect(uncheckedPackages(completed)).toEqual([]);
  expect(completed).toMatchObject({
    'node_modules/alias': { name: 'other', integrity },
    'node_modules/windows': windows,
  });
});

test('planted faults are found: packages for other platforms that are not there', () => {
  const packages = {
    '': {},
    'node_modules/a': {
      dev: true,
      optionalDependencies: {
        '@a/linux-x64-musl': '1.2.3',
        '@a/cli-darwin-arm64': '1.2.3',
        b: '1',
      },
    },
    'node_modules/a/node_modules/b': { version: '1' },
  };
  expect(missingOptional(packages)).toEqual({
    'node_modules/@a/linux-x64-musl': {
      version: '1.2.3',
      cpu: ['x64'],
      dev: true,
      libc: ['musl'],
      optional: true,
      os: ['linux'],
    },
    'node_modules/@a/cli-darwin-arm64': {
      version: '1.2.3',
      cpu: ['arm64'],
      dev: true,
      optional: true,
      os: ['darwin'],
    },
  });
});

test('a package that is found further up is not missing, one for no platform is an error', () => {
  const optionalDependencies = { 'b-linux-x64': '1' };
  expect(
    missingOptional({
      'node_modules/a/node_modules/c': { optionalDependencies },
      'node_modules/b-linux-x64': { version: '1' },
    }),
  ).toEqual({});
  expect(() => missingOptional({ '': { optionalDependencies: { b: '1' } } })).toThrow('platform');
});

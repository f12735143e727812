import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { releasedManifest } from '../../../scripts/release/package/npm-packages.ts';
import { releaseOptions } from '../../../scripts/release/release-options.ts';

const PROGRAMS = ['syncer', 'webhook'];
const read = (...words: string[]) => {
  const { platforms, programs } = releaseOptions(words, PROGRAMS);
  return { archs: platforms.map(({ arch }) => arch), programs };
};

test('everything is built where nothing is asked for', () => {
  expect(read()).toEqual({ archs: ['x64', 'arm64'], programs: PROGRAMS });
});

test.each([
  ['x64', ['x64']],
  ['amd64', ['x64']],
  ['arm64', ['arm64']],
])('--arch %s', (arch, archs) => {
  expect(read('--arch', arch, '--program', 'webhook')).toEqual({ archs, programs: ['webhook'] });
});

test.each([
  [['--arch', 'foo'], '--arch "foo" does not exist: give x64, arm64'],
  [['--arch', 'x64', '--arch', ''], '--arch "" does not exist: give x64, arm64'],
  [['--program', 'nope'], '--program "nope" does not exist: give syncer, webhook'],
])('%j is refused with the values there are', (words, message) => {
  expect(() => read(...words)).toThrow(message);
});

test('a flag that does not exist is refused in one line', () => {
  expect(() => read('--nope')).toThrow(/^Unknown option '--nope'[^\n]*$/);
});

test('--help', () => {
  expect(releaseOptions(['--help'], PROGRAMS).help).toBe(true);
});

test('npm packages have the address of the repository, or none, and no scripts', () => {
  const of = (...words: string[]) => releaseOptions(words, PROGRAMS).repository;
  expect(of()).toBeUndefined();
  for (const address of [
    'github.com/a/b',
    'https://github.com/a/b/',
    'git+https://github.com/a/b.git',
  ])
    expect(of('--repository', address)).toBe('github.com/a/b');
  const manifest = readFileSync(resolve(import.meta.dirname, '../../../package.json'), 'utf8');
  const named = JSON.parse(releasedManifest(manifest, 'github.com/a/b'));
  expect(named.repository.url).toBe('git+https://github.com/a/b.git');
  expect(named.bugs).toBe('https://github.com/a/b/issues');
  const { repository, homepage, bugs, version } = JSON.parse(releasedManifest(manifest, undefined));
  expect([repository, homepage, bugs]).toEqual([undefined, undefined, undefined]);
  expect(version).toBe(named.version);
  expect(named.scripts).toBeUndefined();
});

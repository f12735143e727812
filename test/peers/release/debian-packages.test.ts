import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { debianPackages } from '../../../scripts/release/package/debian-packages.ts';
import { writeDeb } from '../../../scripts/release/package/write-deb.ts';

const hasDpkg = spawnSync('dpkg-deb', ['--version']).status === 0;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'syncer-packages-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** The packages with small programs in them. */
async function packages(version: string): Promise<Record<string, string>> {
  const legal = { LICENSE: 'MIT', 'THIRD_PARTY.txt': 'theirs' };
  const parts = {
    ...{ version, architecture: 'amd64', changelog: 'It changed.\n' },
    programs: {
      syncer: { content: Buffer.from('the program syncer'), legal },
      webhook: { content: Buffer.from(version), legal },
    },
  };
  const paths: Record<string, string> = {};
  for (const deb of await debianPackages(parts)) {
    paths[deb.name] = join(dir, `${deb.name}_${version}.deb`);
    writeFileSync(paths[deb.name] ?? '', await writeDeb(deb, 0));
  }
  return paths;
}

describe.skipIf(!hasDpkg)('Debian packages', () => {
  test('what dpkg says of them', async () => {
    const { syncer = '', 'syncer-webhook': webhook = '' } = await packages('1.2.3');
    expect(run('dpkg-deb', '--field', webhook, 'Package', 'Version', 'Architecture')).toBe(
      'Package: syncer-webhook\nVersion: 1.2.3\nArchitecture: amd64\n',
    );
    const names = (deb: string) =>
      run('dpkg-deb', '--contents', deb)
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^.*? \.\//, ''))
        .filter((name) => !name.endsWith('/'));
    expect(names(webhook)).toEqual([
      'usr/bin/webhook',
      'usr/lib/systemd/system/webhook.service',
      'usr/share/doc/syncer-webhook/THIRD_PARTY.txt.gz',
      'usr/share/doc/syncer-webhook/changelog.gz',
      'usr/share/doc/syncer-webhook/copyright',
      'usr/share/man/man1/webhook.1.gz',
      'usr/share/syncer-webhook/hooks.schema.json',
    ]);
    expect(names(syncer)).toEqual(
      expect.arrayContaining([
        'usr/bin/syncer',
        'usr/sbin/mount.syncer -> ../bin/syncer',
        'usr/share/bash-completion/completions/syncer',
        'usr/share/fish/vendor_completions.d/syncer.fish',
        'usr/share/man/man1/syncer-copy.1.gz',
        'usr/share/man/man1/syncer.1.gz',
        'usr/share/zsh/vendor-completions/_syncer',
      ]),
    );
  });

  test('their scripts are right for sh, their manual pages for man', async () => {
    const { 'syncer-webhook': deb = '' } = await packages('1');
    run('dpkg-deb', '--raw-extract', deb, join(dir, 'x'));
    for (const name of ['postinst', 'prerm', 'postrm']) {
      run('sh', '-n', join(dir, 'x/DEBIAN', name));
    }
    const page = run('zcat', join(dir, 'x/usr/share/man/man1/webhook.1.gz'));
    expect(page).toMatch(/^\.TH WEBHOOK 1 "" "syncer /);
    expect(page).toMatch(/^\.B \\-hotreload\n/m);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'an update keeps the hook file as it was changed, and purging removes all',
    async () => {
      const system = join(dir, 'system');
      const dpkg = (...words: string[]) =>
        run('dpkg', `--root=${system}`, '--force-script-chrootless', '--force-depends', ...words);
      run('mkdir', '-p', join(system, 'var/lib/dpkg/updates'), join(system, 'var/lib/dpkg/info'));
      writeFileSync(join(system, 'var/lib/dpkg/status'), '');
      dpkg('--install', (await packages('1'))['syncer-webhook'] ?? '');
      const hooks = join(system, 'etc/webhook.conf');
      expect(readFileSync(hooks, 'utf8')).toBe('[]\n');
      writeFileSync(hooks, '[{"id":"mine"}]');
      dpkg('--install', (await packages('2'))['syncer-webhook'] ?? '');
      expect(readFileSync(hooks, 'utf8')).toBe('[{"id":"mine"}]');
      expect(readFileSync(join(system, 'usr/bin/webhook'), 'utf8')).toBe('2');
      expect(dpkg('--verify', 'syncer-webhook').replace(/^.* c .*\n/, '')).toBe('');
      const settings = join(system, 'etc/default/syncer-webhook');
      expect(readFileSync(settings, 'utf8')).toMatch(/^PORT=9191$/m);
      dpkg('--purge', 'syncer-webhook');
      expect(run('find', system, '-name', '*webhook*', '-not', '-path', '*/var/lib/dpkg/*')).toBe(
        '',
      );
    },
  );

  test.skipIf(process.getuid?.() !== 0)(
    "Debian's webhook is replaced without a question: its hook file and its port stay",
    async () => {
      const system = join(dir, 'system');
      const dpkg = (...words: string[]) =>
        run('dpkg', `--root=${system}`, '--force-script-chrootless', '--force-depends', ...words);
      run('mkdir', '-p', join(system, 'var/lib/dpkg/updates'), join(system, 'var/lib/dpkg/info'));
      run('mkdir', '-p', join(system, 'etc'));
      writeFileSync(join(system, 'var/lib/dpkg/status'), '');
      const theirs = join(dir, 'webhook.deb');
      const scripts = { postrm: '#!/bin/sh\n' };
      const fields = { Maintainer: 'x <x@localhost>' };
      const old = { name: 'webhook', version: '2.8.0', architecture: 'amd64', scripts, fields };
      const more = { summary: 'x', description: ['x'], files: [] };
      writeFileSync(theirs, await writeDeb({ ...old, ...more }, 0));
      dpkg('--install', theirs);
      const hooks = join(system, 'etc/webhook.conf');
      writeFileSync(hooks, '[{"id":"deploy"}]');
      dpkg('--auto-deconfigure', '--install', (await packages('1'))['syncer-webhook'] ?? '');
      expect(readFileSync(hooks, 'utf8')).toBe('[{"id":"deploy"}]');
      const settings = readFileSync(join(system, 'etc/default/syncer-webhook'), 'utf8');
      expect(settings).toMatch(/^PORT=9000$/m);
      dpkg('--purge', 'syncer-webhook');
      expect(readFileSync(hooks, 'utf8')).toBe('[{"id":"deploy"}]');
    },
  );

  test('the same package gives the same bytes', async () => {
    const first = readFileSync((await packages('1'))['syncer'] ?? '');
    expect(readFileSync((await packages('1'))['syncer'] ?? '').equals(first)).toBe(true);
  });
});

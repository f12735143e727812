import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { putRelease } from '../../servers/release-host.ts';
import { type InstallerWorld, makeInstallerWorld } from '../../support/installer-world.ts';
import { fakeProgram, releaseArchive, type TarPart, tar, tarball } from '../../support/tarballs.ts';

const INSTALL = ['install', '--yes', '--arch', 'x86_64'];
const PROGRAM: TarPart = { name: 'webhook-linux-amd64/webhook', content: fakeProgram() };
const ARCHIVE = '/2.8.0/webhook-linux-amd64.tar.gz';

let world: InstallerWorld;
beforeEach(async () => {
  world = await makeInstallerWorld();
});
afterEach(() => world.remove());

/** Installs this archive: must fail, say this, and leave nothing. */
async function mustFail(why: RegExp, words: readonly string[] = []): Promise<void> {
  const before = await world.tree();
  const { code, stderr } = await world.run([...INSTALL, ...words]);
  expect(stderr).toMatch(why);
  expect(code).toBe(1);
  expect(await world.tree()).toEqual(before);
  expect(world.services.calls).toEqual([]);
}

const BAD: readonly (readonly [title: string, archive: Buffer, why: RegExp])[] = [
  ['no gzip', Buffer.from('<html>Not here</html>'), /not a gzip file, or/],
  ['empty', Buffer.alloc(0), /ends too early/],
  ['cut off', releaseArchive().subarray(0, -20), /ends too early/],
  ['cut off inside, whole outside', gzipSync(tar([PROGRAM]).subarray(0, 520)), /ends too early/],
  ['no tar', gzipSync(Buffer.alloc(1024, 'x')), /not a tar archive, or/],
  ['without the program', tarball([{ name: 'README' }]), /does not contain webhook-linux-amd64/],
  ['for another architecture', releaseArchive('amd64', fakeProgram('arm64')), /another architec/],
  ['a script', releaseArchive('amd64', Buffer.from('#!/bin/sh\n')), /no program for Linux/],
  ['the program twice', tarball([PROGRAM, PROGRAM]), /contains \S+ twice/],
  ['an absolute path', tarball([{ name: '/etc/cron.d/x' }, PROGRAM]), /points outside the archive/],
  ['a path upwards', tarball([{ name: 'a/../../x' }, PROGRAM]), /points outside the archive/],
  [
    'a long path upwards',
    tarball([{ name: '././@LongLink', type: 'L', content: '../x\0' }, { name: 'x' }, PROGRAM]),
    /points outside the archive/,
  ],
  [
    'a path upwards in attributes',
    tarball([{ name: 'p', type: 'x', content: '13 path=../x\n' }, { name: 'x' }, PROGRAM]),
    /points outside the archive/,
  ],
  [
    'a symbolic link',
    tarball([{ name: 'webhook-linux-amd64', type: '2', link: '/usr/bin' }, PROGRAM]),
    /is a symbolic link/,
  ],
  ['a link', tarball([{ name: 'x', type: '1', link: '/etc/shadow' }, PROGRAM]), /is a link/],
  ['a device', tarball([{ name: 'x', type: '3' }, PROGRAM]), /is a device/],
  ['a pipe', tarball([{ name: 'x', type: '6' }, PROGRAM]), /is a pipe/],
];

describe('a bad archive is not unpacked, and nothing is left', () => {
  for (const [title, archive, why] of BAD) {
    test(title, async () => {
      putRelease(world.host, archive);
      await mustFail(why);
    });
  }
});

test('an archive that was tampered with does not have the published checksum', async () => {
  putRelease(world.host, releaseArchive());
  world.host.answers.set(ARCHIVE, releaseArchive('amd64', fakeProgram('amd64', 'evil')));
  await mustFail(/the archive does not match its checksum: its SHA-256 is [\da-f]{64}, expected/);
});

test('an archive that arrives in part is an error', async () => {
  const archive = releaseArchive();
  putRelease(world.host, archive);
  world.host.answers.set(ARCHIVE, (request, response) => {
    response.writeHead(200, { 'content-length': archive.length });
    if (request.method === 'HEAD') response.end();
    else response.write(archive.subarray(0, 50), () => response.destroy());
  });
  const { code, stderr } = await world.run(INSTALL);
  expect([code, stderr]).toEqual([5, expect.stringMatching(/ended after 50 of \d+ bytes/)]);
});

test('--sha256 decides, whatever the host says', async () => {
  const archive = releaseArchive();
  putRelease(world.host, archive);
  await mustFail(/expected 0{64}/, ['--sha256', '0'.repeat(64)]);
  const sum = createHash('sha256').update(archive).digest('hex').toUpperCase();
  expect((await world.run([...INSTALL, '--sha256', sum])).code).toBe(0);
});

test('a host without checksums: it says that nothing was compared', async () => {
  putRelease(world.host, releaseArchive(), { sums: false });
  const { code, stdout } = await world.run(INSTALL);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /verify the archive: not verified: no checksum is published; set one with --sha256/,
  );
});

test('a list of checksums that does not name the archive, or cannot be had, is an error', async () => {
  putRelease(world.host, releaseArchive());
  world.host.answers.set('/2.8.0/SHA256SUMS', Buffer.from(`${'0'.repeat(64)}  other.tar.gz\n`));
  await mustFail(/the list does not contain webhook-linux-amd64\.tar\.gz/);
  world.host.answers.set('/2.8.0/SHA256SUMS', (_, response) => response.writeHead(500).end());
  await mustFail(/cannot download the checksums \S+: the server returned status 500/);
});

test('--archive: nothing is downloaded; the checksums beside the file count', async () => {
  const folder = world.path('downloads');
  await mkdir(folder);
  const file = `${folder}/webhook-linux-amd64.tar.gz`;
  await writeFile(file, releaseArchive());
  await writeFile(`${folder}/SHA256SUMS`, `${'0'.repeat(64)} *webhook-linux-amd64.tar.gz\n`);
  await mustFail(/expected 0{64}/, ['--archive', file]);
  await writeFile(`${folder}/SHA256SUMS`, '');
  await mustFail(/does not contain webhook-linux-amd64/, ['--archive', file]);
  const { code, stderr } = await world.run([...INSTALL, '--archive', world.path('nothing')]);
  expect([code, stderr]).toEqual([4, expect.stringMatching(/cannot read \S+nothing: no such/)]);
});

test('--archive without a list beside it: installed, and no request made', async () => {
  const file = world.path('webhook.tar.gz');
  await writeFile(file, releaseArchive());
  const { code } = await world.run([...INSTALL, '--archive', file]);
  expect(code).toBe(0);
  expect(world.host.requests).toEqual([]);
  expect(await readFile(world.path('usr/bin/webhook'))).toEqual(fakeProgram());
});

test('archives of other tools: names with ./, long names, attributes', async () => {
  const attributes = 'webhook-linux-amd64/webhook';
  putRelease(
    world.host,
    tarball([
      { name: 'pax_global_header', type: 'g', content: '13 comment=x\n' },
      { name: '././@LongLink', type: 'L', content: `${'long/'.repeat(40)}name\0` },
      { name: 'long' },
      { name: 'x', type: 'x', content: `${attributes.length + 9} path=${attributes}\n` },
      { name: './shortened', content: fakeProgram() },
    ]),
  );
  expect((await world.run(INSTALL)).stderr).toBe('');
});

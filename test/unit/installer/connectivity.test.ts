import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readOptions } from '../../../installer/read-options.ts';
import {
  putRelease,
  type ReleaseHost,
  startMuteHost,
  startReleaseHost,
} from '../../servers/release-host.ts';
import { startTlsFront } from '../../servers/tls-front.ts';
import { type InstallerWorld, makeInstallerWorld } from '../../support/installer-world.ts';
import { SELF_SIGNED_CERTIFICATE } from '../../support/self-signed.ts';
import { fakeProgram, releaseArchive } from '../../support/tarballs.ts';

const ARCHIVE = '/2.8.0/webhook-linux-amd64.tar.gz';
const INSTALL = ['install', '--yes', '--arch', 'x86_64'];

let world: InstallerWorld;
let mirror: ReleaseHost;
beforeEach(async () => {
  world = await makeInstallerWorld('none');
  mirror = await startReleaseHost();
});
afterEach(async () => {
  await mirror.close();
  await world.remove();
});

/** Installs with a mirror; the release host of `url` in place of the world's own. */
const installFrom = (url: string, ...words: string[]) => {
  putRelease(mirror, releaseArchive(), { before: `/m/${url}` });
  return world.run([...INSTALL, '--mirror-url', `${mirror.url}/m/`, ...words], {
    places: [...world.places, '--release-url', url],
  });
};

test('rule 4.5 install 2, section 8: 5 s for the connection, 8 s in all', () => {
  const { timeouts } = readOptions({}, { cwd: '/', machine: 'x86_64' });
  expect(timeouts).toMatchObject({ connectMs: 5000, testMs: 8000 });
});

describe('rule 4.5 install 2', () => {
  test('200 to HEAD: directly', async () => {
    putRelease(world.host, releaseArchive());
    const { code } = await installFrom(world.host.url);
    expect(code).toBe(0);
    expect(world.host.requests).toEqual([
      `HEAD ${ARCHIVE}`,
      `GET ${ARCHIVE}`,
      'GET /2.8.0/SHA256SUMS',
    ]);
    expect(mirror.requests).toEqual([]);
  });

  test('200 after redirects: directly', async () => {
    putRelease(world.host, releaseArchive(), { before: '/elsewhere' });
    world.host.answers.set(ARCHIVE, (_, response) =>
      response.writeHead(302, { location: `/elsewhere${ARCHIVE}` }).end(),
    );
    expect((await installFrom(world.host.url)).code).toBe(0);
    expect(mirror.requests).toEqual([]);
  });

  const viaMirror = async (url: string, why: RegExp, ...words: string[]) => {
    const { code, stdout, stderr } = await installFrom(url, ...words);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(why);
    expect(mirror.requests).toEqual([`GET /m/${url}${ARCHIVE}`, `GET /m/${url}/2.8.0/SHA256SUMS`]);
    expect(await readFile(world.path('usr/bin/webhook'))).toEqual(fakeProgram());
  };

  test('404: through the mirror', () =>
    viaMirror(world.host.url, /it returned status 404: download through the mirror/));

  test('204, which is no 200: through the mirror', async () => {
    world.host.answers.set(ARCHIVE, (_, response) => response.writeHead(204).end());
    await viaMirror(world.host.url, /it returned status 204/);
  });

  test('refused: through the mirror', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    await viaMirror(`http://127.0.0.1:${port}`, /refused.*: download through the mirror/);
  });

  test('no connection in time: through the mirror', async () => {
    const mute = await startMuteHost();
    await viaMirror(mute.url, /no connection to \S+ within 0\.2 s/, '--connect-timeout', '200ms');
    mute.close();
  });

  test('a connection, but no answer in time: through the mirror', async () => {
    world.host.answers.set(ARCHIVE, () => {});
    await viaMirror(world.host.url, /no response within 0\.3 s/, '--test-timeout', '300ms');
  });

  test('a circle of redirects: through the mirror', async () => {
    world.host.answers.set(ARCHIVE, (_, response) =>
      response.writeHead(302, { location: ARCHIVE }).end(),
    );
    const { stdout } = await installFrom(world.host.url);
    expect(stdout).toMatch(/more than 10 redirects: download through the mirror/);
  });

  test('without a mirror it fails, says why, and changes nothing', async () => {
    const before = await world.tree();
    const { code, stderr } = await world.run(INSTALL);
    expect(code).toBe(5);
    expect(stderr).toMatch(/status 404; use a mirror with --mirror-url, or .* with --archive\n$/);
    expect(await world.tree()).toEqual(before);
  });
});

test('the time of the test is none for the download', async () => {
  const archive = releaseArchive();
  putRelease(world.host, archive);
  world.host.answers.set(ARCHIVE, (request, response) => {
    response.writeHead(200, { 'content-length': archive.length });
    if (request.method === 'HEAD') {
      response.end();
    } else {
      response.write(archive.subarray(0, 10));
      setTimeout(() => response.end(archive.subarray(10)), 600);
    }
  });
  const { code } = await world.run([...INSTALL, '--test-timeout', '300ms']);
  expect(code).toBe(0);
});

test('a download that falls silent fails, and nothing is left', async () => {
  const before = await world.tree();
  const archive = releaseArchive();
  world.host.answers.set(ARCHIVE, (request, response) => {
    response.writeHead(200, { 'content-length': archive.length });
    if (request.method === 'HEAD') response.end();
    else response.write(archive.subarray(0, 10));
  });
  const { code, stderr } = await world.run([...INSTALL, '--stall-timeout', '300ms']);
  expect(code).toBe(5);
  expect(stderr).toMatch(/download of \S+ failed: no data from \S+ within 0\.3 s/);
  expect(await world.tree()).toEqual(before);
});

test('rule 4.5 install 2: HEAD says 200 and GET something else: it says which status', async () => {
  world.host.answers.set(ARCHIVE, (request, response) =>
    response.writeHead(request.method === 'HEAD' ? 200 : 503).end(),
  );
  const { stderr } = await world.run(INSTALL);
  expect(stderr).toMatch(/failed: the server returned status 503\n$/);
});

test('a host that nobody vouches for: it says so, and how to trust it', async () => {
  const front = await startTlsFront(world.host.url);
  putRelease(world.host, releaseArchive());
  const words = [...INSTALL, '--sha256', '0'.repeat(64)];
  const places = [...world.places, '--release-url', front.endpoint];
  const first = await world.run(words, { places });
  expect(first.stderr).toMatch(
    /its certificate is self-signed; add its authority with --ca-cert.*; use a/,
  );
  const pem = world.path('authority.pem');
  await writeFile(pem, SELF_SIGNED_CERTIFICATE);
  const second = await world.run([...words, '--ca-cert', pem], { places });
  front.close();
  expect(second.stderr).toMatch(/expected 0{64}/);
});

test('section 9: release 2.8.0 is fetched unless --version says otherwise', async () => {
  putRelease(world.host, releaseArchive(), { version: '2.8.2' });
  expect((await world.run([...INSTALL, '--version', '2.8.2'])).code).toBe(0);
  expect(world.host.requests[0]).toBe('HEAD /2.8.2/webhook-linux-amd64.tar.gz');
  const { releaseUrl, version } = readOptions({}, { cwd: '/', machine: 'x86_64' });
  expect(`${releaseUrl}/${version}`).toBe(
    'https://github.com/adnanh/webhook/releases/download/2.8.0',
  );
});

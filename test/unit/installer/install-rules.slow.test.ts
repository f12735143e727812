import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unitFile } from '../../../installer/machine/installed-files.ts';
import { putRelease } from '../../servers/release-host.ts';
import { type InstallerWorld, makeInstallerWorld } from '../../support/installer-world.ts';
import { fakeProgram, releaseArchive } from '../../support/tarballs.ts';
import { waitFor } from '../../support/wait-for.ts';

const run = promisify(execFile);

let world: InstallerWorld;
beforeEach(async () => {
  world = await makeInstallerWorld();
  putRelease(world.host, releaseArchive());
});
afterEach(() => world.remove());

const INSTALL = ['install', '--yes', '--arch', 'x86_64', '--token', 'se cret&1'];

describe('rule 4.5 install 1: whatever is there already keeps it from installing', () => {
  const files = {
    'the directory': 'srv/webhook/x',
    'the program': 'usr/bin/webhook',
    'the configuration file': 'etc/webhook.conf',
    'the service unit': 'lib/systemd/system/webhook.service',
  };
  for (const [title, name] of Object.entries(files)) {
    test(`${title}`, async () => {
      if (name.endsWith('/x')) await mkdir(world.path('srv/webhook'));
      await writeFile(world.path(name), 'mine');
      const before = await world.tree();
      const { code, stdout, stderr } = await world.run(INSTALL);
      expect(code).toBe(1);
      expect(stdout).toBe(`found: ${title} ${world.path(name).replace(/\/x$/, '')}\n`);
      expect(stderr).toMatch(/nothing was installed: remove these by hand, or with "webhook-inst/);
      expect(await world.tree()).toEqual(before);
      expect([world.host.requests, world.services.calls]).toEqual([[], []]);
    });
  }

  test('a listener on the port, at any address', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(world.port, '::', resolve));
    const { code, stdout } = await world.run(INSTALL);
    server.close();
    expect(code).toBe(1);
    expect(stdout).toBe(`found: a program that listens on port ${world.port}\n`);
    expect(world.host.requests).toEqual([]);
  });

  test('a notice for each, and links that lead nowhere count', async () => {
    await world.run(INSTALL);
    const { stdout } = await world.run(INSTALL);
    expect(stdout.match(/^found: /gm)).toHaveLength(5);
  });
});

describe('a unit of that name elsewhere keeps it from installing', () => {
  const image = () => ['--root', world.dir, '--work-dir', '/srv', '--port', `${world.port}`];
  const places = () => [...image(), '--release-url', world.host.url];
  const put = async (name: string, target?: string) => {
    await mkdir(dirname(world.path(name)), { recursive: true });
    if (target === undefined) await writeFile(world.path(name), '[Unit]\n');
    else await symlink(target, world.path(name));
  };

  test.each([
    ['etc/systemd/system/webhook.service', undefined, 'the service unit', []],
    ['etc/systemd/system/webhook.service', '/dev/null', 'the mask of the service unit', []],
    ['etc/systemd/system/webhook.service', '/nowhere', 'the service unit', []],
    ['run/systemd/system/webhook.service', undefined, 'the service unit', []],
    ['usr/lib/systemd/system/webhook.service', undefined, 'the service unit', []],
    [
      'etc/systemd/system/webhook.service.d/a.conf',
      undefined,
      'the drop-in of the service unit',
      [],
    ],
    [
      'lib/systemd/system/webhook.service.d/a.conf',
      undefined,
      'the drop-in of the service unit',
      [],
    ],
    ['etc/systemd/system/webhook.socket', undefined, 'the service unit', ['--hardened']],
  ] as const)('%s to %s', async (name, target, title, flags) => {
    await put(name, target);
    const before = await world.tree();
    const { code, stdout, stderr } = await world.run([...INSTALL, ...flags], { places: places() });
    expect([code, stdout]).toEqual([1, `found: ${title} /${name}\n`]);
    expect(stderr).toContain('nothing was installed');
    expect(await world.tree()).toEqual(before);
  });

  test('but not the same directory by another name, and other units', async () => {
    await rm(world.path('lib'), { recursive: true });
    await mkdir(world.path('usr/lib/systemd/system'), { recursive: true });
    await symlink('usr/lib', world.path('lib'));
    await put('etc/systemd/system/other.service');
    await put('etc/systemd/system/webhook.service.d/README');
    const { code } = await world.run([...INSTALL, '--dry-run'], { places: places() });
    expect(code).toBe(0);
    await put('lib/systemd/system/webhook.service');
    const { stdout } = await world.run(INSTALL, { places: places() });
    expect(stdout).toBe('found: the service unit /lib/systemd/system/webhook.service\n');
  });
});

test('a unit that systemd does not load is an error, and everything is undone', async () => {
  const before = await world.tree();
  world.services.loaded = '/etc/systemd/system/webhook.service';
  const { code, stderr } = await world.run(INSTALL);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(
    /webhook\.service has no effect: systemd loads \/etc\/systemd\/system\/webhook\.service instead/,
  );
  expect(await world.tree()).toEqual(before);
  expect(world.services.calls.join()).not.toContain('start');
});

const NAMES = [`a b`, `%n $HOME`, `"quoted" 'too'`, 'back\\slash', 'Grüße 😀', '$' + '{env:HOME}'];

test.each(NAMES)('it installs into the directory %j, by default the current one', async (name) => {
  const cwd = world.path(name);
  await mkdir(cwd);
  const at = world.places.indexOf('--work-dir');
  const places = world.places.toSpliced(at, 2);
  const { code, stderr } = await world.run(INSTALL, { cwd, places });
  expect([code, stderr]).toEqual([0, '']);
  await waitFor(() => existsSync(join(cwd, 'webhook/test.log')));
  expect((await world.run(['uninstall', '--yes'], { cwd, places })).code).toBe(0);
  expect(await readdir(cwd)).toEqual([]);
});

test('paths in units are written as systemd reads them', () => {
  const choice = {
    ...{
      program: '/opt/a b$c%d/webhook',
      hooks: '/etc/x y$z%n"q\\é.conf',
      port: 9,
      restartDelay: '5s',
    },
  };
  expect(unitFile(choice)).toContain(
    'ExecStart="/opt/a b$c%%d/webhook" -nopanic -hotreload -verbose -port 9 -hooks "/etc/x y$$z%%n\\"q\\\\é.conf"\n',
  );
});

test('rule 4.5 install 3: the archive for the machine, its program in /usr/bin', async () => {
  putRelease(world.host, releaseArchive('arm64'), { arch: 'arm64' });
  for (const [machine, arch] of [
    ['x86_64', 'amd64'],
    ['aarch64', 'arm64'],
  ] as const) {
    world.host.requests.length = 0;
    const { code, stderr } = await world.run(['install', '--yes', '--arch', machine]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(world.host.requests).toEqual([
      `HEAD /2.8.0/webhook-linux-${arch}.tar.gz`,
      `GET /2.8.0/webhook-linux-${arch}.tar.gz`,
      'GET /2.8.0/SHA256SUMS',
    ]);
    expect(await readFile(world.path('usr/bin/webhook'))).toEqual(fakeProgram(arch));
    expect((await stat(world.path('usr/bin/webhook'))).mode & 0o7777).toBe(0o755);
    await world.run(['uninstall', '--yes']);
  }
});

test('rule 4.5 install 3: other machines are refused before anything is done', async () => {
  const before = await world.tree();
  const { code, stderr } = await world.run(['install', '--yes', '--arch', 'riscv64']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/"riscv64": only x86_64 and aarch64 are supported/);
  expect(await world.tree()).toEqual(before);
  expect(world.host.requests).toEqual([]);
});

test('rule 4.5 install 4: test.sh adds a line with the time to test.log', async () => {
  await world.run(INSTALL);
  const folder = world.path('srv/webhook');
  expect((await stat(`${folder}/test.sh`)).mode & 0o7777).toBe(0o755);
  await run(`${folder}/test.sh`, { cwd: folder });
  const lines = (await readFile(`${folder}/test.log`, 'utf8')).trimEnd().split('\n');
  // The installer called the hook once itself.
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S/);
});

test('rule 4.5 install 5: one hook, "test", that wants its token', async () => {
  await world.run(INSTALL);
  const folder = world.path('srv/webhook');
  const file = world.path('etc/webhook.conf');
  expect((await stat(file)).mode & 0o7777).toBe(0o600);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual([
    {
      id: 'test',
      'execute-command': `${folder}/test.sh`,
      'command-working-directory': folder,
      'response-message': 'test success!\n',
      'trigger-rule': {
        match: {
          type: 'value',
          value: 'se cret&1',
          parameter: { source: 'url', name: 'token' },
        },
      },
    },
  ]);
});

test('rule 4.5 install 5: without --token it is random, and shown', async () => {
  const tokens = [];
  for (let i = 0; i < 2; i++) {
    const { stdout } = await world.run(['install', '--yes', '--arch', 'x86_64']);
    tokens.push(/^token of the hook "test": ([\da-f]{32})$/m.exec(stdout)?.[1]);
    expect(await readFile(world.path('etc/webhook.conf'), 'utf8')).toContain(`"${tokens[i]}"`);
    await world.run(['uninstall', '--yes']);
  }
  expect(tokens[0]).not.toBe(tokens[1]);
});

test('rule 4.5 install 6: the unit, and what the service manager is told', async () => {
  await world.run(INSTALL);
  const unit = await readFile(world.path('lib/systemd/system/webhook.service'), 'utf8');
  const [bin, hooks] = [world.path('usr/bin/webhook'), world.path('etc/webhook.conf')];
  expect(unit.split('\n')).toEqual(
    expect.arrayContaining([
      'User=root',
      'Group=root',
      `ExecStart=${bin} -nopanic -hotreload -verbose -port ${world.port} -hooks ${hooks}`,
      'Restart=on-failure',
      'RestartSec=5s',
      'WantedBy=multi-user.target',
    ]),
  );
  expect(world.services.calls).toEqual([
    'daemon-reload',
    'start webhook.service',
    'enable webhook.service',
  ]);
});

test('rule 4.5 install 7: the test hook answers "test success!" and a newline', async () => {
  const { code, stdout } = await world.run(INSTALL);
  expect(code).toBe(0);
  expect(stdout).toMatch(/call the test hook: test success!\n/);
  const url = /curl '(.*)'/.exec(stdout)?.[1] ?? '';
  expect(url).toBe(`http://localhost:${world.port}/hooks/test?token=se%20cret%261`);
  const answer = await fetch(url.replace('localhost', '127.0.0.1'));
  expect([answer.status, await answer.text()]).toEqual([200, 'test success!\n']);
  const wrong = await fetch(`http://127.0.0.1:${world.port}/hooks/test?token=other`);
  expect(await wrong.text()).toBe('Hook rules were not satisfied.');
});

test('without systemd it says so, installs the files, and tells how to start', async () => {
  const bare = await makeInstallerWorld('none');
  putRelease(bare.host, releaseArchive());
  const { code, stdout } = await bare.run(INSTALL);
  expect(code).toBe(0);
  expect(stdout).toMatch(/systemd is not running: this installs the files, but starts nothing/);
  expect(stdout).toContain(`to start the server: ${bare.path('usr/bin/webhook')} -nopanic `);
  expect(bare.services.calls).toEqual([]);
  expect(await readFile(bare.path('usr/bin/webhook'))).toEqual(fakeProgram());
  await bare.remove();
});

test('a folder for --root that is not there is an error, and is not made', async () => {
  const nowhere = world.path('nowhere');
  const { code, stderr } = await world.run([...INSTALL, '--root', nowhere], {
    places: ['--port', `${world.port}`],
  });
  expect([code, stderr]).toEqual([3, expect.stringMatching(/directory not found: \S+nowhere/)]);
  expect(await world.tree()).not.toHaveProperty(['nowhere/']);
});

test('a blank token is refused', async () => {
  const { code, stderr } = await world.run([...INSTALL, '--token', ' ']);
  expect([code, stderr]).toEqual([
    2,
    'webhook-installer: --token " " is not a token: it is blank\n',
  ]);
});

test('a token is refused that the server would replace by a value, also in the menu', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference
  const token = 'a${env:HOME}';
  for (const words of [INSTALL, []]) {
    const { code, stderr } = await world.run([...words, '--token', token]);
    expect([code, stderr]).toEqual([
      2,
      `webhook-installer: --token "${token}" is not a token: the server replaces a reference in it\n`,
    ]);
  }
});

test('--dry-run shows every step and changes nothing', async () => {
  const before = await world.tree();
  const { code, stdout } = await world.run(['install', '--dry-run', '--arch', 'x86_64']);
  expect(code).toBe(0);
  expect(stdout.match(/^ +\d+\. /gm)).toHaveLength(12);
  expect(stdout).toMatch(/Nothing was changed: this was a dry run\.\n$/);
  expect(await world.tree()).toEqual(before);
  expect([world.host.requests, world.services.calls]).toEqual([[], []]);
});

test('--program installs a program that is here, and asks no host', async () => {
  const program = world.path('tmp-webhook');
  await writeFile(program, fakeProgram());
  const { code, stdout, stderr } = await world.run([...INSTALL, '--program', program]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`install the program ${world.path('usr/bin/webhook')} from ${program}`);
  expect(await readFile(world.path('usr/bin/webhook'))).toEqual(fakeProgram());
  expect(world.host.requests).toEqual([]);
});

test('--program refuses what is no program', async () => {
  const before = await world.tree();
  const program = world.path('tmp-webhook');
  const wordless = [...INSTALL, '--program', program];
  expect((await world.run(wordless)).stderr).toContain(`${program}: no such file`);
  await writeFile(program, 'text that is long enough to be looked at');
  expect((await world.run(wordless)).stderr).toContain(`${program} is no program for Linux`);
  await rm(program);
  expect(await world.tree()).toEqual(before);
});

test('--program of an npm package installs a script that starts it, on this system only', async () => {
  const program = world.path('webhook.js');
  await writeFile(program, '// needs Node');
  const words = [...INSTALL, '--program', program];
  const elsewhere = await world.run([...words, '--root', world.dir, '--bin-dir', '/usr/bin']);
  expect(elsewhere.stderr).toContain(`${program} cannot be installed into ${world.dir}`);
  expect((await world.run(words)).code).toBe(0);
  const script = await readFile(world.path('usr/bin/webhook'), 'utf8');
  expect(script).toMatch(/^#!\/bin\/sh\n/);
  expect(script).toContain(`exec ${process.execPath} --disable-sigusr1 ${program} "$@"\n`);
});

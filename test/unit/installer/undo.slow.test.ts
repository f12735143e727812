import { writeFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import { putRelease } from '../../servers/release-host.ts';
import { type InstallerWorld, makeInstallerWorld } from '../../support/installer-world.ts';
import { canMount, withDisk } from '../../support/mount-disk.ts';
import { fakeProgram, releaseArchive } from '../../support/tarballs.ts';

const INSTALL = ['install', '--yes', '--arch', 'x86_64'];

let world: InstallerWorld;
beforeEach(async () => {
  world = await makeInstallerWorld();
  putRelease(world.host, releaseArchive());
});
afterEach(() => world.remove());

/** What runs of the service manager leave behind: nothing started, nothing enabled. */
function expectNothingRuns(): void {
  const { calls } = world.services;
  const last = (verb: string, opposite: string) =>
    calls.findLastIndex((call) => call.startsWith(verb)) <=
    calls.findLastIndex((call) => call.startsWith(opposite));
  expect(last('start', 'stop'), calls.join(', ')).toBe(true);
  expect(last('enable', 'disable'), calls.join(', ')).toBe(true);
}

async function secondRunWorks(): Promise<void> {
  world.services.fails = undefined;
  world.services.broken = undefined;
  const { code, stderr } = await world.run(INSTALL);
  expect([code, stderr]).toEqual([0, '']);
}

test('Ctrl-C at every moment: nothing is left, and it ends with 130', async () => {
  const before = await world.tree();
  let moments = 0;
  for (let moment = 1; ; moment++) {
    const interruption = new AbortController();
    moments = 0;
    const onOutput = () => {
      if (++moments === moment) {
        interruption.abort(new SyncerError('interrupted', 'interrupted by Ctrl-C'));
      }
    };
    const { code } = await world.run(INSTALL, { signal: interruption.signal, onOutput });
    if (moments < moment) {
      expect(code).toBe(0);
      break;
    }
    // The lines that follow the last step only tell about it.
    if (code === 0) {
      await world.run(['uninstall', '--yes']);
      continue;
    }
    expect(code).toBe(130);
    expect(await world.tree(), `after ${moment} pieces of output`).toEqual(before);
    expectNothingRuns();
  }
  expect(moments).toBeGreaterThan(20);
});

describe('a service manager that refuses: all is undone, the reason is told, a second run works', () => {
  for (const call of ['daemon-reload', 'start webhook.service', 'enable webhook.service']) {
    test(call, async () => {
      const before = await world.tree();
      world.services.fails = { call, why: `systemctl ${call}: killed` };
      const { code, stdout, stderr } = await world.run(INSTALL);
      expect(code).toBe(1);
      expect(stderr).toBe(`webhook-installer: systemctl ${call}: killed\n`);
      expect(stdout).toMatch(/Undoing what was done:\n/);
      expect(await world.tree()).toEqual(before);
      expectNothingRuns();
      await secondRunWorks();
    });
  }
});

test('a service that does not start: what systemd says, and nothing is left', async () => {
  const before = await world.tree();
  world.services.broken = 'failed';
  const { code, stdout, stderr } = await world.run(INSTALL);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /the service does not respond: systemd says it is failed; journalctl -u web/,
  );
  expect(stdout.replaceAll(world.dir, '')).toContain(
    `Undoing what was done:
  disabled webhook.service
  stopped webhook.service
  deleted /lib/systemd/system/webhook.service
  deleted /etc/webhook.conf
  deleted /srv/webhook/test.sh
  deleted /usr/bin/webhook
  deleted the directory /srv/webhook
`,
  );
  expect(await world.tree()).toEqual(before);
  expect(world.services.calls.at(-1)).toBe('daemon-reload');
  await secondRunWorks();
});

test('a service that restarts for ever: it does not wait longer than --start-timeout', async () => {
  world.services.broken = 'activating';
  const { stderr } = await world.run([...INSTALL, '--start-timeout', '300ms']);
  expect(stderr).toMatch(/does not respond within 0\.3 s: systemd says it is activating/);
});

test('another server on the port: it is not taken for the hook', async () => {
  world.services.broken = 'active';
  const server = createServer((_, response) => response.end('I am something else'));
  const onOutput = (text: string) => {
    if (text.includes('reload the service manager: done')) server.listen(world.port, '127.0.0.1');
  };
  const { code, stderr } = await world.run(INSTALL, { onOutput });
  server.close();
  expect(code).toBe(1);
  expect(stderr).toMatch(/the test hook returned "I am something else" instead of "test success!"/);
});

test('an undo that fails is told, and keeps no other from being done', async () => {
  const before = await world.tree();
  world.services.fails = { call: 'stop webhook.service', why: 'it hangs' };
  world.services.broken = 'failed';
  const { stdout } = await world.run(INSTALL);
  expect(stdout).toMatch(/^ {2}stopped webhook\.service: FAILED: it hangs$/m);
  expect(await world.tree()).toEqual(before);
});

test.skipIf(!canMount)('no space on the disk: nothing is left, a second run works', async () => {
  const disk = world.path('usr/bin');
  const before = await world.tree();
  await withDisk(disk, 'size=64k', async () => {
    putRelease(world.host, releaseArchive('amd64', fakeProgram('amd64', 'x'.repeat(200_000))), {
      version: '9.9.9',
    });
    const { code, stderr } = await world.run([...INSTALL, '--version', '9.9.9']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot write \S+\/usr\/bin\/webhook: no space left on the disk\n$/);
    expect(await world.tree()).toEqual(before);
    await secondRunWorks();
  });
  await mkdir(disk);
});

test('a file that appears meanwhile is not overwritten, and not deleted', async () => {
  const conf = world.path('etc/webhook.conf');
  const onOutput = (text: string) => {
    if (text.includes('install the program')) writeFileSync(conf, 'somebody else');
  };
  const { code, stderr } = await world.run(INSTALL, { onOutput });
  expect(code).toBe(1);
  expect(stderr).toMatch(/cannot write \S+webhook\.conf: it was created by another program/);
  expect(await readFile(conf, 'utf8')).toBe('somebody else');
});

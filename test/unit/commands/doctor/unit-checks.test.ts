import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unitChecks } from '../../../../commands/doctor/unit-checks.ts';
import { hardenedUnits, unitFile } from '../../../../installer/machine/installed-files.ts';
import { writeTree } from '../../../support/file-tree.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-units-'));
});
afterEach(() => rm(dir, { recursive: true }));

const WEBHOOK = '[Service]\nExecStart=/usr/bin/webhook -hooks /etc/webhook.conf\n';

async function found(files: Record<string, string>) {
  await writeTree(dir, files);
  return Array.fromAsync(unitChecks([join(dir, 'etc'), join(dir, 'lib'), join(dir, 'none')]));
}

test.each([
  [
    'a unit',
    { 'lib/webhook.service': `${WEBHOOK}MemoryDenyWriteExecute=yes\n` },
    'lib/webhook.service',
  ],
  [
    'a drop-in',
    {
      'lib/webhook.service': WEBHOOK,
      'etc/webhook.service.d/hard.conf': '[Service]\nMemoryDenyWriteExecute = true\n',
    },
    'etc/webhook.service.d/hard.conf',
  ],
  [
    'a drop-in for all services',
    {
      'etc/shelf.service':
        '[Service]\nExecStart=/usr/bin/node --disable-sigusr1 /opt/syncer.js mount shelf: /mnt\n',
      'etc/service.d/hard.conf': '[Service]\nMemoryDenyWriteExecute=1\n',
    },
    'etc/service.d/hard.conf',
  ],
])('doctor finds %s under which Node cannot start', async (_, files, path) => {
  expect(await found(files)).toMatchObject([
    { check: 'units', verdict: 'failed', text: expect.stringContaining(join(dir, path)) },
  ]);
});

test.each([
  [
    'a unit of another program',
    { 'lib/other.service': '[Service]\nExecStart=/bin/other\nMemoryDenyWriteExecute=yes\n' },
    0,
  ],
  [
    'a setting that a drop-in switches off',
    {
      'lib/webhook.service': `${WEBHOOK}MemoryDenyWriteExecute=yes\n`,
      'etc/webhook.service.d/a.conf': '[Service]\nMemoryDenyWriteExecute=no\n',
    },
    1,
  ],
  [
    'a unit that another one replaces',
    {
      'lib/webhook.service': `${WEBHOOK}MemoryDenyWriteExecute=yes\n`,
      'etc/webhook.service': WEBHOOK,
    },
    1,
  ],
])('doctor has nothing against %s', async (_, files, count) => {
  const [result, ...others] = await found(files);
  expect(result).toMatchObject({
    check: 'units',
    verdict: 'ok',
    text: expect.stringMatching(`^${count} `),
  });
  expect(others).toEqual([]);
});

test('the units of the installer do not forbid Node to compile', async () => {
  const choice = { program: '/usr/bin/webhook', hooks: '/etc/h', port: 9191, restartDelay: '5s' };
  const layout = { unit: 'a', watchUnit: 'b', renewUnit: 'c', socketUnit: 'd' };
  const hardened = hardenedUnits(layout as Parameters<typeof hardenedUnits>[0], choice, true);
  for (const text of [unitFile(choice), ...hardened.map(({ content }) => content)])
    expect(text).not.toContain('MemoryDenyWriteExecute');
  expect(await found({ 'etc/webhook.service': unitFile(choice) })).toMatchObject([
    { verdict: 'ok', text: expect.stringMatching(/^1 /) },
  ]);
});

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  hasListener,
  packageOwner,
  portOfUnit,
  workFolderOfHooks,
} from '../../../installer/machine/detect-machine.ts';
import { insideRoot } from '../../../installer/machine/inside-root.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'webhook-installer-root-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('no link in a root leads out of it', async () => {
  await mkdir(join(root, 'usr/lib/systemd'), { recursive: true });
  await symlink('/usr/lib', join(root, 'lib'));
  await symlink('../../../../../usr', join(root, 'up'));

  await symlink('b', join(root, 'a'));
  await symlink('a', join(root, 'b'));
  expect(await insideRoot(root, '/lib/systemd/x')).toBe(join(root, 'usr/lib/systemd/x'));
  expect(await insideRoot(root, '/up/lib/x')).toBe(join(root, 'usr/lib/x'));

  await expect(insideRoot(root, '/a/x')).rejects.toThrow(/too many symbolic links/);
  expect(await insideRoot(root, '/not/there/yet')).toBe(join(root, 'not/there/yet'));
  expect(await insideRoot('/', '/etc/passwd')).toBe('/etc/passwd');
});

test("the kernel's tables of sockets: only those that listen, on that very port", () => {
  const head = '  sl  local_address rem_address   st tx_queue rx_queue\n';
  const line = (address: string, state: string) => `   0: ${address} 00000000:0000 ${state} 0:0\n`;
  expect(hasListener(head + line('0100007F:23E7', '0A'), 9191)).toBe(true);
  expect(hasListener(`${head}${line(`${'0'.repeat(32)}:23E7`, '0A')}`, 9191)).toBe(true);
  expect(hasListener(head + line('0100007F:23E7', '01'), 9191)).toBe(false);
  expect(hasListener(head + line('0100007F:23E8', '0A'), 9191)).toBe(false);
  expect(hasListener('', 9191)).toBe(false);
});

test('a file of a package is found by the list of the package, under both names of /lib', async () => {
  await mkdir(join(root, 'var/lib/dpkg/info'), { recursive: true });
  const list = (name: string, text: string) =>
    writeFile(join(root, 'var/lib/dpkg/info', name), text);
  await list('other.list', '/.\n/usr/bin/webhook-tool\n');
  await list('hooks:amd64.list', '/.\n/usr/lib/systemd/system/webhook.service\n');
  const owner = (...paths: string[]) => packageOwner(root, paths);
  expect(await owner('/usr/bin/webhook')).toBeUndefined();
  expect(await owner('/usr/bin/webhook', '/lib/systemd/system/webhook.service')).toBe('hooks');
});

test('what hook files and units tell', () => {
  const hooks = (hook: object) => JSON.stringify([null, { id: 'other' }, { id: 'test', ...hook }]);
  const script = { 'execute-command': '/opt/webhook/test.sh' };
  expect(workFolderOfHooks(hooks(script))).toBe('/opt/webhook');
  expect(workFolderOfHooks(hooks({ 'execute-command': '/opt/mine/test.sh' }))).toBeUndefined();
  expect(workFolderOfHooks(hooks({ 'execute-command': '/webhook/x' }))).toBeUndefined();
  expect(workFolderOfHooks('- id: test')).toBeUndefined();
  expect(portOfUnit('[Service]\nExecStart=/usr/bin/webhook -port 80 -verbose\n')).toBe(80);
  expect(portOfUnit('ExecStart=/usr/bin/webhook --port=81\n')).toBe(81);
  expect(portOfUnit(undefined)).toBeUndefined();
});

import { lstat, mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { disableInImage, enableInImage } from '../../../installer/machine/systemctl.ts';

let world: string;
let root: string;
beforeEach(async () => {
  world = await mkdtemp(join(tmpdir(), 'image-units-'));
  root = join(world, 'root');
  await mkdir(root);
});
afterEach(() => rm(world, { recursive: true, force: true }));

const UNIT = '[Service]\nExecStart=/x\n\n[Install]\nWantedBy=multi-user.target other.target\n';
const WANTS = 'etc/systemd/system/multi-user.target.wants';

const write = async (path: string, text = UNIT) => {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), text);
};

test('a unit is enabled by links, and disabled without them', async () => {
  await write('etc/systemd/system/a.service');
  await enableInImage(root, ['a.service']);
  await enableInImage(root, ['a.service']);
  for (const target of ['multi-user', 'other']) {
    const link = join(root, `etc/systemd/system/${target}.target.wants/a.service`);
    expect(await readlink(link)).toBe('/etc/systemd/system/a.service');
  }
  await writeFile(join(root, WANTS, 'b.service'), 'no link');
  await disableInImage(root, ['a.service', 'b.service']);
  expect(await readdir(join(root, WANTS))).toEqual(['b.service']);
  expect(await readdir(join(root, 'etc/systemd/system/other.target.wants'))).toEqual([]);
});

test('a unit that came with the system is found, one that is not there is told', async () => {
  await write('usr/lib/systemd/system/a.socket', '[Install]\nWantedBy=sockets.target\n');
  await enableInImage(root, ['a.socket']);
  const link = join(root, 'etc/systemd/system/sockets.target.wants/a.socket');
  expect(await readlink(link)).toBe('/usr/lib/systemd/system/a.socket');
  await expect(enableInImage(root, ['b.socket'])).rejects.toThrow(/^b\.socket cannot be enabled/);
});

test('what stands in the way of a link is left', async () => {
  await write('etc/systemd/system/a.service');
  await write(`${WANTS}/a.service`, 'mine');
  await expect(enableInImage(root, ['a.service'])).rejects.toThrow(/a\.service/);
  expect((await lstat(join(root, WANTS, 'a.service'))).isFile()).toBe(true);
});

test.each([
  ['to an absolute path', () => join(world, 'escape')],
  ['upwards', () => '../escape'],
])('a link %s does not lead out of the root', async (_, target) => {
  await mkdir(join(world, 'escape/systemd/system'), { recursive: true });
  await symlink(target(), join(root, 'etc'));
  const inside = target().startsWith('/') ? target().slice(1) : 'escape';
  await write(join(inside, 'systemd/system/a.service'));
  await enableInImage(root, ['a.service']);
  const wants = join(root, inside, 'systemd/system/multi-user.target.wants');
  expect(await readdir(wants)).toEqual(['a.service']);
  expect(await readdir(join(world, 'escape/systemd/system'))).toEqual([]);
  await disableInImage(root, ['a.service']);
  expect(await readdir(wants)).toEqual([]);
});

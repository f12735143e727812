import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { type Context, systemClock } from '../../../../src/core/context.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import { listDir } from '../../../../src/core/remote-calls.ts';
import { RunOpener } from '../../../../src/run/remotes/open-remote.ts';
import { backendFlags } from '../../../../src/shell/command-line/backend-flags.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';
import { KnownSecrets } from '../../../../src/shell/log/known-secrets.ts';

let dir: string;
let events: SyncerEvent[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-open-'));
  events = [];
  env = {};
  await mkdir(join(dir, 'd/e'), { recursive: true });
  await writeFile(join(dir, 'd/file'), 'hello');
  await writeFile(
    join(dir, 'conf'),
    `[disk]\ntype = alias\nremote = ${dir}/d\n[odd]\ntype = nosuch\n`,
  );
});
afterEach(() => rm(dir, { recursive: true, force: true }));

let env: NodeJS.ProcessEnv = {};
function openerOf(...words: string[]) {
  const config = join(dir, 'conf');
  const vocabulary = { commands: COMMANDS, backendFlags: backendFlags(), env: {}, nowMs: 0 };
  const line = parseCommandLine(['ls', '--config', config, ...words], vocabulary);
  const context: Context = {
    signal: new AbortController().signal,
    clock: systemClock,
    emit: (event) => void events.push(event),
  };
  return new RunOpener({ line, context, env, secrets: new KnownSecrets() });
}

test('a file is opened at the directory that holds it', async () => {
  const opener = openerOf();
  for (const spec of [`${dir}/d/file`, `${dir}/d/file/`, 'disk:file']) {
    const { remote, file } = await opener.openPath(spec);
    expect(file).toMatchObject({ kind: 'file', path: 'file', size: 5 });
    expect(remote.title).toBe(`Local file system at ${dir}/d`);
  }
  await opener.closeAll();
});

test('names with control characters are opened as they are shown and as they are', async () => {
  await mkdir(join(dir, 'd/a\nb'));
  await writeFile(join(dir, 'd/a\nb/c\td'), 'hello');
  const opener = openerOf();
  for (const [parent, name] of [
    ['a\nb', 'c\td'],
    ['a␊b', 'c␉d'],
  ] as const) {
    const { remote, file } = await opener.openPath(`${dir}/d/${parent}/${name}`);
    expect(file).toMatchObject({ path: name, size: 5 });
    expect(remote.title).toBe(`Local file system at ${dir}/d/a␊b`);
  }
  await opener.closeAll();
});

test('a directory, and what is not there, is opened as such', async () => {
  const opener = openerOf();
  for (const [spec, root] of [
    [`${dir}/d`, `${dir}/d`],
    [`${dir}/d/`, `${dir}/d`],
    [`${dir}/none`, `${dir}/none`],
    [`${dir}/none/none`, `${dir}/none/none`],
    [`${dir}/d/file/below`, `${dir}/d/file/below`],
    ['disk:', `${dir}/d`],
    ['/', '/'],
  ] as const) {
    const { remote, file } = await opener.openPath(spec);
    expect([spec, file, remote.title]).toEqual([spec, undefined, `Local file system at ${root}`]);
  }
  await opener.closeAll();
});

test('a directory to write to is not looked at', async () => {
  const remote = await openerOf().openDir(`${dir}/d/file`);
  expect(remote.title).toBe(`Local file system at ${dir}/d/file`);
});

test('flags about local disks reach the backend', async () => {
  const { symlink } = await import('node:fs/promises');
  await symlink(join(dir, 'd/file'), join(dir, 'd/link'));
  const namesBy = async (...words: string[]) => {
    const remote = await openerOf(...words).openDir(join(dir, 'd'));
    const names: string[] = [];
    const { signal } = new AbortController();
    for await (const page of listDir(remote, '', { signal }, () => {})) {
      names.push(...page.map(({ path }) => path));
    }
    return names.filter((name) => name.startsWith('link'));
  };
  expect(await namesBy()).toEqual([]);
  expect(await namesBy('-L')).toEqual(['link']);
  expect(await namesBy('--links')).toEqual(['link.rclonelink']);
  expect(await namesBy('-L=false')).toEqual([]);
});

test.each([
  ['nosuch:a', 'unknown-remote'],
  ['odd:a', 'config'],
  [':nosuch:a', 'config'],
  ['', 'usage'],
])('%j is refused', async (spec, code) => {
  await expect(openerOf().openPath(spec)).rejects.toMatchObject({ code });
});

test('a configuration that is not there is told once', async () => {
  const opener = openerOf('--config', join(dir, 'none'));
  await opener.openDir(dir);
  await opener.openDir(dir);
  expect(events).toMatchObject([{ type: 'log', level: 'notice' }]);
});

test('a remote that cannot be closed does not keep others open', async () => {
  const opener = openerOf();
  const closed: string[] = [];
  for (const name of ['first', 'second']) {
    const close = async () => {
      closed.push(name);
      throw new Error(`${name} fails`);
    };
    Object.assign(await opener.openDir(dir), { close });
  }
  await expect(opener.closeAll()).rejects.toThrow('first fails');
  expect(closed).toEqual(['first', 'second']);
});

test('the error for an unknown remote names the configuration of rclone that has it', async () => {
  const path = join(dir, 'rclone.conf');
  await writeFile(path, '[shelf]\ntype = local\n');
  env = { RCLONE_CONFIG: path };
  const opener = openerOf();
  await expect(opener.openDir('shelf:x')).rejects.toMatchObject({
    code: 'unknown-remote',
    message: `no remote named "shelf" in config file "${dir}/conf"`,
    advice: `it is in ${path}: run "syncer config import", or add --config ${path}`,
  });
  await expect(opener.openDir('other:x')).rejects.toThrow('see "syncer listremotes"');
});

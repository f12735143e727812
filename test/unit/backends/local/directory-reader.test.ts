import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DirectoryReader } from '../../../../src/backends/local/directory-reader.ts';
import { systemClock } from '../../../../src/core/context.ts';
import type { UsageRows } from '../../../../src/core/entry-details.ts';
import { modTimeToMs } from '../../../../src/core/mod-time.ts';
import { nameFromBytes } from '../../../../src/core/name-bytes.ts';
import { compareEntries } from '../../../../src/core/name-order.ts';
import type { Entry, Page, Remote } from '../../../../src/core/remote.ts';
import { leafName } from '../../../../src/core/remote-path.ts';
import { loadLibc } from '../../../../src/system/libc.ts';
import { asUser, logLines, newFolder, OP, openLocal } from './local-world.ts';

const isLinux = process.platform === 'linux';

/** Makes a remote that has listed so many files that it reads directories through the C library. */
async function afterMany(options: Record<string, string>, dir: string) {
  const world = openLocal(options, dir, {}, { ...systemClock, monotonic: () => 0 });
  fs.mkdirSync(join(dir, 'many'), { recursive: true });
  for (let i = 0; i < 600; i++) fs.writeFileSync(join(dir, 'many', `${i}`), '');
  await world.remote.listPage('many', undefined, OP);
  await usage(world.remote, 'many');
  return world;
}

/** A folder with all that listings treat in a way of their own. */
function makeOddDir(dir: string): void {
  fs.mkdirSync(join(dir, 'odd', 'sub'), { recursive: true });
  for (const name of ['b', 'a', 'sub-x', 'ümläut 🙂', '.hidden', '..two', 'line\nbreak', ' '])
    fs.writeFileSync(join(dir, 'odd', name), name);
  fs.writeFileSync(join(dir, 'odd', `long${'x'.repeat(251)}`), '');
  fs.utimesSync(join(dir, 'odd', 'a'), -1.5, -86_400.25);
  fs.symlinkSync('a', join(dir, 'odd', 'link'));
  fs.symlinkSync('nowhere', join(dir, 'odd', 'dangling'));
  fs.symlinkSync('sub', join(dir, 'odd', 'to-sub'));
  execFileSync('mkfifo', [join(dir, 'odd', 'pipe')]);
}

const usage = (remote: Remote, path: string): Promise<Page> | undefined =>
  remote.can.listUsage?.(path, undefined, OP);

/** What a scan knows of an entry. */
function rowOf({ kind, path, modTime, usage: its }: Entry) {
  return {
    isDir: kind === 'dir',
    name: leafName(path),
    timeMs: modTimeToMs(modTime ?? 0n),
    ...its,
  };
}

function inodeOf(rows: UsageRows, row: number): bigint {
  const inode = new BigUint64Array(1);
  rows.copyInode(row, inode, 0);
  return inode[0] as bigint;
}

/** The entries that `takeUsage` gives; `undefined` if it gives none. */
async function takenRows({ can }: Remote, path: string) {
  let taken: ReturnType<typeof rowOf>[] | undefined;
  const isTaken = await can.takeUsage?.(
    path,
    (rows) => {
      taken = Array.from(rows.order, (row) => ({
        isDir: rows.isDir(row),
        name: nameFromBytes(rows.names.subarray(rows.starts[row], rows.ends[row])),
        timeMs: rows.timeMs(row),
        bytes: rows.bytes(row),
        size: rows.size(row),
        device: rows.otherDevice(row) ?? rows.device,
        inode: inodeOf(rows, row),
        links: rows.links(row),
        isSpecial: rows.isSpecial(row),
      }));
    },
    OP,
  );
  expect(isTaken).toBe(taken !== undefined);
  return taken;
}

describe.runIf(isLinux)('a directory read through the C library', () => {
  it.each([
    {},
    { links: 'true' },
    { copy_links: 'true' },
    { one_file_system: 'true' },
    { time_type: 'btime' },
  ])('has what Node finds, with %o', async (options: Record<string, string>) => {
    const dir = newFolder();
    makeOddDir(dir);
    const many = await afterMany(options, dir);
    const few = openLocal(options, dir);
    const read = vi.spyOn(DirectoryReader.prototype, 'read');
    onTestFinished(() => read.mockRestore());
    const page = await many.remote.listPage('odd', undefined, OP);
    expect(page).toEqual(await few.remote.listPage('odd', undefined, OP));
    expect(page.entries.length).toBeGreaterThan(9);
    expect(page.entries).toEqual([...page.entries].sort(compareEntries));
    expect(logLines(many)).toEqual(logLines(few));
    expect(await usage(many.remote, 'odd')).toEqual(await usage(few.remote, 'odd'));
    expect(read).toHaveBeenCalledTimes(options['copy_links'] === undefined ? 2 : 0);
    const rows = await takenRows(many.remote, 'odd');
    if (options['copy_links'] !== undefined) expect(rows).toBeUndefined();
    else expect(rows).toEqual((await usage(few.remote, 'odd'))?.entries.map(rowOf));
  });

  it('is taken in the order of listings, whatever the names are, and however many', async () => {
    const dir = newFolder();
    const { remote } = await afterMany({}, dir);
    const names = [
      'sub-x',
      'sub.x',
      'sub0',
      '.a.syncer-partial-1-1-1-1',
      'syncer',
      'é',
      'z\n',
      '\u{ff0f}',
    ];
    for (let i = 0; i < 1500; i++) names.push(`${'same'.repeat(i % 3)}${(i * 7919) % 1500}`);
    fs.mkdirSync(join(dir, 'd', 'sub'), { recursive: true });
    for (const name of names) fs.writeFileSync(join(dir, 'd', name), '');
    const few = openLocal({}, dir).remote;
    const pages = [await usage(few, 'd')];
    for (let at = pages[0]; at?.cursor !== undefined; pages.push(at))
      at = await few.can.listUsage?.('d', at.cursor, OP);
    const entries = pages.flatMap((page) => page?.entries ?? []);
    expect(entries.length).toBe(names.length + 1);
    expect(await takenRows(remote, 'd')).toEqual(entries.map(rowOf));
  });

  it('is not taken with a name that is not UTF-8, or if it is too large', async () => {
    const dir = newFolder();
    const { remote } = await afterMany({}, dir);
    for (const name of ['bytes', 'large']) fs.mkdirSync(join(dir, name));
    fs.writeFileSync(Buffer.from(`${dir}/bytes/\xff`, 'latin1'), '');
    for (let i = 0; i < 300; i++) fs.writeFileSync(join(dir, 'large', `${i}`.padEnd(255, 'x')), '');
    for (const name of ['bytes', 'large', 'missing'])
      expect(await takenRows(remote, name)).toBeUndefined();
  });

  it.each([
    ['empty', () => {}],
    [
      'with names that are not UTF-8',
      (dir: string) => void fs.writeFileSync(Buffer.from(`${dir}/\xff`, 'latin1'), ''),
    ],
    [
      'with more names than are read at a time',
      (dir: string) => {
        for (let i = 0; i < 400; i++) fs.writeFileSync(join(dir, `name-${i}`), '');
      },
    ],
    [
      'with the longest names',
      (dir: string) => {
        for (let i = 0; i < 40; i++) fs.writeFileSync(join(dir, `${i}`.padEnd(255, 'x')), '');
      },
    ],
    [
      'with a temporary file',
      (dir: string) => void fs.writeFileSync(join(dir, 'a.1-1-1.syncer-partial'), ''),
    ],
  ])('%s, has what Node finds', async (_what, make) => {
    const dir = newFolder();
    fs.mkdirSync(join(dir, 'd'));
    make(join(dir, 'd'));
    const { remote } = await afterMany({}, dir);
    const few = openLocal({}, dir).remote;
    expect(await remote.listPage('d', undefined, OP)).toEqual(
      await few.listPage('d', undefined, OP),
    );
  });

  it.each([
    ['missing', 'directory not found', () => {}],
    ['a file', 'not a directory', (path: string) => fs.writeFileSync(path, '')],
    ['unreadable', 'permission denied', (path: string) => fs.mkdirSync(path, { mode: 0o300 })],
    [
      'not to be entered',
      'permission denied',
      (path: string) => {
        fs.mkdirSync(path);
        fs.writeFileSync(join(path, 'file'), '');
        fs.chmodSync(path, 0o600);
      },
    ],
  ])('%s, is the same error', async (_what, says, make) => {
    const dir = newFolder();
    make(join(dir, 'd'));
    const { remote } = await afterMany({}, dir);
    const failure = async (of: Remote) =>
      asUser(() => of.listPage('d', undefined, OP)).then(
        ({ failed = [] }) => failed.map(({ error }) => error.message).join(),
        (error: Error) => error.message,
      );
    const message = await failure(remote);
    expect(message).toContain(says);
    expect(message).toBe(await failure(openLocal({}, dir).remote));
  });

  it('is closed again', async () => {
    const reader = new DirectoryReader(await loadLibc());
    const open = () => fs.readdirSync('/proc/self/fd').length;
    const before = open();
    for (const path of [newFolder(), '/proc/self/task/1', '/dev/null', '/none']) reader.read(path);
    expect(open()).toBe(before);
  });
});

describe.runIf(isLinux)('a directory that seems empty', () => {
  it('is missing if it was removed since it was opened', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'd'));
    // The C library takes ENOENT for the end.
    const read = vi.spyOn(fs, 'readdirSync').mockImplementation((() => {
      fs.rmdirSync(join(dir, 'd'));
      return [];
    }) as typeof fs.readdirSync);
    onTestFinished(() => read.mockRestore());
    await expect(remote.listPage('d', undefined, OP)).rejects.toMatchObject({
      code: 'directory-not-found',
    });
  });

  it('is an error if the system does not say that it is', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'd'));
    const read = vi.spyOn(DirectoryReader.prototype, 'read').mockReturnValue(undefined);
    onTestFinished(() => read.mockRestore());
    await expect(remote.listPage('d', undefined, OP)).rejects.toMatchObject({
      code: 'directory-not-found',
    });
    read.mockRestore();
    expect((await remote.listPage('d', undefined, OP)).entries).toEqual([]);
    fs.mkdirSync(Buffer.from(`${dir}/d/\xff`, 'latin1'));
    expect((await remote.listPage('d/\udcff', undefined, OP)).entries).toEqual([]);
  });

  it('cannot be deleted for ever', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'd'));
    const remove = vi.spyOn(fs, 'rmdirSync').mockImplementation(() => {
      throw Object.assign(new Error('ENOTEMPTY'), { code: 'ENOTEMPTY', errno: -39 });
    });
    onTestFinished(() => remove.mockRestore());
    await expect(remote.deleteDir('d', OP)).rejects.toMatchObject({ code: 'not-empty' });
    expect(remove).toHaveBeenCalledTimes(1);
  });
});

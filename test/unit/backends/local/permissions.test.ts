import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { loadExtendedAttributes } from '../../../../src/backends/local/extended-attributes.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { deleteOne, listDir } from '../../../../src/core/remote-calls.ts';
import { ALL } from '../../../../src/engine/consent.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import { purgeRoot } from '../../../../src/engine/loss/purge-root.ts';
import { startRun } from '../../../../src/engine/run.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { quietContext } from '../../../support/memory-world.ts';
import {
  asUser,
  fileAt,
  logLines,
  names,
  newFolder,
  OP,
  openLocal,
  partials,
  textSource,
} from './local-world.ts';

describe('what may not be read', () => {
  it('a directory rejects and never counts as empty', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'secret'), { mode: 0 });
    expect(await asUser(() => names(remote))).toEqual(['secret/']);
    await expect(asUser(() => names(remote, 'secret'))).rejects.toMatchObject({
      code: 'unreadable',
      exit: 6,
      message: `open ${dir}/secret: permission denied`,
    });
  });

  it('a directory whose entries may not be looked at rejects', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'blind'));
    fs.writeFileSync(join(dir, 'blind/file'), 'x');
    fs.chmodSync(join(dir, 'blind'), 0o444);
    await expect(asUser(() => names(remote, 'blind'))).rejects.toMatchObject({
      code: 'unreadable',
    });
  });

  it('a file rejects with its path, when read and when copied by the kernel', async () => {
    const { remote, dir } = openLocal();
    const message = `open ${dir}/file: permission denied`;
    fs.chmodSync(dir, 0o777);
    fs.writeFileSync(join(dir, 'file'), 'x', { mode: 0 });
    const file = await fileAt(remote, 'file');
    const reading = asUser(() => remote.read(file, undefined, OP));
    await expect(reading).rejects.toMatchObject({ code: 'access-denied', message });
    const copying = asUser(async () => remote.can.copyFrom?.(remote, file, 'copy', OP));
    await expect(copying).rejects.toMatchObject({ code: 'access-denied', message });
    expect(partials(dir)).toEqual([]);
  });
});

describe('where may not be written', () => {
  it('a file is not, nor is one removed', async () => {
    const { remote, dir } = openLocal();
    fs.writeFileSync(join(dir, 'file'), 'x');
    const file = await fileAt(remote, 'file');
    // Not for its owner either.
    fs.chmodSync(dir, 0o555);
    const writing = asUser(() => remote.write(textSource('new', 'x'), OP));
    await expect(writing).rejects.toMatchObject({
      code: 'access-denied',
      message: expect.stringMatching(/^open .*: permission denied$/),
    });
    const removing = asUser(() => deleteOne(remote, file, OP));
    await expect(removing).rejects.toMatchObject({
      code: 'access-denied',
      message: `remove ${dir}/file: permission denied`,
    });
    await expect(asUser(() => remote.makeDir('a/b', OP))).rejects.toMatchObject({
      code: 'access-denied',
    });
    expect(await names(remote)).toEqual(['file']);
  });
});

describe('modes', () => {
  it('of new files are 0666 less the umask, never those of the source', async () => {
    const { remote, dir } = openLocal();
    const expected = 0o666 & ~process.umask();
    await remote.write(textSource('written', 'x'), OP);
    fs.writeFileSync(join(dir, 'source'), 'x', { mode: 0o700 });
    await remote.can.copyFrom?.(remote, await fileAt(remote, 'source'), 'copied', OP);
    for (const name of ['written', 'copied']) {
      expect(fs.statSync(join(dir, name)).mode & 0o7777).toBe(expected);
    }
  });
});

describe('a disk that keeps no modes', () => {
  it.each([
    [10, 'EPERM'],
    [300_000, 'EIO'],
    [3_000_000, 'EPERM'],
  ])('gets files of %i bytes, as private as those replaced, in spite of %s', async (size, code) => {
    const { remote, dir } = openLocal();
    fs.writeFileSync(join(dir, 'source'), Buffer.alloc(size, 'x'), { mode: 0o700 });
    fs.writeFileSync(join(dir, 'secret'), '', { mode: 0o600 });
    fs.writeFileSync(join(dir, 'tool'), '', { mode: 0o755 });
    const refused = Object.assign(new Error('refused'), { code, errno: -1 });
    const chmod = vi.spyOn(fs, 'chmodSync').mockImplementation(() => {
      throw refused;
    });
    try {
      const file = await fileAt(remote, 'source');
      for (const name of ['new', 'secret', 'tool']) {
        await remote.can.copyFrom?.(remote, file, name, OP);
      }
    } finally {
      chmod.mockRestore();
    }
    const modes = ['new', 'secret', 'tool'].map((name) => fs.statSync(join(dir, name)));
    expect(modes.map((stats) => [stats.size, stats.mode & 0o777])).toEqual([
      [size, 0o666 & ~process.umask()],
      [size, 0o600],
      [size, 0o644 & ~process.umask()],
    ]);
  });
});

describe('a purge', () => {
  /** A tree that others may write to, but for `closed` of its directories. */
  function makeTree(dir: string, closed: readonly string[]): void {
    for (const name of ['a', 'b', 'c/d']) {
      fs.mkdirSync(join(dir, 'tree', name), { recursive: true });
      for (const file of ['x', 'y']) fs.writeFileSync(join(dir, 'tree', name, file), '');
    }
    for (const path of ['', 'a', 'b', 'c', 'c/d']) fs.chmodSync(join(dir, 'tree', path), 0o777);
    for (const path of closed) fs.chmodSync(join(dir, 'tree', path), 0o555);
    fs.chmodSync(dir, 0o777);
  }
  const purge = ({ remote }: ReturnType<typeof openLocal>, change = {}) =>
    asUser(async () => remote.can.purge?.('tree', { ...OP, change }));

  it('deletes what it can, and throws what it could not', async () => {
    const world = openLocal();
    makeTree(world.dir, ['c/d']);
    await expect(purge(world)).rejects.toThrow(/purge .*\/tree\/c\/d\/[xy]: permission denied/);
    expect(fs.readdirSync(join(world.dir, 'tree'), { recursive: true }).sort()).toEqual([
      'c',
      'c/d',
      'c/d/x',
      'c/d/y',
    ]);
    expect(logLines(world).filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('names each that it could not delete, if that is wanted', async () => {
    const world = openLocal();
    makeTree(world.dir, ['c/d']);
    fs.chmodSync(join(world.dir, 'tree/a'), 0o300);
    const left: string[] = [];
    const onNotDeleted = (path: string, error: Error) => left.push(`${path}: ${error.message}`);
    const purged = purge(world, { onNotDeleted });
    await expect(purged).rejects.toMatchObject({ code: 'not-empty' });
    const denied = (path: string) => `${path}: purge ${world.dir}/${path}: permission denied`;
    expect(left.sort()).toEqual(['tree/a', 'tree/c/d/x', 'tree/c/d/y'].map(denied));
  });

  it('counts what it deletes, in the statistics and against the limit, and nothing that it could not', async () => {
    const world = openLocal();
    makeTree(world.dir, ['c/d']);
    fs.writeFileSync(join(world.dir, 'tree/a/x'), '12345');
    const { remote } = openLocal({}, join(world.dir, 'tree'));
    const { context, events } = quietContext();
    const budget = new Budget(6);
    const run = startRun({ context, filter: passAllFilter, consent: ALL, budget });
    async function* counted() {
      for (const dir of ['a', 'b', 'c/d'])
        for await (const page of listDir(remote, dir, OP, () => {})) yield page;
    }
    await asUser(() => purgeRoot(run, remote, { width: 1, counted: counted() }));
    const sums = { files: 0, dirs: 0, bytes: 0 };
    for (const event of events) {
      if (event.type !== 'deleted') continue;
      for (const what of ['files', 'dirs', 'bytes'] as const) sums[what] += event[what];
    }
    expect([sums, run.tally.count]).toEqual([{ files: 4, dirs: 2, bytes: 5 }, 2]);
    expect([2, 3].map((left) => budget.allows(left, 0))).toEqual([true, false]);
  });

  it('goes on past a directory that it cannot read', async () => {
    const world = openLocal();
    makeTree(world.dir, []);
    fs.chmodSync(join(world.dir, 'tree/a'), 0o300);
    await expect(purge(world)).rejects.toThrow(/purge .*\/tree\/a: permission denied/);
    expect(fs.readdirSync(join(world.dir, 'tree'))).toEqual(['a']);
    expect(logLines(world).filter((line) => line.startsWith('error'))).toEqual([]);
  });
});

const attributes = await loadExtendedAttributes().catch(() => undefined);

/** Gives new files of a directory an ACL: all for the owner, reading and writing for the group, nothing for others. */
function closeToOthers(dir: string): boolean {
  const rules = [
    [1, 7],
    [4, 6],
    [32, 0],
  ] as const;
  const acl = Buffer.alloc(4 + rules.length * 8);
  acl.writeUInt32LE(2, 0);
  for (const [index, [tag, may]] of rules.entries()) {
    acl.writeUInt16LE(tag, 4 + index * 8);
    acl.writeUInt16LE(may, 6 + index * 8);
    acl.writeUInt32LE(0xffff_ffff, 8 + index * 8);
  }
  try {
    attributes?.set(dir, 'system.posix_acl_default', acl);
    return attributes !== undefined;
  } catch {
    return false;
  }
}

it('the default ACL of a directory holds for copies of every size', async ({ skip }) => {
  const world = openLocal();
  const from = newFolder();
  skip(!closeToOthers(world.dir), 'the file system has no ACLs');
  const source = openLocal({}, from).remote;
  for (const size of [10, 200_000, 2_000_000]) {
    fs.writeFileSync(join(from, `${size}`), Buffer.alloc(size), { mode: 0o644 });
    const file = (await source.stat(`${size}`, OP)) as FileEntry;
    await world.remote.can.copyFrom?.(source, file, `${size}`, OP);
    expect(fs.statSync(join(world.dir, `${size}`)).mode & 0o007, `${size}`).toBe(0);
  }
});

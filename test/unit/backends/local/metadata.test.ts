import fs from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { copyFile } from '../../../../src/backends/local/copy-file.ts';
import { loadExtendedAttributes } from '../../../../src/backends/local/extended-attributes.ts';
import { AttributeError } from '../../../../src/backends/local/fs-error.ts';
import { LocalDisk } from '../../../../src/backends/local/local-disk.ts';
import { localSettings } from '../../../../src/backends/local/local-settings.ts';
import { readMetadata, writeMetadata } from '../../../../src/backends/local/metadata.ts';

import { AS_FAR_AS_POSSIBLE, type Metadata } from '../../../../src/core/entry-details.ts';
import { formatRfc3339Nano } from '../../../../src/core/mod-time.ts';
import { expectError } from '../../../contract/contract-world.ts';
import { quietContext } from '../../../support/memory-world.ts';
import {
  asUser,
  fileAt,
  type LocalWorld,
  logLines,
  newFolder,
  OP,
  openLocal,
  partials,
  textSource,
} from './local-world.ts';

const attributes = await loadExtendedAttributes();

function write({ remote }: LocalWorld, path: string, metadata?: Metadata, text = 'content') {
  const source = textSource(path, text);
  return remote.write(metadata === undefined ? source : { ...source, metadata }, OP);
}

async function metadataOf({ remote }: LocalWorld, path: string): Promise<Metadata> {
  const details = await remote.can.details?.read(await fileAt(remote, path), OP);
  return details?.metadata ?? {};
}

function modeOf({ dir }: LocalWorld, path: string): number {
  return fs.statSync(join(dir, path)).mode & 0o7777;
}

function stream(chunks: AsyncIterable<Buffer>): Readable {
  return Readable.from(chunks, { objectMode: false });
}

describe('reading metadata', () => {
  it('tells what the disk keeps, as rclone does', async () => {
    const world = openLocal();
    const path = join(world.dir, 'file');
    fs.writeFileSync(path, 'x');
    fs.chmodSync(path, 0o4750);
    attributes.set(path, 'user.Colour', Buffer.from('red'));
    attributes.set(path, 'user.bytes', Buffer.of(0xff, 0, 1));
    attributes.set(path, 'user.mode', Buffer.from('not this'));
    const stats = fs.statSync(path, { bigint: true });
    expect(await metadataOf(world, 'file')).toEqual({
      mode: '104750',
      uid: String(stats.uid),
      gid: String(stats.gid),
      atime: formatRfc3339Nano(stats.atimeNs),
      mtime: formatRfc3339Nano(stats.mtimeNs),
      btime: formatRfc3339Nano(stats.birthtimeNs),
      colour: 'red',
      bytes: '\udcff\0\u0001',
    });
  });

  it('tells of what a link leads to where links are followed, else of the link', async () => {
    const dir = newFolder();
    fs.writeFileSync(join(dir, 'file'), 'x', { mode: 0o600 });
    attributes.set(join(dir, 'file'), 'user.colour', Buffer.from('red'));
    fs.symlinkSync('file', join(dir, 'link'));
    const followed = await metadataOf(openLocal({ copy_links: 'true' }, dir), 'link');
    expect(followed).toMatchObject({ mode: '100600', colour: 'red' });
    const translated = await metadataOf(openLocal({ links: 'true' }, dir), 'link.rclonelink');
    expect(translated).toMatchObject({ mode: '120777' });
    expect(translated).not.toHaveProperty('colour');
  });

  it('says that a file is gone', async () => {
    const { remote } = openLocal();
    const gone = { kind: 'file', path: 'gone', size: 1 } as const;
    await expectError(remote.can.details?.read(gone, OP) ?? Promise.resolve(), 'file-not-found');
  });
});

describe('writing metadata', () => {
  it('sets times, permissions and attributes', async () => {
    const world = openLocal();
    await write(world, 'file', {
      mode: '104640',
      atime: '2001-02-03T04:05:06.000000007Z',
      mtime: '2020-09-13T12:26:40Z',
      colour: 'red',
      bytes: '\udcff\0',
    });
    const path = join(world.dir, 'file');
    const stats = fs.statSync(path, { bigint: true });
    expect(stats.atimeNs).toBe(981_173_106_000_000_007n);
    expect(stats.mtimeNs).toBe(1_600_000_000_000_000_000n);
    expect(modeOf(world, 'file')).toBe(0o640);
    expect(attributes.get(path, 'user.colour')?.toString()).toBe('red');
    expect(attributes.get(path, 'user.bytes')).toEqual(Buffer.of(0xff, 0));
    expect(logLines(world)).toEqual([]);
  });

  it('sets special bits only if they are wanted, also with an owner', async () => {
    const owner = { uid: String(process.getuid?.()), gid: String(process.getgid?.()) };
    const modeOf = async (options: Record<string, string>) => {
      const world = openLocal(options);
      await write(world, 'a', { mode: '104755', ...owner });
      return fs.statSync(join(world.dir, 'a')).mode & 0o7777;
    };
    expect(await modeOf({})).toBe(0o755);
    expect(await modeOf({ metadata_restore_special_bits: 'true' })).toBe(0o4755);
  });

  it('keeps the time also with no_set_modtime', async () => {
    const world = openLocal({ no_set_modtime: 'true' });
    await write(world, 'file', { mtime: '2020-09-13T12:26:40Z' });
    await write(world, 'other', { colour: 'red' });
    const modTime = (path: string) => fs.statSync(join(world.dir, path), { bigint: true }).mtimeNs;
    expect(modTime('file')).toBe(1_600_000_000_000_000_000n);
    expect(modTime('other')).not.toBe(1_600_000_000_000_000_000n);
  });

  it('tells of values that make no sense, and sets the rest', async () => {
    const world = openLocal();
    await write(world, 'file', { mode: 'rw', uid: 'me', colour: 'red' });
    expect(modeOf(world, 'file')).toBe(0o666 & ~process.umask());
    expect(logLines(world)).toEqual([
      'notice: file: failed to parse metadata uid: "me"',
      'notice: file: failed to parse metadata mode: "rw"',
    ]);
    expect(await metadataOf(world, 'file')).toHaveProperty('colour', 'red');
  });

  it('writes nothing where a part cannot be set, or the file with the rest, and says so', async () => {
    const world = openLocal();
    fs.chmodSync(world.dir, 0o777);
    fs.writeFileSync(join(world.dir, 'file'), 'old');
    const stranger = { uid: '12345', gid: '12345', mode: '100600', colour: 'red' };
    const error = await asUser(() => expectError(write(world, 'file', stranger), 'metadata'));
    expect(error.message).toBe(
      `failed to set metadata: failed to change ownership: chown ${world.dir}/file: operation not permitted`,
    );
    expect(fs.readFileSync(join(world.dir, 'file'), 'utf8')).toBe('old');
    expect(partials(world.dir)).toEqual([]);
    const source = { ...textSource('file', 'content'), metadata: stranger };
    const writing = () => world.remote.write({ ...source, metadataMayFail: true }, OP);
    await asUser(() => expectError(writing(), 'metadata'));
    expect(fs.readFileSync(join(world.dir, 'file'), 'utf8')).toBe('content');
    expect(modeOf(world, 'file')).toBe(0o600);
    expect(await metadataOf(world, 'file')).toHaveProperty('colour', 'red');
    expect(partials(world.dir)).toEqual([]);
  });

  it('creates a link without the attributes that no link can have; its target stays as it is', async () => {
    const world = openLocal({ links: 'true' });
    fs.writeFileSync(join(world.dir, 'file'), 'x', { mode: 0o600 });
    const metadata = { colour: 'red', mode: '120777' };
    await write(world, 'link.rclonelink', metadata, 'file');
    expect(fs.readlinkSync(join(world.dir, 'link'))).toBe('file');
    expect(await metadataOf(world, 'link.rclonelink')).toMatchObject({
      mode: '120777',
      mtime: '2020-09-13T12:26:40Z',
    });
    expect(modeOf(world, 'file')).toBe(0o600);
    expect(await metadataOf(world, 'file')).not.toHaveProperty('colour');
    await write(world, 'other', { colour: 'red' });
    expect(await metadataOf(world, 'other')).toHaveProperty('colour', 'red');
  });
});

describe('a disk without extended attributes', () => {
  const without = (errno: number) => {
    const fail = (call: string) => () => {
      throw new AttributeError(call, errno);
    };
    return { names: fail('listxattr'), get: fail('getxattr'), set: fail('setxattr') };
  };

  class BareDisk extends LocalDisk {
    override readonly attributes = async () => without(constants.errno.EOPNOTSUPP);
  }

  it('goes on with the rest, and says so once', async () => {
    const { context, logLines: lines } = quietContext();
    const dir = newFolder();
    const disk = new BareDisk(localSettings({ name: '', root: dir, options: {} }), context);
    const file = { native: join(dir, 'file'), target: join(dir, 'file'), path: 'file' };
    fs.writeFileSync(file.native, 'x');
    // If the user has not asked for them.
    expect(await readMetadata(disk, file.native, true)).toHaveProperty('mode');
    expect(lines()).toEqual([]);
    for (let time = 0; time < 2; time++) {
      expect(await readMetadata(disk, file.native)).toHaveProperty('mode');
      const set = { mode: '100600', colour: 'red' };
      expect(await writeMetadata(disk, file, set, undefined)).toBeUndefined();
      expect(fs.statSync(file.native).mode & 0o777).toBe(0o600);
    }
    const [line, ...more] = lines();
    expect(line).toContain(
      `error: ${disk.title}: xattrs not supported - disabling: listxattr: operation not supported: `,
    );
    expect(more).toEqual([]);
  });

  it('says nothing about a copy for the trash, or out of it', async () => {
    const { context, logLines: lines } = quietContext();
    const dir = newFolder();
    const settings = localSettings({ name: '', root: dir, options: {} });
    const [disk, other] = [new BareDisk(settings, context), new BareDisk(settings, context)];
    fs.writeFileSync(join(dir, 'file'), 'x');
    const stats = fs.statSync(join(dir, 'file'), { bigint: true });
    const file = { kind: 'file', path: 'file', size: 1, modTime: stats.mtimeNs } as const;
    await copyFile(disk, file, disk, 'kept', OP, { set: {} });
    await copyFile(disk, file, other, 'restored', OP, AS_FAR_AS_POSSIBLE);
    expect(lines()).toEqual([]);
    await copyFile(disk, file, other, 'asked', OP, { set: {} });
    expect(lines()).toHaveLength(1);
  });
});

describe('a file that replaces another', () => {
  it('has its permissions, with metadata that tell none, too', async () => {
    const world = openLocal();
    for (const metadata of [undefined, { colour: 'red' }]) {
      fs.writeFileSync(join(world.dir, 'file'), 'old');
      fs.chmodSync(join(world.dir, 'file'), 0o400);
      await write(world, 'file', metadata);
      expect(modeOf(world, 'file')).toBe(0o400);
      fs.unlinkSync(join(world.dir, 'file'));
    }
  });

  it('is nobody else’s to read while it is written', async () => {
    const world = openLocal();
    fs.writeFileSync(join(world.dir, 'file'), 'old');
    const seen: number[] = [];
    async function* content() {
      for (const name of partials(world.dir)) seen.push(modeOf(world, name));
      yield Buffer.from('new');
    }
    for (const [mode, metadata] of [
      [0o600, undefined],
      [0o644, { mode: '100600' }],
    ] as const) {
      fs.chmodSync(join(world.dir, 'file'), mode);
      const source = {
        path: 'file',
        size: 3,
        seekable: false,
        open: async () => stream(content()),
      };
      await world.remote.write(metadata === undefined ? source : { ...source, metadata }, OP);
      expect(modeOf(world, 'file')).toBe(0o600);
    }
    expect(seen).toEqual([0o600, 0o600]);
  });

  it.skipIf(process.geteuid?.() !== 0)('has its owner where we may give it away', async () => {
    const world = openLocal();
    fs.writeFileSync(join(world.dir, 'file'), 'old');
    fs.chownSync(join(world.dir, 'file'), 12_345, 23_456);
    await write(world, 'file');
    expect(fs.statSync(join(world.dir, 'file'))).toMatchObject({ uid: 12_345, gid: 23_456 });
  });

  it('belongs to its writer where we may not', async () => {
    const world = openLocal();
    fs.chmodSync(world.dir, 0o777);
    fs.writeFileSync(join(world.dir, 'file'), 'old');
    await asUser(() => write(world, 'file'));
    expect(fs.readFileSync(join(world.dir, 'file'), 'utf8')).toBe('content');
  });
});

describe('copying between disks', () => {
  const copy = async (from: LocalWorld, to: LocalWorld, set?: Metadata) => {
    const file = await fileAt(from.remote, 'file');
    const keep = set && { set };
    return to.remote.can.copyFrom?.(from.remote, file, 'copy', OP, keep);
  };

  it('takes metadata along only where that is wanted', async () => {
    const from = openLocal();
    const to = openLocal();
    await write(from, 'file', { mode: '100600', colour: 'red', shape: 'round' });
    await copy(from, to);
    expect(modeOf(to, 'copy')).toBe(0o666 & ~process.umask());
    expect(await metadataOf(to, 'copy')).not.toHaveProperty('colour');
    const set = { colour: 'blue', mtime: '2001-02-03T04:05:06Z' };
    const copied = await copy(from, to, set);
    expect(modeOf(to, 'copy')).toBe(0o600);
    expect(await metadataOf(to, 'copy')).toMatchObject({ colour: 'blue', shape: 'round' });
    expect(copied?.modTime).toBe(981_173_106_000_000_000n);
    expect((await fileAt(to.remote, 'copy')).modTime).toBe(981_173_106_000_000_000n);
  });
});

describe('metadata of a directory', () => {
  it('sets what it says and leaves the rest', async () => {
    const world = openLocal();
    await world.remote.makeDir('d', OP);
    fs.chmodSync(join(world.dir, 'd'), 0o750);
    const { setDirMetadata, readDirMetadata } = world.remote.can;
    await setDirMetadata?.('d', {}, 5_000_000_000n, OP);
    expect([modeOf(world, 'd'), fs.statSync(join(world.dir, 'd')).mtimeMs]).toEqual([0o750, 5000]);
    await setDirMetadata?.('d', { mode: '40711' }, 6_000_000_000n, OP);
    const read = await readDirMetadata?.({ kind: 'dir', path: 'd' }, OP);
    expect(read).toMatchObject({ mode: '40711', mtime: formatRfc3339Nano(6_000_000_000n) });
  });

  it('is of a directory that is there', async () => {
    const world = openLocal();
    fs.writeFileSync(join(world.dir, 'file'), '');
    for (const path of ['missing', 'file'])
      await expectError(
        world.remote.can.setDirMetadata?.(path, {}, 0n, OP) ?? Promise.resolve(),
        'directory-not-found',
      );
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collectBody } from '../../../src/core/body.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import type { ReadRange, Remote } from '../../../src/core/remote.ts';
import type { Feature } from '../../contract/contract-test.ts';
import { OP } from '../../contract/contract-world.ts';
import { describeRemote, type OpenedRemote } from '../../contract/remote-contract.ts';
import { missingFor, startFileServer } from '../../servers/file-servers.ts';
import { layered } from '../../support/layered.ts';
import { newerRclone, rcloneHome } from '../../support/open-rclone.ts';
import { makeSyncerWorld } from '../../support/run-syncer.ts';

async function openOn(type: string): Promise<OpenedRemote> {
  const server = await startFileServer(type);
  const home = rcloneHome(() => `[${type}]\n${server.section}`);
  return {
    remote: withoutUntold(await home.open(`${type}:`, ''), type),
    async cleanup() {
      home.remove();
      await server.stop();
    },
  };
}

/** rclone serves WebDAV without a way to set the time of a file, or to see the space; only a try shows it. */
function withoutUntold(remote: Remote, type: string): Remote {
  if (type !== 'webdav') return remote;
  const { setModTime: _time, about: _space, ...can } = remote.can;
  return layered(remote, { can });
}

const LACKS: readonly Feature[] = [
  ...(['publicLink', 'cleanUp', 'checksums', 'openedWithDetails', 'deletesAtOnce'] as const),
  ...(['listTreePage', 'setTier', 'otherTiers', 'notUtf8', 'ownMetadata'] as const),
];

const CASES: readonly (readonly [type: string, lacks: readonly Feature[], skipped: number])[] = [
  ['sftp', ['purge', 'anyTimes'], 26],
  ['ftp', ['purge', 'hash', 'hashes', 'about', 'setDirModTime', 'oddNames'], 32],
  ['webdav', ['hash', 'hashes', 'setDirModTime', 'setModTime', 'about', 'unicodeForms'], 30],
];

for (const [type, lacks, skipped] of CASES) {
  const missing = missingFor(type);
  const title =
    missing.length === 0 ? type : `${type}, for which ${missing.join(' and ')} is missing`;
  describe.skipIf(missing.length > 0)(title, () => {
    describeRemote(`${type}:`, () => openOn(type), {
      lacks: [...LACKS, ...lacks],
      skipped,
      pageSize: 20,
    });
  });
}

describe.skipIf(missingFor('http').length > 0)('http', () => {
  it('lists and reads, with ranges, and rejects changes', async () => {
    const server = await startFileServer('http');
    const home = rcloneHome(() => `[http]\n${server.section}`);
    mkdirSync(join(server.root, 'dir/sub dir'), { recursive: true });
    writeFileSync(join(server.root, 'dir/file [1] ü'), 'content');
    const remote = await home.open('http:', '');
    const { entries } = await remote.listPage('dir', undefined, OP);
    expect(entries.map(({ path }) => path)).toEqual(['dir/file [1] ü', 'dir/sub dir']);
    const file = await remote.stat('dir/file [1] ü', OP);
    if (file?.kind !== 'file') return expect.fail('no file');
    expect(file.size).toBe(7);
    const text = async (range?: ReadRange) =>
      (await collectBody(await remote.read(file, range, OP), OP.signal)).toString();
    expect([await text(), await text({ offset: 3, length: 2 })]).toEqual(['content', 'te']);
    await expect(remote.listPage('missing', undefined, OP)).rejects.toMatchObject({
      code: 'directory-not-found',
    });
    expect((await remote.delete([file], OP)).size).toBe(1);
    const body = { path: 'new', size: 3, seekable: true, open: async () => Buffer.from('abc') };
    await expect(remote.write(body, OP)).rejects.toBeInstanceOf(SyncerError);
    await remote.close();
    home.remove();
    await server.stop();
  });
});

describe.skipIf(missingFor('webdav').length > 0)('a server that sets no times', () => {
  it('gets a file again for its new time', async () => {
    const world = await makeSyncerWorld({ inOwnProcess: true });
    const server = await startFileServer('webdav');
    await writeFile(world.config, `[dav]\n${server.section}`, { mode: 0o600 });
    const env = { SYNCER_RCLONE: newerRclone };
    await writeFile(join(world.dir, 'file'), 'content');
    for (const second of [1_600_000_000, 1_700_000_000]) {
      await utimes(join(world.dir, 'file'), second, second);
      expect(await world.run(['sync', '.', 'dav:to'], { env })).toMatchObject({ code: 0 });
      const { mtimeMs } = await stat(join(server.root, 'to/file'));
      expect(mtimeMs).toBe(second * 1000);
    }
    await server.stop();
    await world.remove();
  });
});

describe.skipIf(newerRclone === undefined)('a remote that combines one directory twice', () => {
  it.each([
    ['move', 'both:x', 'both:y'],
    ['moveto', 'both:x/f', 'both:y/f'],
    ['sync', 'both:below', 'both:x'],
    ['dedupe', '--by-hash', '--dedupe-mode', 'first', 'both:'],
  ])('%s deletes no only copy: %s %s', async (...words) => {
    const world = await makeSyncerWorld({ inOwnProcess: true });
    const dir = join(world.dir, 'data');
    mkdirSync(join(dir, 'below'), { recursive: true });
    writeFileSync(join(dir, 'f'), 'one');
    writeFileSync(join(dir, 'below/g'), 'two');
    const upstreams = `x=${dir} y=${dir} below=${dir}/below`;
    await writeFile(world.config, `[both]\ntype = combine\nupstreams = ${upstreams}\n`);
    const ended = await world.run(words, { env: { SYNCER_RCLONE: newerRclone } });
    expect([ended.code, ended.stderr]).toEqual([7, expect.stringContaining('under two names')]);
    const contents = await Promise.all(
      ['f', 'below/g'].map((name) => readFile(join(dir, name), 'utf8')),
    );
    expect(contents).toEqual(['one', 'two']);
    await world.remove();
  });
});

import { describe, expect, it } from 'vitest';
import { expectError } from '../../../contract/contract-world.ts';
import { driveWorld } from '../../../support/drive-world.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';

const drive = driveWorld();
const { start, fileAt } = drive;

describe('metadata', () => {
  const BUSINESS = { drives: [{ type: 'business' }] } as const;
  const BTIME = '2001-02-03T04:05:06Z';
  const details = async (path: string) =>
    (await drive.remote.can.details?.read(await fileAt(path), OP))?.metadata;
  const write = (path: string, metadata: Record<string, string>, content = 'x') =>
    drive.remote.write({ ...sourceOf(path, content), metadata }, OP);

  it.each(['off', '1Mi'])('is written and read, with an upload cutoff of %s', async (cutoff) => {
    await start(BUSINESS, { upload_cutoff: cutoff });
    await write('file', { btime: BTIME, description: 'words', mode: '100644', id: 'other' });
    const { id } = await fileAt('file');
    expect(await details('file')).toEqual({
      btime: BTIME,
      'content-type': 'application/octet-stream',
      'created-by-display-name': 'Test User',
      'created-by-id': 'test-user',
      description: 'words',
      id,
      'last-modified-by-display-name': 'Test User',
      'last-modified-by-id': 'test-user',
      'malware-detected': 'false',
      mtime: '2023-11-14T22:13:20Z',
      utime: BTIME,
    });
  });

  it('has no description on personal drives', async () => {
    await start({});
    await write('file', { btime: BTIME, description: 'words' });
    expect(await details('file')).toMatchObject({ btime: BTIME });
    expect(drive.graph.drive.item('file').description).toBeUndefined();
  });

  it('comes along with a copy, and what is set, with a move', async () => {
    await start(BUSINESS);
    await write('file', { btime: BTIME, description: 'words' });
    const keep = { set: { description: 'others' } };
    await drive.remote.can.copyFrom?.(drive.remote, await fileAt('file'), 'copy', OP, { set: {} });
    expect(await details('copy')).toMatchObject({ btime: BTIME, description: 'words' });
    await drive.remote.can.moveFrom?.(drive.remote, await fileAt('copy'), 'moved', OP, keep);
    expect(await details('moved')).toMatchObject({ btime: BTIME, description: 'others' });
    expect((await fileAt('moved')).modTime).toBe(1_700_000_000_000_000_000n);
  });

  it('comes with listings where it is wanted, without another request', async () => {
    await start(BUSINESS);
    await write('dir/file', { btime: BTIME });
    const metadataIn = async (dir: string) =>
      (await drive.remote.listPage(dir, undefined, OP)).entries.map(
        ({ metadata }) => metadata?.['btime'],
      );
    expect(await metadataIn('dir')).toEqual([undefined]);
    await drive.remote.close();
    await drive.open('', { params: { listsMetadata: true } });
    expect(await metadataIn('dir')).toEqual([BTIME]);
    expect(await metadataIn('')).toEqual([expect.any(String)]);
    const [file] = (await drive.remote.can.listDirs?.(OP))?.get('dir')?.entries ?? [];
    expect(file?.metadata?.['btime']).toBe(BTIME);
  });

  it('has permissions only where they are wanted', async () => {
    await start(BUSINESS, { metadata_permissions: 'read' });
    await write('file', { permissions: 'not even JSON' });
    const { permissions = '' } = (await details('file')) ?? {};
    expect(JSON.parse(permissions)).toEqual([
      {
        id: 'owner',
        grantedToV2: {
          user: { displayName: 'Test User', id: 'test-user' },
          ...{ application: {}, device: {}, group: {}, siteGroup: {}, siteUser: {} },
        },
        roles: ['owner'],
      },
    ]);
  });

  const grant = (id: string, ...roles: string[]) => ({
    id: 'any',
    grantedToV2: { user: { id } },
    roles,
  });
  const granted = () =>
    drive.graph.drive
      .item('file')
      .permissions.map(({ grantee, roles, type }) => `${grantee} ${roles} ${type}`);

  it.each(['business', 'personal'] as const)(
    'gives and takes permissions on a %s drive',
    async (type) => {
      await start({ drives: [{ type }] }, { metadata_permissions: 'read,write' });
      const first = [grant('ada', 'read'), grant('bob', 'write'), grant('test-user', 'owner')];
      await write('file', { permissions: JSON.stringify(first) });
      expect(granted()).toEqual(['ada read ', 'bob write ']);
      await drive.remote.can.publicLink?.(await fileAt('file'), undefined, OP);
      const second = [grant('ada', 'write'), grant('eve@example.com', 'read')];
      await write('file', { permissions: JSON.stringify(second) }, 'y');
      expect(granted()).toEqual([
        'ada write ',
        'undefined undefined view',
        'eve@example.com read ',
      ]);
    },
  );

  it('is kept of directories, too', async () => {
    await start(BUSINESS, { metadata_permissions: 'write' });
    await drive.remote.makeDir('dir', OP);
    const permissions = JSON.stringify([grant('ada', 'read')]);
    const time = 1_600_000_000_000_000_000n;
    const metadata = { btime: BTIME, description: 'words', permissions };
    await drive.remote.can.setDirMetadata?.('dir', metadata, time, OP);
    const dir = await drive.remote.stat('dir', OP);
    if (dir?.kind !== 'dir') throw new Error('no directory');
    expect(dir.modTime).toBe(time);
    expect(await drive.remote.can.readDirMetadata?.(dir, OP)).toMatchObject({
      ...{ btime: BTIME, description: 'words', id: dir.id },
      ...{ 'content-type': 'inode/directory', mtime: '2020-09-13T12:26:40Z' },
    });
    expect(drive.graph.drive.item('dir').permissions).toMatchObject([{ grantee: 'ada' }]);
    const missing = drive.remote.can.setDirMetadata?.('nope', metadata, time, OP);
    await expectError(missing ?? Promise.resolve(), 'directory-not-found');
  });

  it('that cannot be set is an error after the file is written, or only logged', async () => {
    await start(BUSINESS, { metadata_permissions: 'write' });
    drive.graph.setFaults(({ operation }) =>
      operation === 'invite' ? { status: 403, code: 'accessDenied' } : undefined,
    );
    const permissions = JSON.stringify([grant('ada', 'read')]);
    const error = await expectError(write('file', { permissions }), 'metadata');
    expect(error.message).toMatch(/^cannot set the permissions of file: /);
    expect(drive.graph.drive.read('file')?.toString()).toBe('x');
    await expectError(write('file', { permissions: '{}' }), 'metadata');
    await drive.remote.close();
    const opened = await drive.open('', {
      options: { metadata_permissions: 'write,failok' },
    });
    await write('file', { permissions, btime: 'never' });
    const codes = opened.events.flatMap((event) => (event.type === 'log' ? [event.code] : []));
    expect(codes).toEqual(['metadata-unreadable', 'permissions-not-set']);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { expectError } from '../../../contract/contract-world.ts';
import type { TestGraphOptions } from '../../../servers/graph/graph-settings.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';

let graph: TestGraph;
let remote: Remote;

async function start(settings: TestGraphOptions, options: Record<string, string> = {}, root = '') {
  graph = await startTestGraph(settings);
  ({ remote } = await openDrive(graph, root, { options }));
}
afterEach(async () => {
  await remote.close();
  await graph.stop();
});

async function fileAt(path: string): Promise<FileEntry> {
  const entry = await remote.stat(path, OP);
  if (entry?.kind !== 'file') throw new Error(`no file at ${path}`);
  return entry;
}

describe('files of Office in a document library', () => {
  const LIBRARY = { drives: [{ type: 'documentLibrary' }] } as const;

  it.each(['at-once', 'later'] as const)('stay as the library makes them %s', async (when) => {
    await start({ ...LIBRARY, rewritesOffice: when });
    const written = await remote.write(sourceOf('Report.docx', 'words'), OP);
    expect(written.isRewritten).toBe(true);
    expect(graph.drive.files()).toEqual(['Report.docx']);
    const there = await fileAt('Report.docx');
    expect(there.isRewritten).toBe(true);
    expect(there.size).toBeGreaterThan(5);
  });

  it('are copied as they are', async () => {
    await start(LIBRARY);
    await remote.write(sourceOf('Report.docx', 'words'), OP);
    await remote.can.copyFrom?.(remote, await fileAt('Report.docx'), 'Copy.docx', OP);
    expect(graph.drive.files()).toEqual(['Copy.docx', 'Report.docx']);
  });

  it('are no exception on personal drives', async () => {
    await start({});
    expect(await remote.write(sourceOf('Report.docx', 'x'), OP)).not.toHaveProperty('isRewritten');
  });
});

describe('versions', () => {
  const BUSINESS = { drives: [{ type: 'business' }] } as const;
  const versions = () => graph.drive.item('file').versions.length;

  it('are kept unless they are not wanted', async () => {
    await start(BUSINESS);
    for (const content of ['one', 'two']) await remote.write(sourceOf('file', content), OP);
    expect(versions()).toBe(1);
    await remote.can.cleanUp?.(0, OP);
    expect(versions()).toBe(0);
    expect(graph.drive.tree()).toEqual({ file: 'two' });
  });

  it('go with no_versions', async () => {
    await start(BUSINESS, { no_versions: 'true' });
    for (const content of ['one', 'two']) await remote.write(sourceOf('file', content), OP);
    await remote.can.setModTime?.(await fileAt('file'), 0n, OP);
    expect(versions()).toBe(0);
  });
});

describe('a drive', () => {
  it('is found by the login where no id is told', async () => {
    await start({ drives: [{ type: 'business' }] }, { drive_id: '', drive_type: '' });
    await remote.write(sourceOf('file', 'x'), OP);
    expect(graph.drive.files()).toEqual(['file']);
    expect(graph.log.count('getDrive')).toBe(1);
  });

  it('can have another folder for its root', async () => {
    await start({});
    const { id } = graph.drive.mkdir('a/b');
    graph.drive.put('a/b/file', 'x');
    ({ remote } = await openDrive(graph, '', { options: { root_folder_id: id } }));
    expect((await remote.listPage('', undefined, OP)).entries).toMatchObject([{ path: 'file' }]);
    await remote.write(sourceOf('dir/new', 'y'), OP);
    expect(graph.drive.files()).toEqual(['a/b/dir/new', 'a/b/file']);
  });

  it('shows notebooks only where that is wanted', async () => {
    await start({}, { expose_onenote_files: 'true' });
    graph.drive.addPackage('Notes');
    expect((await remote.listPage('', undefined, OP)).entries).toMatchObject([{ path: 'Notes' }]);
    await remote.delete(await fileAt('Notes'), OP);
    expect(graph.drive.tree()).toEqual({});
  });

  it('changes the case of a name', async () => {
    await start({});
    graph.drive.put('Dir/name', 'x');
    await remote.can.moveFrom?.(remote, await fileAt('Dir/name'), 'Dir/NAME', OP);
    await remote.can.moveDirFrom?.(remote, 'Dir', 'DIR', OP);
    expect(graph.drive.files()).toEqual(['DIR/NAME']);
  });

  it('deletes for good where that is wanted and can be', async () => {
    await start({ drives: [{ type: 'business' }] }, { hard_delete: 'true' });
    await remote.write(sourceOf('file', 'content'), OP);
    await remote.delete(await fileAt('file'), OP);
    expect(graph.drive.inside.binned).toBe(0);
    expect(graph.log.count('permanentDelete')).toBe(1);
  });

  it('gives links, and withdraws them', async () => {
    await start({}, { link_type: 'edit' });
    const file = await remote.write(sourceOf('file', 'x'), OP);
    const link = await remote.can.publicLink?.(file, 60_000, OP);
    expect(link).toMatch(/^https:\/\/api\.onedrive\.com\/v1\.0\/shares\/u![\w-]+\/root\/content$/);
    expect(graph.drive.item('file').permissions).toMatchObject([{ type: 'edit' }]);
    await remote.can.deleteLink?.(file, OP);
    expect(graph.drive.item('file').permissions).toEqual([]);
  });

  it('tells who is logged in', async () => {
    await start({});
    expect(await remote.can.userInfo?.(OP)).toMatchObject({ displayName: 'Test User' });
    graph.setFaults(({ operation }) => (operation === 'me' ? { status: 403 } : undefined));
    expect(await remote.can.userInfo?.(OP)).toMatchObject({ driveId: graph.drive.id });
  });

  it('copies between remotes of one drive, and not between drives', async () => {
    await start({ drives: [{ type: 'business' }, { type: 'business' }] });
    const file = await remote.write(sourceOf('file', 'x'), OP);
    const second = graph.drives[1]?.id ?? '';
    const { remote: same } = await openDrive(graph, 'dir');
    const { remote: far } = await openDrive(graph, '', { options: { drive_id: second } });
    expect(await same.can.copyFrom?.(remote, file, 'copy', OP)).toMatchObject({ path: 'copy' });
    expect(await far.can.copyFrom?.(remote, file, 'copy', OP)).toBeUndefined();
    expect(graph.drive.files()).toEqual(['dir/copy', 'file']);
    expect(same.storeId).toBe(remote.storeId);
    expect(far.storeId).not.toBe(remote.storeId);
  });

  it('refuses to lose its root', async () => {
    await start({});
    graph.drive.put('file', 'x');
    for (const removing of [remote.deleteDir('', OP), remote.can.purge?.('', OP)]) {
      await expectError(removing ?? Promise.resolve(), 'not-empty');
    }
    expect(graph.drive.files()).toEqual(['file']);
  });
});

describe('options', () => {
  const BUSINESS = { drives: [{ type: 'business' }] } as const;

  it('of an application that logs in by itself, again when its token has expired', async () => {
    const own = { client_id: 'app', client_secret: 's', client_credentials: 'true', token: '' };
    await start({ ...BUSINESS, clientSecrets: { app: 's' } }, own);
    await remote.write(sourceOf('file', 'x'), OP);
    graph.expireAccessTokens();
    expect((await fileAt('file')).size).toBe(1);
    expect(graph.log.of('token').map(({ grantType }) => grantType)).toEqual([
      ...['client_credentials', 'client_credentials'],
    ]);
  });

  it('of an application with a wrong secret, or without a drive', async () => {
    const own = { client_id: 'app', client_secret: 'no', client_credentials: 'true', token: '' };
    await start({ ...BUSINESS, clientSecrets: { app: 's' } }, own);
    await expectError(remote.stat('file', OP), 'sign-in');
    await remote.close();
    const nowhere = { ...own, client_secret: 's', drive_id: '', drive_type: '' };
    ({ remote } = await openDrive(graph, '', { options: nowhere }));
    const error = await expectError(remote.stat('file', OP), 'config');
    expect(error.message).toContain('set drive_id of "test"');
  });

  it('of small files that are written in one request, with their time', async () => {
    await start(BUSINESS, { upload_cutoff: '4Ki' });
    const small = Buffer.alloc(4096, 'x');
    await remote.write(sourceOf('small', small), OP);
    expect(graph.log.count('createUploadSession')).toBe(0);
    expect(graph.drive.read('small')?.equals(small)).toBe(true);
    expect(graph.drive.item('small').modified).toBe(1_700_000_000_000);
    await remote.write(sourceOf('large', Buffer.alloc(4097)), OP);
    expect(graph.log.count('createUploadSession')).toBe(1);
  });

  it('of downloads that the virus scanner blocks', async () => {
    await start(BUSINESS);
    await remote.write(sourceOf('file', 'bad words'), OP);
    graph.setFaults(({ operation, query }) => {
      const isDownload = operation === 'getContent' || operation === 'download';
      if (!isDownload || query.has('AVOverride')) return undefined;
      return { status: 403, code: 'malwareDetected' };
    });
    const file = await fileAt('file');
    const error = await expectError(remote.read(file, undefined, OP), 'access-denied');
    expect(error.message).toContain('av_override');
    await remote.close();
    ({ remote } = await openDrive(graph, '', { options: { av_override: 'true' } }));
    expect((await remote.read(await fileAt('file'), undefined, OP)).toString()).toBe('bad words');
    const range = { offset: 4, length: 5 };
    expect((await remote.read(file, range, OP)).toString()).toBe('words');
  });

  it('of listings without the changes of the drive', async () => {
    await start(BUSINESS, { delta: 'false' });
    expect(remote.can.listDirs).toBeUndefined();
  });
});

describe('metadata', () => {
  const BUSINESS = { drives: [{ type: 'business' }] } as const;
  const BTIME = '2001-02-03T04:05:06Z';
  const details = async (path: string) =>
    (await remote.can.readDetails?.(await fileAt(path), OP))?.metadata;
  const write = (path: string, metadata: Record<string, string>, content = 'x') =>
    remote.write({ ...sourceOf(path, content), metadata }, OP);

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
    expect(graph.drive.item('file').description).toBeUndefined();
  });

  it('comes along with a copy, and what is set, with a move', async () => {
    await start(BUSINESS);
    await write('file', { btime: BTIME, description: 'words' });
    const keep = { set: { description: 'others' } };
    await remote.can.copyFrom?.(remote, await fileAt('file'), 'copy', OP, { set: {} });
    expect(await details('copy')).toMatchObject({ btime: BTIME, description: 'words' });
    await remote.can.moveFrom?.(remote, await fileAt('copy'), 'moved', OP, keep);
    expect(await details('moved')).toMatchObject({ btime: BTIME, description: 'others' });
    expect((await fileAt('moved')).modTime).toBe(1_700_000_000_000_000_000n);
  });

  it('comes with listings where it is wanted, without another request', async () => {
    await start(BUSINESS);
    await write('dir/file', { btime: BTIME });
    const metadataIn = async (dir: string) =>
      (await remote.listPage(dir, undefined, OP)).entries.map(
        ({ metadata }) => metadata?.['btime'],
      );
    expect(await metadataIn('dir')).toEqual([undefined]);
    await remote.close();
    ({ remote } = await openDrive(graph, '', { params: { listsMetadata: true } }));
    expect(await metadataIn('dir')).toEqual([BTIME]);
    expect(await metadataIn('')).toEqual([expect.any(String)]);
    const [file] = (await remote.can.listDirs?.(OP))?.get('dir')?.entries ?? [];
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
    graph.drive
      .item('file')
      .permissions.map(({ grantee, roles, type }) => `${grantee} ${roles} ${type}`);

  it.each(['business', 'personal'] as const)(
    'gives and takes permissions on a %s drive',
    async (type) => {
      await start({ drives: [{ type }] }, { metadata_permissions: 'read,write' });
      const first = [grant('ada', 'read'), grant('bob', 'write'), grant('test-user', 'owner')];
      await write('file', { permissions: JSON.stringify(first) });
      expect(granted()).toEqual(['ada read ', 'bob write ']);
      await remote.can.publicLink?.(await fileAt('file'), undefined, OP);
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
    await remote.makeDir('dir', OP);
    const permissions = JSON.stringify([grant('ada', 'read')]);
    const time = 1_600_000_000_000_000_000n;
    const metadata = { btime: BTIME, description: 'words', permissions };
    await remote.can.setDirMetadata?.('dir', metadata, time, OP);
    const dir = await remote.stat('dir', OP);
    if (dir?.kind !== 'dir') throw new Error('no directory');
    expect(dir.modTime).toBe(time);
    expect(await remote.can.readDirMetadata?.(dir, OP)).toMatchObject({
      ...{ btime: BTIME, description: 'words', id: dir.id },
      ...{ 'content-type': 'inode/directory', mtime: '2020-09-13T12:26:40Z' },
    });
    expect(graph.drive.item('dir').permissions).toMatchObject([{ grantee: 'ada' }]);
    const missing = remote.can.setDirMetadata?.('nope', metadata, time, OP);
    await expectError(missing ?? Promise.resolve(), 'directory-not-found');
  });

  it('that cannot be set is an error after the file is written, or only logged', async () => {
    await start(BUSINESS, { metadata_permissions: 'write' });
    graph.setFaults(({ operation }) =>
      operation === 'invite' ? { status: 403, code: 'accessDenied' } : undefined,
    );
    const permissions = JSON.stringify([grant('ada', 'read')]);
    const error = await expectError(write('file', { permissions }), 'metadata');
    expect(error.message).toMatch(/^cannot set the permissions of file: /);
    expect(graph.drive.read('file')?.toString()).toBe('x');
    await expectError(write('file', { permissions: '{}' }), 'metadata');
    await remote.close();
    const opened = await openDrive(graph, '', {
      options: { metadata_permissions: 'write,failok' },
    });
    remote = opened.remote;
    await write('file', { permissions, btime: 'never' });
    const codes = opened.events.flatMap((event) => (event.type === 'log' ? [event.code] : []));
    expect(codes).toEqual(['metadata-unreadable', 'permissions-not-set']);
  });
});

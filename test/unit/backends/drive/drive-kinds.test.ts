import { describe, expect, it } from 'vitest';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { expectError } from '../../../contract/contract-world.ts';
import { failFirstGraph } from '../../../servers/graph/graph-fault.ts';
import { driveWorld } from '../../../support/drive-world.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';

const drive = driveWorld();
const { start, fileAt } = drive;

describe('files of Office in a document library', () => {
  const LIBRARY = { drives: [{ type: 'documentLibrary' }] } as const;

  it.each(['at-once', 'later'] as const)('stay as the library makes them %s', async (when) => {
    await start({ ...LIBRARY, rewritesOffice: when });
    const written = await drive.remote.write(sourceOf('Report.docx', 'words'), OP);
    expect(written.isRewritten).toBe(true);
    expect(drive.graph.drive.files()).toEqual(['Report.docx']);
    const there = await fileAt('Report.docx');
    expect(there.isRewritten).toBe(true);
    expect(there.size).toBeGreaterThan(5);
  });

  it('are copied as they are', async () => {
    await start(LIBRARY);
    await drive.remote.write(sourceOf('Report.docx', 'words'), OP);
    await drive.remote.can.copyFrom?.(drive.remote, await fileAt('Report.docx'), 'Copy.docx', OP);
    expect(drive.graph.drive.files()).toEqual(['Copy.docx', 'Report.docx']);
  });

  it('are no exception on personal drives', async () => {
    await start({});
    expect(await drive.remote.write(sourceOf('Report.docx', 'x'), OP)).not.toHaveProperty(
      'isRewritten',
    );
  });
});

describe('versions', () => {
  const BUSINESS = { drives: [{ type: 'business' }] } as const;
  const versions = () => drive.graph.drive.item('file').versions.length;

  it('are kept unless they are not wanted', async () => {
    await start(BUSINESS);
    for (const content of ['one', 'two']) await drive.remote.write(sourceOf('file', content), OP);
    expect(versions()).toBe(1);
    await drive.remote.can.cleanUp?.(0, OP);
    expect(versions()).toBe(0);
    expect(drive.graph.drive.tree()).toEqual({ file: 'two' });
  });

  it('of files behind a notebook are cleaned up, too', async () => {
    await start(BUSINESS, { expose_onenote_files: 'true' });
    drive.graph.drive.addPackage('Notes');
    for (const content of ['one', 'two']) await drive.remote.write(sourceOf('file', content), OP);
    await drive.remote.can.cleanUp?.(0, OP);
    expect(versions()).toBe(0);
  });

  it('that cannot be deleted are reported, and those of other files go', async () => {
    await start(BUSINESS);
    const names = ['a', 'b', 'c'];
    for (const content of ['one', 'two'])
      for (const name of names) await drive.remote.write(sourceOf(name, content), OP);
    const fault = { status: 403 } as const;
    drive.graph.setFaults(failFirstGraph('deleteVersion', 1, fault));
    const failed: string[] = [];
    const onNotDeleted = (path: string) => void failed.push(path);
    await drive.remote.can.cleanUp?.(0, { ...OP, change: { onNotDeleted } });
    const left = names.filter((name) => drive.graph.drive.item(name).versions.length > 0);
    expect([failed, left]).toEqual([[left[0]], [expect.any(String)]]);
    drive.graph.setFaults(failFirstGraph('deleteVersion', 1, fault));
    await expectError(drive.remote.can.cleanUp?.(0, OP) ?? Promise.resolve(), 'access-denied');
  });

  it('go with no_versions', async () => {
    await start(BUSINESS, { no_versions: 'true' });
    for (const content of ['one', 'two']) await drive.remote.write(sourceOf('file', content), OP);
    await drive.remote.can.setModTime?.(await fileAt('file'), 0n, OP);
    expect(versions()).toBe(0);
  });
});

describe('a drive', () => {
  it('is found by the login where no id is told', async () => {
    await start({ drives: [{ type: 'business' }] }, { drive_id: '', drive_type: '' });
    await drive.remote.write(sourceOf('file', 'x'), OP);
    expect(drive.graph.drive.files()).toEqual(['file']);
    expect(drive.graph.log.count('getDrive')).toBe(1);
  });

  it('can have another folder for its root', async () => {
    await start({});
    const { id } = drive.graph.drive.mkdir('a/b');
    drive.graph.drive.put('a/b/file', 'x');
    await drive.open('', { options: { root_folder_id: id } });
    expect((await drive.remote.listPage('', undefined, OP)).entries).toMatchObject([
      { path: 'file' },
    ]);
    await drive.remote.write(sourceOf('dir/new', 'y'), OP);
    expect(drive.graph.drive.files()).toEqual(['a/b/dir/new', 'a/b/file']);
  });

  it('shows notebooks only where that is wanted', async () => {
    await start({}, { expose_onenote_files: 'true' });
    drive.graph.drive.addPackage('Notes');
    expect((await drive.remote.listPage('', undefined, OP)).entries).toMatchObject([
      { path: 'Notes' },
    ]);
    await deleteOne(drive.remote, await fileAt('Notes'), OP);
    expect(drive.graph.drive.tree()).toEqual({});
  });

  it('changes the case of a name', async () => {
    await start({});
    drive.graph.drive.put('Dir/name', 'x');
    await drive.remote.can.moveFrom?.(drive.remote, await fileAt('Dir/name'), 'Dir/NAME', OP);
    await drive.remote.can.moveDirFrom?.(drive.remote, 'Dir', 'DIR', OP);
    expect(drive.graph.drive.files()).toEqual(['DIR/NAME']);
  });

  it('deletes for good where that is wanted and can be', async () => {
    await start({ drives: [{ type: 'business' }] }, { hard_delete: 'true' });
    await drive.remote.write(sourceOf('file', 'content'), OP);
    await deleteOne(drive.remote, await fileAt('file'), OP);
    expect(drive.graph.drive.inside.binned).toBe(0);
    expect(drive.graph.log.count('permanentDelete')).toBe(1);
  });

  it('with only a recycle bin refuses to delete for good, and deletes nothing', async () => {
    await start({}, { hard_delete: 'true' });
    await drive.remote.write(sourceOf('dir/file', 'content'), OP);
    const { remote } = drive;
    const { message } = await expectError(
      deleteOne(remote, await fileAt('dir/file'), OP),
      'config',
    );
    expect(message).toContain('personal drives do not support hard_delete');
    await expectError(Promise.resolve(remote.can.purge?.('dir', OP)), 'config');
    await expectError(remote.deleteDir('dir', OP), 'config');
    expect(drive.graph.drive.files()).toEqual(['dir/file']);
  });

  it('gives links, and withdraws them', async () => {
    await start({}, { link_type: 'edit' });
    const file = await drive.remote.write(sourceOf('file', 'x'), OP);
    const link = await drive.remote.can.publicLink?.(file, 60_000, OP);
    expect(link).toMatch(/^https:\/\/api\.onedrive\.com\/v1\.0\/shares\/u![\w-]+\/root\/content$/);
    expect(drive.graph.drive.item('file').permissions).toMatchObject([{ type: 'edit' }]);
    await drive.remote.can.deleteLink?.(file, OP);
    expect(drive.graph.drive.item('file').permissions).toEqual([]);
  });

  it('tells who is logged in', async () => {
    await start({});
    expect(await drive.remote.can.userInfo?.(OP)).toMatchObject({ displayName: 'Test User' });
    drive.graph.setFaults(({ operation }) => (operation === 'me' ? { status: 403 } : undefined));
    expect(await drive.remote.can.userInfo?.(OP)).toMatchObject({ driveId: drive.graph.drive.id });
  });

  it('copies between remotes of one drive, and not between drives', async () => {
    await start({ drives: [{ type: 'business' }, { type: 'business' }] });
    const file = await drive.remote.write(sourceOf('file', 'x'), OP);
    const second = drive.graph.drives[1]?.id ?? '';
    const { remote: same } = await openDrive(drive.graph, 'dir');
    const { remote: far } = await openDrive(drive.graph, '', { options: { drive_id: second } });
    expect(await same.can.copyFrom?.(drive.remote, file, 'copy', OP)).toMatchObject({
      path: 'copy',
    });
    expect(await far.can.copyFrom?.(drive.remote, file, 'copy', OP)).toBeUndefined();
    expect(drive.graph.drive.files()).toEqual(['dir/copy', 'file']);
    expect(same.storeId).toBe(drive.remote.storeId);
    expect(far.storeId).not.toBe(drive.remote.storeId);
  });

  it('refuses to lose its root', async () => {
    await start({});
    drive.graph.drive.put('file', 'x');
    for (const removing of [drive.remote.deleteDir('', OP), drive.remote.can.purge?.('', OP)]) {
      await expectError(removing ?? Promise.resolve(), 'not-empty');
    }
    expect(drive.graph.drive.files()).toEqual(['file']);
  });
});

describe('options', () => {
  const BUSINESS = { drives: [{ type: 'business' }] } as const;

  it('of an application that logs in by itself, again when its token has expired', async () => {
    const own = { client_id: 'app', client_secret: 's', client_credentials: 'true', token: '' };
    await start({ ...BUSINESS, clientSecrets: { app: 's' } }, own);
    await drive.remote.write(sourceOf('file', 'x'), OP);
    drive.graph.expireAccessTokens();
    expect((await fileAt('file')).size).toBe(1);
    expect(drive.graph.log.of('token').map(({ grantType }) => grantType)).toEqual([
      ...['client_credentials', 'client_credentials'],
    ]);
  });

  it('of an application with a wrong secret, or without a drive', async () => {
    const own = { client_id: 'app', client_secret: 'no', client_credentials: 'true', token: '' };
    await start({ ...BUSINESS, clientSecrets: { app: 's' } }, own);
    await expectError(drive.remote.stat('file', OP), 'sign-in');
    await drive.remote.close();
    const nowhere = { ...own, client_secret: 's', drive_id: '', drive_type: '' };
    await drive.open('', { options: nowhere });
    const error = await expectError(drive.remote.stat('file', OP), 'config');
    expect(error.message).toContain('set drive_id of "test"');
  });

  it('of small files that are written in one request, with their time', async () => {
    await start(BUSINESS, { upload_cutoff: '4Ki' });
    const small = Buffer.alloc(4095, 'x');
    await drive.remote.write(sourceOf('small', small), OP);
    expect(drive.graph.log.count('createUploadSession')).toBe(0);
    expect(drive.graph.drive.read('small')?.equals(small)).toBe(true);
    expect(drive.graph.drive.item('small').modified).toBe(1_700_000_000_000);
    await drive.remote.write(sourceOf('large', Buffer.alloc(4096)), OP);
    expect(drive.graph.log.count('createUploadSession')).toBe(1);
  });

  it('of downloads that the virus scanner blocks', async () => {
    await start(BUSINESS);
    await drive.remote.write(sourceOf('file', 'bad words'), OP);
    drive.graph.setFaults(({ operation, query }) => {
      const isDownload = operation === 'getContent' || operation === 'download';
      if (!isDownload || query.has('AVOverride')) return undefined;
      return { status: 403, code: 'malwareDetected' };
    });
    const file = await fileAt('file');
    const error = await expectError(drive.remote.read(file, undefined, OP), 'access-denied');
    expect(error.message).toContain('av_override');
    await drive.remote.close();
    await drive.open('', { options: { av_override: 'true' } });
    expect((await drive.remote.read(await fileAt('file'), undefined, OP)).toString()).toBe(
      'bad words',
    );
    const range = { offset: 4, length: 5 };
    expect((await drive.remote.read(file, range, OP)).toString()).toBe('words');
  });

  it('of listings without the changes of the drive', async () => {
    await start(BUSINESS, { delta: 'false' });
    expect(drive.remote.can.listDirs).toBeUndefined();
  });
});

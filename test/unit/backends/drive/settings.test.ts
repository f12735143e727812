import { describe, expect, it } from 'vitest';
import { directLink } from '../../../../src/backends/drive/change/permissions.ts';
import { readSettings } from '../../../../src/backends/drive/settings.ts';
import { SyncerError } from '../../../../src/core/errors.ts';

const read = (options: Record<string, string> = {}) => readSettings('work', options);

describe('the options of a drive', () => {
  it('have defaults that lead to the global cloud', () => {
    const { login, graphUrl, chunkSize, listChunk } = read();
    expect(graphUrl.href).toBe('https://graph.microsoft.com/v1.0');
    expect(login.tokenUrl.href).toBe('https://login.microsoftonline.com/common/oauth2/v2.0/token');
    expect(chunkSize).toBe(10 * 1024 ** 2);
    expect(listChunk).toBe(1000);
  });

  it.each([
    ['us', 'graph.microsoft.us', 'login.microsoftonline.us'],
    ['de', 'graph.microsoft.de', 'login.microsoftonline.de'],
    ['cn', 'microsoftgraph.chinacloudapi.cn', 'login.chinacloudapi.cn'],
  ])('lead to the cloud %s', (region, graph, login) => {
    const settings = read({ region, tenant: 'consumers' });
    expect(settings.graphUrl.host).toBe(graph);
    expect(settings.login.authUrl.href).toBe(`https://${login}/consumers/oauth2/v2.0/authorize`);
  });

  it('leave out the permission for sites where it is forbidden', () => {
    const asked = { access_scopes: 'Files.Read  Sites.Read.All' };
    expect(read(asked).login.scopes).toEqual(['Files.Read', 'Sites.Read.All']);
    const { login } = read({ ...asked, disable_site_permission: 'true' });
    expect(login.scopes).toEqual(['Files.Read']);
  });

  it('make pieces no larger than the service takes them', () => {
    expect(read({ chunk_size: '100Mi' }).chunkSize).toBe(191 * 320 * 1024);
  });

  it('choose the hashes', () => {
    expect(read({ drive_type: 'personal' }).hashes).toEqual(['quickxor']);
    expect(read({ drive_type: 'business' }).hashes).toEqual(['quickxor']);
    expect(read({ hash_type: 'sha256' }).hashes).toEqual(['sha256']);
    expect(read({ hash_type: 'none' }).hashes).toEqual([]);
  });

  it('let an application log in that has a secret and an organisation', () => {
    const own = { client_credentials: 'true', client_id: 'a', client_secret: 's', tenant: 't' };
    expect(read(own).login).toMatchObject({ byApplication: true, scopes: ['.default'] });
    expect(() => read({ ...own, client_secret: '' })).toThrow('client_secret is missing');
    expect(() => read({ ...own, tenant: '' })).toThrow('option tenant:');
    expect(read({ ...own, tenant: '', token_url: 'https://x/y' }).login.byApplication).toBe(true);
  });

  it.each([
    ['chunk_size', '1M'],
    ['chunk_size', '100'],
    ['region', 'mars'],
    ['drive_type', 'sharepoint'],
    ['hash_type', 'md5'],
    ['link_scope', 'everybody'],
    ['graph_url', 'ftp://host'],
    ['tenant', 'a/b'],
    ['list_chunk', '0'],
    ['upload_cutoff', '5Mi'],
    ['tenant_url', 'https://x-my.sharepoint.com'],
  ])('are refused where they make no sense: %s = %s', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(SyncerError);
    expect(() => read({ [name]: value })).toThrow(`remote "work": option ${name}:`);
  });
});

describe('a link that gives the content at once', () => {
  it.each([
    [
      'personal',
      'https://1drv.ms/t/s!AAA',
      `https://api.onedrive.com/v1.0/shares/u!${Buffer.from('https://1drv.ms/t/s!AAA').toString('base64url')}/root/content`,
    ],
    [
      'business',
      'https://x-my.sharepoint.com/:t:/g/personal/me_x/Abc',
      'https://x-my.sharepoint.com/personal/me_x/_layouts/15/download.aspx?share=Abc',
    ],
    [
      'documentLibrary',
      'https://x.sharepoint.com/:t:/s/site/Abc',
      'https://x.sharepoint.com/sites/site/_layouts/15/download.aspx?share=Abc',
    ],
    ['documentLibrary', 'https://x.sharepoint.com/unknown', undefined],
    ['business', 'https://x.sharepoint.com/unknown', undefined],
  ] as const)('is known for %s', (type, link, direct) => {
    expect(directLink(link, type)).toBe(direct);
  });
});

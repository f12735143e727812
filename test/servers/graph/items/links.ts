import type { Drive } from '../drive.ts';
import type { DriveItem, Permission } from '../drive-item.ts';
import { type JsonObject, readJson } from '../graph-call.ts';
import { invalidRequest, notFound, notSupported } from '../graph-failure.ts';
import { existing } from '../item-address.ts';
import type { ItemHandler } from '../item-request.ts';

/** POST createLink: a new link, or the one there is already. */
export const createLink: ItemHandler = ({ call, drive, address }) => {
  const item = existing(address);
  const body = readJson(call);
  const { type = 'view', scope = 'anonymous', password, expirationDateTime } = body;
  if (type !== 'view' && type !== 'edit' && type !== 'embed') {
    throw invalidRequest('The type of link is none of view, edit, embed.');
  }
  if (type === 'embed' && drive.type !== 'personal') {
    throw notSupported('Only personal drives have links to embed.');
  }
  if (scope !== 'anonymous' && scope !== 'organization') {
    throw invalidRequest('The scope is none of anonymous, organization.');
  }
  if (scope === 'organization' && drive.type === 'personal') {
    throw notSupported('A personal drive has no organization.');
  }
  const hasPassword = typeof password === 'string' && password !== '';
  const expires = typeof expirationDateTime === 'string' ? expirationDateTime : undefined;
  const same = item.permissions.find((one) => one.type === type && one.scope === scope);
  if (same !== undefined && !hasPassword && expires === undefined) {
    return { status: 200, json: permissionJson(same) };
  }
  const id = crypto.randomUUID();
  const webUrl = linkAddress(drive, item, id.replaceAll('-', ''));
  const made: Permission = { id, type, scope, webUrl, hasPassword, expires };
  item.permissions.push(made);
  return { status: 201, json: permissionJson(made) };
};

/** Links have a form of their own on each kind of drive. */
function linkAddress(drive: Drive, item: DriveItem, secret: string): string {
  const kind = item.children !== undefined ? 'f' : 'u';
  if (drive.type === 'personal') return `https://1drv.ms/${kind}/s!${secret}`;
  if (drive.type === 'business') {
    return `https://contoso-my.sharepoint.com/:${kind}:/g/personal/test_example_com/${secret}`;
  }
  return `https://contoso.sharepoint.com/:${kind}:/s/${drive.site}/${secret}`;
}

/** GET of who may see an item. */
export const listPermissions: ItemHandler = ({ address }) => {
  const owner = {
    id: 'owner',
    roles: ['owner'],
    grantedToV2: { user: { id: 'test-user', displayName: 'Test User' } },
  };
  return {
    status: 200,
    json: { value: [owner, ...existing(address).permissions.map(permissionJson)] },
  };
};

/** DELETE of a permission: the link is dead. */
export const deletePermission: ItemHandler = ({ address, subject }) => {
  const item = existing(address);
  const left = item.permissions.filter((one) => one.id !== subject);
  if (left.length === item.permissions.length) throw notFound('There is no such permission.');
  item.permissions = left;
  return { status: 204 };
};

function permissionJson(one: Permission): JsonObject {
  const { id, type, scope, webUrl, hasPassword, expires } = one;
  return {
    id,
    roles: [type === 'edit' ? 'write' : 'read'],
    hasPassword,
    ...(expires !== undefined && { expirationDateTime: expires }),
    link: { type, scope, webUrl, application: { displayName: 'Test' } },
  };
}

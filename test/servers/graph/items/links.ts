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

/** POST invite: gives others access, by ID or email address. */
export const invite: ItemHandler = ({ call, drive, address }) => {
  const item = existing(address);
  const { recipients, roles, requireSignIn } = readJson(call);
  if (!Array.isArray(recipients) || !Array.isArray(roles)) {
    throw invalidRequest('Recipients and roles are lists.');
  }
  if (drive.type === 'personal' && requireSignIn === true) {
    throw invalidRequest('Personal drives cannot require a login.');
  }
  const link = { type: '', scope: '', webUrl: '', hasPassword: false, expires: undefined };
  const made = recipients.map((one: JsonObject) => {
    const grantee = String(one['email'] ?? one['objectId']);
    return { id: crypto.randomUUID(), grantee, roles: roles.map(String), ...link };
  });
  item.permissions.push(...made);
  return { status: 200, json: { value: made.map(permissionJson) } };
};

/** PATCH of a permission: other roles. */
export const patchPermission: ItemHandler = ({ call, address, subject }) => {
  const found = existing(address).permissions.find((one) => one.id === subject);
  if (found?.grantee === undefined) throw notFound('There is no such permission.');
  const { roles } = readJson(call);
  found.roles = Array.isArray(roles) ? roles.map(String) : [];
  return { status: 200, json: permissionJson(found) };
};

function permissionJson(one: Permission): JsonObject {
  const { id, type, scope, webUrl, hasPassword, expires, grantee, roles } = one;
  if (grantee !== undefined) {
    const key = grantee.includes('@') ? 'email' : 'id';
    return { id, roles, grantedToV2: { user: { [key]: grantee } } };
  }
  return {
    id,
    roles: [type === 'edit' ? 'write' : 'read'],
    hasPassword,
    ...(expires !== undefined && { expirationDateTime: expires }),
    link: { type, scope, webUrl, application: { displayName: 'Test' } },
  };
}

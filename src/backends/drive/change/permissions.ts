import type { Metadata } from '../../../core/entry-details.ts';
import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import { jsonObject } from '../../../core/json-object.ts';
import type { Entry } from '../../../core/remote.ts';
import { listAll } from '../client/graph-client.ts';
import { badAnswer } from '../client/graph-request.ts';
import type { Drive } from '../drive-store.ts';
import { type IdentitySet, type ItemAddress, requestPath } from '../items/graph-item.ts';
import { addressOf } from '../items/tell-entry.ts';
import type { DriveType } from '../settings.ts';
import { deletePart } from './delete-item.ts';

/** A permission of an item (`permission`), as far as it is read and written; rclone's JSON has the same fields. */
interface Permission {
  readonly id?: string;
  readonly grantedTo?: IdentitySet;
  readonly grantedToIdentities?: readonly IdentitySet[];
  readonly grantedToV2?: IdentitySet;
  readonly grantedToIdentitiesV2?: readonly IdentitySet[];
  readonly invitation?: { readonly email?: string };
  readonly inheritedFrom?: unknown;
  readonly link?: unknown;
  readonly roles?: readonly string[];
  readonly shareId?: string;
}

/** The fields of `Permission` in rclone's order. */
const FIELDS = [
  ...(['id', 'grantedTo', 'grantedToIdentities', 'grantedToV2', 'grantedToIdentitiesV2'] as const),
  ...(['invitation', 'inheritedFrom', 'link', 'roles', 'shareId'] as const),
];

/** The permissions of an item as the JSON of the metadata `permissions`. */
export async function readPermissions(drive: Drive, address: ItemAddress, about: string) {
  const all = await listPermissions(drive, address, about);
  const shown = all.map((one) => {
    const names = FIELDS.filter((name) => one[name] !== undefined);
    return Object.fromEntries(names.map((name) => [name, inOrder(name, one[name])]));
  });
  return JSON.stringify(shown);
}

/** Who a permission is for, and links, with their fields in rclone's order; an empty object for an absent one. */
function inOrder(field: keyof Permission, value: unknown): unknown {
  if (field.startsWith('grantedTo')) {
    return Array.isArray(value) ? value.map(identitySet) : identitySet(value);
  }
  if (field !== 'link') return value;
  const { application, ...link } = value as Readonly<Record<string, unknown>>;
  const rest = picked(link, ['type', 'scope', 'preventsDownload', 'webUrl', 'webHtml']);
  return application === undefined ? rest : { application: identity(application), ...rest };
}

function identitySet(set: unknown): Record<string, unknown> {
  const members = ['user', 'application', 'device', 'group', 'siteGroup', 'siteUser'];
  const told = (set ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(members.map((name) => [name, identity(told[name])]));
}

function identity(told: unknown): Record<string, unknown> {
  const fields = ['displayName', 'id', 'email', 'loginName'];
  return picked((told ?? {}) as Readonly<Record<string, unknown>>, fields);
}

/** The members of these names that have a value, in this order. */
function picked(from: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const hasValue = (name: string) => ![undefined, null, '', false].includes(from[name] as never);
  return Object.fromEntries(names.filter(hasValue).map((name) => [name, from[name]]));
}

/** Makes the grants those of the metadata; owners, links and inherited ones stay. Rejects with `metadata`, or logs. */
export async function writePermissions(
  drive: Drive,
  address: ItemAddress,
  metadata: Metadata | undefined,
  path: string,
): Promise<void> {
  const { permissions: text } = metadata ?? {};
  const { permissions } = drive.settings;
  if (text === undefined || !permissions.write) return;
  try {
    const wanted = jsonObject<readonly Permission[]>(text);
    if (!Array.isArray(wanted)) {
      throw new SyncerError('metadata', 'the metadata permissions is no list in JSON');
    }
    await grantAll(drive, address, wanted, path);
  } catch (thrown) {
    drive.op.signal.throwIfAborted();
    const why = toSyncerError(thrown);
    if (!permissions.failOk) {
      const message = `cannot set the permissions of ${path}: ${why.message}`;
      throw new SyncerError('metadata', message, { path, cause: why });
    }
    const event = { code: 'permissions-not-set', fields: { why } } as const;
    drive.client.context.emit({ type: 'log', level: 'error', path, ...event });
  }
}

async function grantAll(
  drive: Drive,
  address: ItemAddress,
  wanted: readonly Permission[],
  path: string,
): Promise<void> {
  const to = requestPath(address, '/permissions');
  const asked = { doing: 'set the permissions of', about: path };
  const left = (await listPermissions(drive, address, path)).filter(isGrant);
  for (const one of wanted.filter(isGrant)) {
    const name = granteeOf(one);
    const at = left.findIndex((each) => granteeOf(each) === name);
    const [there] = at < 0 ? [] : left.splice(at, 1);
    const roles = one.roles ?? [];
    if (there === undefined) {
      const json = {
        recipients: [name.includes('@') ? { email: name } : { objectId: name }],
        // Personal drives refuse it.
        requireSignIn: (await drive.known()).type !== 'personal',
        sendInvitation: false,
        roles: one.roles,
      };
      await drive.call({ method: 'POST', to: requestPath(address, '/invite'), json, ...asked });
    } else if (`${there.roles}` !== `${roles}`) {
      const part = `${to}/${encodeURIComponent(there.id ?? '')}`;
      await drive.call({ method: 'PATCH', to: part, json: { roles }, ...asked });
    }
  }
  for (const { id = '' } of left) {
    await deletePart(drive, `${to}/${encodeURIComponent(id)}`, asked);
  }
}

/** Whether a permission is a grant of this item to someone besides its owner. */
function isGrant(one: Permission): boolean {
  const isOwner = one.roles?.includes('owner') === true;
  return !isOwner && one.link === undefined && !one.inheritedFrom && granteeOf(one) !== '';
}

/** The ID or the email address of whom a permission is for; `''` if it names none. */
function granteeOf({ grantedToV2, grantedTo, invitation }: Permission): string {
  const set = grantedToV2 ?? grantedTo;
  const who = [set?.user, set?.group, set?.siteUser, set?.siteGroup].find(
    (each) => each?.id !== undefined || each?.email !== undefined,
  );
  return who?.id ?? who?.email ?? invitation?.email ?? '';
}

function listPermissions(drive: Drive, address: ItemAddress, about: string) {
  const asked = { doing: 'read the permissions of', about };
  return listAll<Permission>(drive, requestPath(address, '/permissions'), asked);
}

/** A link to an entry, for anyone or for anyone in the organisation. */
export async function shareEntry(drive: Drive, entry: Entry, expireMs: number | undefined) {
  const { link, isGlobal } = drive.settings;
  const now = drive.client.context.clock.now();
  const expires = expireMs === undefined ? undefined : new Date(now + expireMs);
  const request = {
    method: 'POST',
    to: requestPath(await addressOf(drive, entry), '/createLink'),
    json: {
      type: link.type,
      scope: link.scope,
      password: link.password || undefined,
      expirationDateTime: expires?.toISOString(),
    },
    doing: 'share',
    about: drive.told(entry.path),
  } as const;
  const { json } = await drive.call(request);
  const { webUrl } = (json['link'] ?? {}) as { readonly webUrl?: unknown };
  if (typeof webUrl !== 'string' || !/^https?:/.test(URL.parse(webUrl)?.protocol ?? '')) {
    throw badAnswer(request, 'the response has no link');
  }
  if (entry.kind === 'dir' || !isGlobal) return webUrl;
  return directLink(webUrl, (await drive.known()).type) ?? webUrl;
}

/** Deletes all links to an entry. */
export async function unshareEntry(drive: Drive, entry: Entry): Promise<void> {
  const to = requestPath(await addressOf(drive, entry), '/permissions');
  const about = `links to ${drive.told(entry.path)}`;
  const all = await listAll<Permission>(drive, to, { doing: 'list the', about });
  for (const { id, link } of all) {
    if (id === undefined || link === undefined) continue;
    await deletePart(drive, `${to}/${encodeURIComponent(id)}`, { doing: 'remove', about });
  }
}

/** The link to a file's content instead of a page that shows it, in rclone's forms; `undefined` for unknown forms. */
export function directLink(webUrl: string, driveType: DriveType): string | undefined {
  const parts = webUrl.split('/');
  const [, , host, , kind, first, second, share] = parts;
  if (driveType === 'personal') {
    if (parts.length !== 5) return undefined;
    const id = Buffer.from(webUrl).toString('base64url');
    return `https://api.onedrive.com/v1.0/shares/u!${id}/root/content`;
  }
  const page = '_layouts/15/download.aspx?share=';
  if (driveType === 'business' || kind === 'g') {
    return parts.length === 8 ? `https://${host}/${first}/${second}/${page}${share}` : undefined;
  }
  if (parts.length !== 7) return undefined;
  const folder = kind === 't' ? 'teams' : 'sites';
  return kind === 's' || kind === 't'
    ? `https://${host}/${folder}/${first}/${page}${second}`
    : undefined;
}

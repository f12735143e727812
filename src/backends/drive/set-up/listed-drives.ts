import type { Op } from '../../../core/remote.ts';
import type { GraphClient } from '../client/graph-client.ts';
import { badAnswer } from '../client/graph-request.ts';
import { listPages } from '../client/list-pages.ts';
import { oneForm } from '../items/item-address.ts';

/** A drive as the service lists it. */
export interface ListedDrive {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** Its page in a browser; `''` if the service does not give it. */
  readonly url: string;
}

/** A SharePoint site. */
export interface ListedSite {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

type Json = Readonly<Record<string, unknown>>;

/** The account's own drives. The default one is requested as well, as some accounts do not list it (rclone #4068). */
export async function ownDrives(client: GraphClient, op: Op): Promise<readonly ListedDrive[]> {
  const listed = (await listAll(client, '/me/drives', 'the drives of the account', op)).map(
    driveOf,
  );
  const request = { method: 'GET', to: '/me/drive', doing: 'find' } as const;
  const { json } = await client.call({ ...request, about: 'the drive of the account' }, op);
  const own = driveOf(json);
  return listed.some(({ id }) => id === own.id) ? listed : [...listed, own];
}

/** The document libraries of a site; `root` is the organisation's own. */
export async function siteDrives(
  client: GraphClient,
  siteId: string,
  op: Op,
): Promise<readonly ListedDrive[]> {
  const to = `/sites/${encodeURIComponent(siteId).replaceAll('%2C', ',')}/drives`;
  return (await listAll(client, to, 'the libraries of the site', op)).map(driveOf);
}

/** The id of the site at a path below the organisation's address: `/sites/name`. */
export async function siteIdAt(client: GraphClient, path: string, op: Op): Promise<string> {
  const segments = path.split('/').map(encodeURIComponent).join('/');
  const to = `/sites/root:${segments.startsWith('/') ? segments : `/${segments}`}`;
  const { json } = await client.call(
    { method: 'GET', to, doing: 'find', about: `site ${path}` },
    op,
  );
  return idOf(json, `site ${path}`);
}

/** The sites whose names or contents match. */
export async function searchSites(
  client: GraphClient,
  term: string,
  op: Op,
): Promise<readonly ListedSite[]> {
  const to = `/sites?search=${encodeURIComponent(term)}`;
  const found = await listAll(client, to, 'sites', op);
  return found.map((site) => ({
    id: text(site, 'id'),
    name: text(site, 'displayName') || text(site, 'name'),
    url: text(site, 'webUrl'),
  }));
}

/** The drive of an id, by its root. */
export async function driveAt(client: GraphClient, id: string, op: Op): Promise<ListedDrive> {
  const to = `/drives/${encodeURIComponent(oneForm(id))}/root`;
  const { json } = await client.call(
    { method: 'GET', to, doing: 'open', about: `drive ${id}` },
    op,
  );
  idOf(json, `drive ${id}`);
  const parent = json['parentReference'];
  const type =
    typeof parent === 'object' && parent !== null ? text(parent as Json, 'driveType') : '';
  return { id, name: text(json, 'name'), type, url: text(json, 'webUrl') };
}

async function listAll(client: GraphClient, to: string, about: string, op: Op): Promise<Json[]> {
  const all: Json[] = [];
  for await (const { items } of listPages(client, to, { doing: 'list', about }, op)) {
    all.push(...items);
  }
  return all;
}

function driveOf(json: Json): ListedDrive {
  return {
    id: oneForm(text(json, 'id')),
    name: text(json, 'name'),
    type: text(json, 'driveType'),
    url: text(json, 'webUrl'),
  };
}

/** The id in a response. Throws `bad-answer` if there is none. */
function idOf(json: Json, about: string): string {
  const id = text(json, 'id');
  if (id !== '') return id;
  throw badAnswer({ doing: 'find', about }, 'the answer does not tell its id');
}

function text(json: Json, name: string): string {
  const value = json[name];
  return typeof value === 'string' ? value : '';
}

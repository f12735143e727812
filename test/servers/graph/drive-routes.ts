import type { Drive } from './drive.ts';
import { type Answer, decodePart, type GraphCall, type JsonObject } from './graph-call.ts';
import { notFound } from './graph-failure.ts';
import type { GraphOperation } from './graph-fault.ts';
import type { GraphWorld } from './graph-world.ts';
import { itemJson } from './item-json.ts';

/** Host of the SharePoint sites. */
const SITE_HOST = 'contoso.sharepoint.com';

/** What is asked about the user, drives and sites rather than an item; `path` comes without the base. */
export function driveOperation(method: string, path: string): GraphOperation | undefined {
  if (method !== 'GET') return undefined;
  if (path === '/me') return 'me';
  if (path === '/me/drive/sharedWithMe') return 'sharedWithMe';
  if (/^\/(me\/drive|drives\/[^/]+|sites\/[^/]+\/drive)$/.test(path)) return 'getDrive';
  if (path === '/me/drives') return 'listDrives';
  if (path === '/sites') return 'searchSites';
  if (/^\/sites\/.+\/drives$/.test(path)) return 'listSiteDrives';
  return /^\/sites\/.+$/.test(path) ? 'getSite' : undefined;
}

/** Answers one of those. */
export function answerDrives(
  operation: GraphOperation,
  world: GraphWorld,
  call: GraphCall,
  path: string,
): Answer {
  const list = (value: readonly JsonObject[]) => ({ status: 200, json: { value } });
  switch (operation) {
    case 'me':
      return {
        status: 200,
        json: {
          id: 'test-user',
          displayName: 'Test User',
          userPrincipalName: 'test@example.com',
          mail: 'test@example.com',
        },
      };
    case 'sharedWithMe':
      return list(sharedItems(world, call));
    case 'getDrive':
      return { status: 200, json: driveJson(driveAt(world, path)) };
    case 'listDrives':
      return list(world.ownDrives().map(driveJson));
    case 'searchSites':
      return list(searchSites(world, call.query.get('search') ?? ''));
    case 'getSite':
      return { status: 200, json: siteJson(siteAt(world, path.slice('/sites/'.length))) };
    default: {
      const site = siteAt(world, path.slice('/sites/'.length, -'/drives'.length));
      return list(world.drives.filter((drive) => drive.site === site).map(driveJson));
    }
  }
}

function driveAt(world: GraphWorld, path: string): Drive {
  const [, kind = '', id = ''] = path.split('/');
  if (kind === 'me') return world.defaultDrive();
  if (kind === 'drives') return world.drive(decodePart(id));
  const site = siteAt(world, id);
  const drive = world.drives.find((one) => one.site === site);
  if (drive === undefined) throw notFound('The site has no drive.');
  return drive;
}

/** A drive as Graph shows it, with how full it is. */
function driveJson(drive: Drive): JsonObject {
  const { used, quota: total, binned: deleted } = drive;
  const remaining = Math.max(total - used, 0);
  return {
    id: drive.id,
    driveType: drive.type,
    name: drive.name,
    webUrl: `https://example.com/${drive.id}`,
    owner: { user: { displayName: 'Test User', id: 'test-user' } },
    quota: {
      deleted,
      remaining,
      state: remaining === 0 ? 'exceeded' : 'normal',
      total,
      used,
    },
  };
}

function sharedItems(world: GraphWorld, call: GraphCall): JsonObject[] {
  const drive = world.defaultDrive();
  const shared = [...drive.items.values()].filter((item) => item.remote !== undefined);
  return shared.map((item) => itemJson(item, { world, call, drive }));
}

function siteNames(world: GraphWorld): string[] {
  return [...new Set(['root', ...world.drives.flatMap((drive) => drive.site ?? [])])];
}

function searchSites(world: GraphWorld, text: string): JsonObject[] {
  const wanted = text.replaceAll('*', '').toLowerCase();
  return siteNames(world)
    .filter((name) => name.toLowerCase().includes(wanted))
    .map(siteJson);
}

/** The name of the site behind an id, `root`, or `host:/sites/name`. */
function siteAt(world: GraphWorld, address: string): string {
  const byPath = /^([^:/]+):\/(?:sites|teams)\/([^:/]+):?$/.exec(address);
  const wanted = decodePart(byPath?.[2] ?? address).toLowerCase();
  const isHost = wanted === SITE_HOST;
  const found = siteNames(world).find((name) => {
    return [name, siteId(name)].some((one) => one.toLowerCase() === (isHost ? 'root' : wanted));
  });
  if (found === undefined || (byPath !== null && byPath[1] !== SITE_HOST && byPath[1] !== 'root')) {
    throw notFound('The site could not be found.');
  }
  return found;
}

function siteId(name: string): string {
  const part = Buffer.from(name).toString('hex').padStart(12, '0').slice(-12);
  return `${SITE_HOST},00000000-0000-0000-0000-${part},11111111-0000-0000-0000-${part}`;
}

function siteJson(name: string): JsonObject {
  return {
    id: siteId(name),
    name,
    displayName: name === 'root' ? 'Communication site' : name,
    webUrl: `https://${SITE_HOST}${name === 'root' ? '' : `/sites/${encodeURIComponent(name)}`}`,
  };
}

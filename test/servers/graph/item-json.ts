import type { Drive } from './drive.ts';
import { type DriveItem, pathNames, sizeOf } from './drive-item.ts';
import type { GraphCall, JsonObject } from './graph-call.ts';
import type { GraphWorld } from './graph-world.ts';

/** Where an item is shown; `delta` leaves some things out. */
export interface ShownIn {
  readonly world: GraphWorld;
  readonly call: GraphCall;
  readonly drive: Drive;
  readonly inDelta?: boolean;
}

/** An item as Graph shows it, cut down to what `$select` names. */
export function itemJson(item: DriveItem, where: ShownIn): JsonObject {
  const { drive, call, inDelta = false } = where;
  const business = drive.type !== 'personal';
  const user = { user: { displayName: 'Test User', id: 'test-user' } };
  const withoutContentTag = business && (item.children !== undefined || inDelta);
  const all: Record<string, unknown> = {
    createdDateTime: time(item.created),
    eTag: eTagOf(item, drive),
    id: item.id,
    lastModifiedDateTime: time(item.serverModified),
    name: item.name,
    webUrl: `https://example.com/${drive.id}/${pathNames(item).map(encodeURIComponent).join('/')}`,
    ...(!withoutContentTag && { cTag: contentTagOf(item, drive) }),
    size: sizeOf(item),
    ...(item.description !== undefined && { description: item.description }),
    createdBy: user,
    lastModifiedBy: user,
    parentReference: parentReference(item, drive, inDelta),
    fileSystemInfo: {
      createdDateTime: time(item.created),
      lastModifiedDateTime: time(item.modified),
    },
    ...facets(item, where),
  };
  if (item.content !== undefined && !inDelta) {
    all['@microsoft.graph.downloadUrl'] = downloadAddress(item, where);
  }
  return select(all, call.query.get('$select'));
}

/** The parts of an item that tell what it is. */
function facets(item: DriveItem, { world, drive }: ShownIn): JsonObject {
  if (item.remote !== undefined) {
    const other = world.drive(item.remote.driveId);
    const target = item.remote.item;
    return {
      remoteItem: {
        id: target.id,
        name: target.name,
        size: sizeOf(target),
        parentReference: { driveId: other.id, driveType: other.type },
        fileSystemInfo: {
          createdDateTime: time(target.created),
          lastModifiedDateTime: time(target.modified),
        },
        ...facets(target, { world, drive: other } as ShownIn),
      },
    };
  }
  if (item.packageType !== undefined) return { package: { type: item.packageType } };
  if (item.children !== undefined) {
    return {
      folder: { childCount: item.children.size },
      ...(item.parent === undefined && { root: {} }),
    };
  }
  const content = item.shownAs ?? item.content;
  if (content === undefined) return {};
  const { withoutHashes, personalHashes } = world.settings;
  const more = drive.type === 'personal' ? personalHashes : [];
  const hashes = {
    quickXorHash: content.quickXor,
    ...(more.includes('sha1') && { sha1Hash: content.sha1 }),
    ...(more.includes('sha256') && { sha256Hash: content.sha256 }),
  };
  return { file: { mimeType: item.mimeType, ...(!withoutHashes && { hashes }) } };
}

/** Where an item lies: drive, folder and path; paths are percent-encoded on personal drives. */
function parentReference(item: DriveItem, drive: Drive, inDelta: boolean): JsonObject {
  const reference = { driveId: drive.id, driveType: drive.type };
  if (item.parent === undefined) return reference;
  const names = pathNames(item.parent);
  const shown = drive.type === 'personal' ? names.map(encodeURIComponent) : names;
  const path = [`/drives/${drive.id}/root:`, ...shown].join('/');
  return {
    ...reference,
    id: item.parent.id,
    ...(item.parent.parent !== undefined && { name: item.parent.name }),
    ...(!inDelta && { path }),
    ...(drive.site !== undefined && { siteId: drive.site }),
  };
}

/** Changes with any change of the item. */
export function eTagOf(item: DriveItem, drive: Drive): string {
  return tag(item, drive, item.revision, '');
}

/** Changes with the content of a file only. */
export function contentTagOf(item: DriveItem, drive: Drive): string {
  return tag(item, drive, item.contentRevision, 'c:');
}

function tag(item: DriveItem, drive: Drive, revision: number, mark: string): string {
  if (drive.type !== 'personal') return `"${mark}{${item.id}},${revision}"`;
  return `a${Buffer.from(`${mark}${item.id}.${revision}`).toString('base64url')}`;
}

/** A new address to download a file from. */
export function downloadAddress(
  item: DriveItem,
  { world, call, drive }: ShownIn,
  content?: DriveItem['content'],
): string {
  const id = crypto.randomUUID();
  const expires = world.now() + world.settings.downloadSeconds * 1000;
  world.downloads.set(id, { drive, item, content, expires, uses: 0 });
  return `${call.contentOrigin}/download/${id}?tempauth=v1`;
}

/** A time as Graph writes it. */
export function time(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

function select(all: JsonObject, names: string | null): JsonObject {
  if (names === null) return all;
  const wanted = new Set(names.split(',').map((name) => name.trim()));
  if (wanted.has('content.downloadUrl')) wanted.add('@microsoft.graph.downloadUrl');
  return Object.fromEntries(Object.entries(all).filter(([name]) => wanted.has(name)));
}

import { foldName } from '../../core/name-order.ts';
import { type Ancestor, ancestorsOf, type Place } from '../../core/place.ts';
import type { Op } from '../../core/remote.ts';
import { joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import type { DriveStore } from './drive-store.ts';
import { lookAt } from './items/get-item.ts';
import { type GraphItem, targetOf } from './items/graph-item.ts';
import { type ItemId, idOf, ROOT } from './items/item-address.ts';

/** Where the items of a remote are: by drive and id, whatever shortcuts lead there, and by path. */
export function drivePlace(store: DriveStore): Place {
  const service = `drive ${store.settings.graphUrl.href}`;
  return {
    kind: 'drive',
    store: service,
    lineage: async (path, op) => {
      const whole = store.toService(path);
      const { id } = await store.drive(op);
      const top = idOf({ driveId: id, id: store.settings.rootFolderId || ROOT });
      const named = ancestorsOf(`${top}:`, whole, foldName);
      const found = [...(await itemsAt(store, whole, op)), ...named];
      return { ancestors: found.map((item) => ({ ...item, id: `${service} ${item.id}` })) };
    },
    anchor: async (op) => {
      const whole = store.toService('');
      const { id } = await store.drive(op);
      // Shortcuts on the way are known when the directory is.
      const { rest } = await store.directories.locate(whole, op);
      if (rest !== '') await store.directories.look(whole, op);
      return store.directories.anchorOf(whole, id);
    },
    leadsAway: (dir) => {
      const isShortcut = ({ id }: Ancestor) => store.directories.shortcutAt(id) !== undefined;
      return ancestorsOf('', store.toService(dir)).some(isShortcut);
    },
    views: async () => ({ of: [], lateMs: 0 }),
  };
}

/** The item at a path and all items above it. A missing one is identified by its path. */
async function itemsAt(store: DriveStore, path: string, op: Op): Promise<Ancestor[]> {
  let [at, missing] = [path, ''];
  let item = await store.directories.look(at, op);
  while (item === undefined && at !== '') {
    missing = joinPath(leafName(at), missing);
    at = parentPath(at);
    item = await store.directories.look(at, op);
  }
  if (item === undefined) return [];
  const { id } = await store.drive(op);
  const self = targetOf(item, item.parentReference?.driveId ?? id);
  const unmade = missing === '' ? [] : ancestorsOf(`${idOf(self)}/`, missing, foldName);
  const known = item.remoteItem === undefined ? item : undefined;
  return [...unmade.slice(0, -1), ...(await upwards(store, self, missing, known, op))];
}

/** An item and the folders above it, as far as they are visible. */
async function upwards(
  store: DriveStore,
  item: ItemId,
  way: string,
  known: GraphItem | undefined,
  op: Op,
): Promise<Ancestor[]> {
  const ancestors: Ancestor[] = [];
  let [at, rest, told] = [item, way, known];
  for (;;) {
    ancestors.push({ id: idOf(at), rest });
    told ??= await lookAt(store.client, at, op);
    const parent = told?.parentReference;
    if (told?.root !== undefined || parent?.id === undefined) return ancestors;
    rest = joinPath(told?.name ?? '', rest);
    at = { driveId: parent.driveId ?? at.driveId, id: parent.id };
    // Nothing is above the root.
    told = parent.path?.endsWith('/root:') === true ? { root: {} } : undefined;
  }
}

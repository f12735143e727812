import { checkUnlocked } from '../drive.ts';
import type { DriveItem } from '../drive-item.ts';
import { conflictOf, isObject, type JsonObject, readJson } from '../graph-call.ts';
import {
  GraphFailure,
  invalidRequest,
  nameTaken,
  notFound,
  notSupported,
} from '../graph-failure.ts';
import { existing, itemById, walk } from '../item-address.ts';
import {
  checkMatch,
  freeName,
  type ItemHandler,
  type ItemRequest,
  itemAnswer,
  readTimes,
} from '../item-request.ts';

/** POST to a folder's children: makes a folder. */
export const createChild: ItemHandler = (request) => {
  const { drive, call, world } = request;
  const parent = existing(request.address);
  if (parent.children === undefined) throw invalidRequest('The parent is no folder.');
  const body = readJson(call);
  const name = body['name'];
  if (typeof name !== 'string') throw invalidRequest('The name is missing.');
  if (!isObject(body['folder'])) throw invalidRequest('Only folders can be made like this.');
  const free = freeName(parent, name, conflictOf(call, body) ?? 'fail');
  if (free === undefined) {
    const other = parent.children.get(name.toLowerCase());
    if (other?.children === undefined) throw nameTaken(name);
    return itemAnswer(request, 200, other);
  }
  const made = drive.make(free, parent, { folder: true });
  const times = readTimes(body);
  // Business drives give a new folder times of their own.
  if (drive.type === 'personal') drive.setTimes(made, { modified: world.now(), ...times });
  return itemAnswer(request, 201, made);
};

/** PATCH: renames, moves, sets times, all at once. */
export const patchItem: ItemHandler = (request) => {
  const { drive, call, world } = request;
  const item = existing(request.address);
  checkMatch(call.headers['if-match'], item, drive);
  const body = readJson(call);
  checkUnlocked(item);
  const times = readTimes(body);
  const name = body['name'] ?? item.name;
  if (typeof name !== 'string') throw invalidRequest('The name is no text.');
  const parent = newParent(request, item, body);
  const moves = parent !== item.parent || name !== item.name;
  if (moves && item.parent === undefined) throw invalidRequest('The root cannot be moved.');
  if (moves && parent !== undefined) {
    const free = freeName(parent, name, conflictOf(call, body) ?? 'fail', item);
    if (free === undefined) replaceOther(request, parent, name);
    drive.move(item, parent, free ?? name);
    // The time is lost unless it comes along.
    if (times.modified === undefined && item.content !== undefined) {
      drive.setTimes(item, { modified: world.now() });
    }
  } else {
    // A change of times makes a version on business drives.
    if (drive.type !== 'personal' && body['fileSystemInfo'] !== undefined) drive.keepVersion(item);
    drive.touched(item);
  }
  drive.setTimes(item, times);
  return itemAnswer(request, 200, item);
};

function replaceOther({ drive }: ItemRequest, parent: DriveItem, name: string): void {
  const other = parent.children?.get(name.toLowerCase());
  if (other === undefined) return;
  if (other.children !== undefined) throw nameTaken(name);
  drive.remove(other);
}

function newParent(
  { drive }: ItemRequest,
  item: DriveItem,
  body: JsonObject,
): DriveItem | undefined {
  const reference = body['parentReference'];
  if (reference === undefined || reference === null) return item.parent;
  if (!isObject(reference)) throw invalidRequest('parentReference is no object.');
  const { driveId, id, path } = reference;
  if (typeof driveId === 'string' && driveId.toLowerCase() !== drive.id.toLowerCase()) {
    throw notSupported('An item cannot be moved to another drive.');
  }
  let parent = item.parent;
  if (typeof id === 'string' && id !== '')
    parent = id === 'root' ? drive.root : itemById(drive, id);
  else if (typeof path === 'string') parent = byPath(drive.root, path);
  if (parent?.children === undefined) throw invalidRequest('The new parent is no folder.');
  return parent;
}

function byPath(root: DriveItem, path: string): DriveItem {
  const names = path
    .replace(/^.*?\/root:?/, '')
    .split('/')
    .filter((name) => name !== '');
  const found = walk(root, names.map(decodeURIComponent)).item;
  if (found === undefined) throw new GraphFailure(404, 'itemNotFound', 'No such new parent.');
  return found;
}

/** DELETE: into the recycle bin, with all that is in it. */
export const deleteItem: ItemHandler = (request) => remove(request, false);

/** POST permanentDelete: past the recycle bin, on business drives only. */
export const deletePermanently: ItemHandler = (request) => {
  if (request.drive.type === 'personal') {
    throw notSupported('Personal drives cannot delete for good.');
  }
  return remove(request, true);
};

/** POST restore: out of the recycle bin, of personal drives only; into its old folder, or the one that the body names. */
export const restoreItem: ItemHandler = (request) => {
  const { drive, address, call } = request;
  if (drive.type !== 'personal') throw notSupported('Only personal drives restore items.');
  const item = existing(address);
  if (drive.bin.get(item.id) !== item) throw invalidRequest('The item is not deleted.');
  const body = readJson(call);
  const name = body['name'] ?? item.name;
  if (typeof name !== 'string') throw invalidRequest('The name is no text.');
  const parent = newParent(request, item, body);
  if (parent === undefined || !(parent === drive.root || drive.items.has(parent.id))) {
    throw notFound('The folder of the item was deleted, too.');
  }
  if (freeName(parent, name, 'fail') === undefined) throw nameTaken(name);
  drive.restore(item, parent, name);
  return itemAnswer(request, 200, item);
};

function remove({ drive, address, call }: ItemRequest, forGood: boolean) {
  const item = existing(address);
  checkMatch(call.headers['if-match'], item, drive);
  if (item.parent === undefined) throw invalidRequest('The root cannot be deleted.');
  drive.remove(item, forGood);
  return { status: 204 };
}

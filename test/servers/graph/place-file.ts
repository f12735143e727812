import { checkUnlocked, type Drive } from './drive.ts';
import type { DriveItem } from './drive-item.ts';
import { type FileContent, rewrite } from './file-content.ts';
import type { ConflictBehavior } from './graph-call.ts';
import { nameTaken, notFound } from './graph-failure.ts';
import type { GraphWorld } from './graph-world.ts';
import type { ItemAddress } from './item-address.ts';
import { freeName } from './item-request.ts';

/** A file to be written. */
export interface UploadedFile {
  readonly content: FileContent;
  readonly mimeType: string;
  readonly behavior: ConflictBehavior;
  readonly times: { created?: number; modified?: number; description?: string };
  /** Another name than that of the address. */
  readonly name?: string | undefined;
}

/** Where a file came to lie; `created` where there was none. */
export interface PlacedFile {
  readonly item: DriveItem;
  readonly created: boolean;
}

/** Writes an uploaded file to its address, with the folders above it that are missing. */
export function placeFile(world: GraphWorld, address: ItemAddress, file: UploadedFile): PlacedFile {
  const { drive } = address;
  const { item, parent, name } = target(address, file);
  drive.needSpace(file.content.size);
  if (item !== undefined) {
    write(world, drive, item, file);
    return { item, created: false };
  }
  const made = drive.make(name, makeFolders(drive, parent, address.missing.slice(0, -1)), {});
  write(world, drive, made, file);
  return { item: made, created: true };
}

/** Checks beforehand what `placeFile` would refuse, but for the space. */
export function checkTarget(address: ItemAddress, file: Omit<UploadedFile, 'content'>): void {
  const { item, parent, name } = target(address, file);
  if (item !== undefined) checkUnlocked(item);
  else if (address.missing.length < 2) address.drive.checkPlace(name, parent, false);
}

function target(
  address: ItemAddress,
  file: Omit<UploadedFile, 'content'>,
): { item: DriveItem | undefined; parent: DriveItem; name: string } {
  const { item, nearest, missing } = address;
  const renamed = file.name !== undefined && file.name !== '' ? file.name : undefined;
  if (item === undefined) {
    const name = renamed ?? missing.at(-1) ?? '';
    if (nearest.children === undefined) throw nameTaken(nearest.name);
    return { item: undefined, parent: nearest, name };
  }
  if (item.children !== undefined || item.parent === undefined) throw nameTaken(item.name);
  if (item.content === undefined) throw nameTaken(item.name);
  const free = freeName(item.parent, item.name, file.behavior);
  return free === undefined
    ? { item, parent: item.parent, name: item.name }
    : { item: undefined, parent: item.parent, name: free };
}

/** Makes the folders `names` below one another, as far as they are missing. */
export function makeFolders(drive: Drive, from: DriveItem, names: readonly string[]): DriveItem {
  let at = from;
  for (const name of names) {
    const child = at.children?.get(name.toLowerCase());
    at = child ?? drive.make(name, at, { folder: true });
  }
  if (at.children === undefined) throw notFound();
  return at;
}

function write(world: GraphWorld, drive: Drive, item: DriveItem, file: UploadedFile): void {
  const { rewritesOffice } = world.settings;
  const { content, mimeType } = file;
  const rewritten =
    drive.type === 'documentLibrary' && rewritesOffice !== 'never'
      ? rewrite(item.name, content, world.settings.rewritesToo)
      : content;
  drive.write(item, rewritesOffice === 'at-once' ? rewritten : content, mimeType);
  drive.setTimes(item, { created: item.created, modified: world.now(), ...file.times });
  if (rewritesOffice === 'at-once' || rewritten === content) return;
  setImmediate(() => {
    if (item.content === content) drive.exchange(item, rewritten);
  });
}

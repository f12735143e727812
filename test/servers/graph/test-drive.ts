import type { DriveType } from './check-name.ts';
import type { Drive } from './drive.ts';
import { type DriveItem, itemsIn, pathNames } from './drive-item.ts';
import { makeContent } from './file-content.ts';
import type { GraphWorld } from './graph-world.ts';
import { walk } from './item-address.ts';
import { makeFolders } from './place-file.ts';

/** A drive in the hands of a test: what is done here needs no request and is not counted. */
export class TestDrive {
  readonly id: string;
  readonly type: DriveType;
  /** The drive itself. */
  readonly inside: Drive;
  readonly #world: GraphWorld;

  constructor(world: GraphWorld, drive: Drive) {
    this.#world = world;
    this.inside = drive;
    this.id = drive.id;
    this.type = drive.type;
  }

  /** Writes a file, with the folders above it. */
  put(path: string, content: string | Buffer, modified?: Date): DriveItem {
    const { inside } = this;
    const names = split(path);
    const folder = makeFolders(inside, inside.root, names.slice(0, -1));
    const name = names.at(-1) ?? '';
    const there = folder.children?.get(name.toLowerCase());
    const item = there ?? inside.make(name, folder, {});
    inside.write(item, makeContent(Buffer.from(content)), 'application/octet-stream');
    inside.setTimes(item, { modified: modified?.getTime() ?? this.#world.now() });
    return item;
  }

  /** Makes a folder, with those above it. */
  mkdir(path: string): DriveItem {
    return makeFolders(this.inside, this.inside.root, split(path));
  }

  /** What a file holds; `undefined` where there is none. */
  read(path: string): Buffer | undefined {
    const content = this.find(path)?.content;
    return content === undefined ? undefined : Buffer.concat(content.pieces);
  }

  /** The item at a path; case does not count. */
  find(path: string): DriveItem | undefined {
    return walk(this.inside.root, split(path)).item;
  }

  /** The item at a path; throws where there is none. */
  item(path: string): DriveItem {
    const found = this.find(path);
    if (found === undefined) throw new Error(`There is no ${path} in the drive.`);
    return found;
  }

  /** Removes an item with all that is in it. */
  remove(path: string): void {
    this.inside.remove(this.item(path));
  }

  /** Somebody has the item open, or no longer. */
  lock(path: string, locked = true): void {
    this.item(path).locked = locked;
  }

  /** A notebook: an item that is neither file nor folder. */
  addPackage(path: string, packageType = 'oneNote'): DriveItem {
    const names = split(path);
    const folder = makeFolders(this.inside, this.inside.root, names.slice(0, -1));
    return this.inside.make(names.at(-1) ?? '', folder, { packageType });
  }

  /** A shortcut to an item of another drive. */
  addShortcut(at: string, other: TestDrive, path: string): DriveItem {
    const remote = { driveId: other.id, item: other.item(path) };
    const names = split(at);
    const folder = makeFolders(this.inside, this.inside.root, names.slice(0, -1));
    return this.inside.make(names.at(-1) ?? '', folder, { remote });
  }

  /** Files with what they hold as text, folders (with a slash at the end) with nothing; sorted by path. */
  tree(): Record<string, string> {
    const found: [string, string][] = [];
    for (const item of itemsIn(this.inside.root)) {
      if (item === this.inside.root) continue;
      const path = pathNames(item).join('/');
      const text = item.content === undefined ? '' : Buffer.concat(item.content.pieces).toString();
      found.push(item.children === undefined ? [path, text] : [`${path}/`, '']);
    }
    return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Paths of all files, sorted. */
  files(): string[] {
    return Object.keys(this.tree()).filter((path) => !path.endsWith('/'));
  }
}

function split(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}

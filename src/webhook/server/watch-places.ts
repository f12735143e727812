import { type FSWatcher, watch } from 'node:fs';
import { lstat, readlink, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** File systems whose changes the kernel of this machine makes itself: only these report every change. */
const LOCAL: ReadonlySet<number> = new Set([
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1],
  ...[0x858458f6, 0xca451a4e, 0x2011bab0, 0x4d44, 0x73717368],
]);

/** As many links follow one another in the kernel. */
const MOST_LINKS = 40;

/** A directory or a file whose changes may change what a path leads to. */
interface WatchPlace {
  /** With the inode, so that what replaces it is watched, too. */
  readonly key: string;
  readonly path: string;
  /** The entry that matters in a directory. */
  readonly name?: string;
}

/**
 * Says when something changes that paths lead to: the files, the directories on the way, and the links, by what the
 * kernel reports.
 */
export class PlaceWatcher {
  readonly #onChange: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  /** The entries that matter, by directory. */
  #names = new Map<string, Set<string>>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /**
   * Watches what these paths lead to now, and nothing else. Resolves to `all` if no change can be missed, `new` if so
   * and something is watched only now, `part` if some changes can only be found by looking.
   */
  async follow(paths: readonly string[]): Promise<'all' | 'new' | 'part'> {
    const ways = await Promise.all(paths.map(wayTo));
    const places = new Map(ways.flatMap((way) => way.places.map((place) => [place.key, place])));
    this.#names = new Map();
    for (const { key, name } of ways.flatMap((way) => way.places)) {
      if (name === undefined) continue;
      const names = this.#names.get(key) ?? new Set();
      this.#names.set(key, names.add(name));
    }
    for (const [key, watcher] of this.#watchers) {
      if (places.has(key)) continue;
      watcher.close();
      this.#watchers.delete(key);
    }
    const added = [...places.values()].filter(({ key }) => !this.#watchers.has(key));
    const seen = added.map((place) => this.#add(place));
    if (seen.includes(false) || ways.some(({ isLocal }) => !isLocal)) return 'part';
    return added.length > 0 ? 'new' : 'all';
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Whether it could be watched. */
  #add({ key, path, name }: WatchPlace): boolean {
    try {
      const watcher = watch(path, { persistent: false }, (_, changed) => {
        const isOther = name !== undefined && changed !== null;
        if (!isOther || this.#names.get(key)?.has(changed)) this.#onChange();
      });
      watcher.on('error', () => this.#drop(key));
      this.#watchers.set(key, watcher);
      return true;
    } catch {
      return false;
    }
  }

  #drop(key: string): void {
    this.#watchers.get(key)?.close();
    this.#watchers.delete(key);
    this.#onChange();
  }
}

/** What is on the way to a file, through links. */
async function wayTo(path: string): Promise<{ places: WatchPlace[]; isLocal: boolean }> {
  const places: WatchPlace[] = [];
  let isLocal = true;
  let links = 0;
  const parts = partsOf(resolve(path));
  let folder = '/';
  for (let name = parts.shift(); name !== undefined; name = parts.shift()) {
    const target = join(folder, name);
    const place = await placeOf(folder).catch(() => undefined);
    if (place === undefined) return { places, isLocal: false };
    const link = await readlink(target).catch(() => undefined);
    const isOnTheWay = link === undefined && parts.length > 0;
    if (!isOnTheWay || !place.isBusy) places.push({ key: place.key, path: folder, name });
    if (link !== undefined) {
      if (++links > MOST_LINKS) return { places, isLocal: false };
      parts.unshift(...partsOf(resolve(folder, link)));
      folder = '/';
      continue;
    }
    if (isOnTheWay) {
      folder = target;
      continue;
    }
    const file = await placeOf(target).catch(() => undefined);
    if (file !== undefined) places.push({ key: file.key, path: target });
    isLocal = await isLocalAt(file === undefined ? folder : target);
    // What is mounted there can be exchanged without an event.
    if (file !== undefined && file.device !== place.device) isLocal = false;
  }
  return { places, isLocal };
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

/** `isBusy`: a directory for everybody, such as /tmp, where only the owner of an entry can exchange it. */
async function placeOf(path: string): Promise<{ key: string; device: number; isBusy: boolean }> {
  const { dev, ino, mode } = await lstat(path);
  return { key: [path, dev, ino].join(), device: dev, isBusy: (mode & 0o1002) === 0o1002 };
}

/** Whether only this machine can change what is there. */
export async function isLocalAt(path: string): Promise<boolean> {
  return await statfs(path).then(
    ({ type }) => LOCAL.has(type),
    () => false,
  );
}

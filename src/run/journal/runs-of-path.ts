import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { nameToBytes } from '../../core/name-bytes.ts';
import { parentPath, pathBelow, wholePath } from '../../core/remote-path.ts';
import { parseEncoding, toStandardPath } from '../../names/name-encoding.ts';
import { CacheAccess, type CacheStores } from '../../state/cache-access.ts';
import type { Database } from '../../state/database.ts';
import type { PlaceLine } from './journal-line.ts';
import { type RunChange, type RunChanges, readChanges } from './read-run.ts';

/** A path of a disk or a server, whatever name a remote has. */
export interface StoredPath {
  /** What identifies it: on a server its id, and the name of the remote, whose options may have been others. */
  readonly stores: readonly string[];
  /** Below the root of the disk or server. */
  readonly path: string;
}

type Place = Pick<PlaceLine, 'name' | 'root' | 'storeId'>;

/** A path below the root of a place. */
export function storedPath(place: Place, path: string): StoredPath {
  return { stores: storesOf(place), path: fromTop(rootOf(place), path) };
}

/** As `wholePath`; the top of a disk is `''`, like that of a server. */
function fromTop(root: string, path: string): string {
  const whole = wholePath(root, path);
  return whole === '/' ? '' : whole;
}

function storesOf({ name, root, storeId }: Place): readonly string[] {
  if (isOnDisk({ root })) return ['disk'];
  return storeId === undefined ? [name] : [storeId, name];
}

/** Whether a place is on a disk of this machine. */
export const isOnDisk = ({ root }: Pick<PlaceLine, 'root'>): boolean => root.startsWith('/');

/** The root without symbolic links, as far as it exists. */
export function realRoot({ root }: Pick<PlaceLine, 'root'>): string {
  try {
    return isOnDisk({ root }) ? realpathSync.native(root) : root;
  } catch {
    return root;
  }
}

function rootOf(place: Pick<PlaceLine, 'root'>): string {
  return isOnDisk(place) ? namesInJournal(realRoot(place)) : place.root;
}

/** A path on a disk with its names as journals have them: control characters as symbols. */
export function namesInJournal(path: string): string {
  return toStandardPath(parseEncoding('Slash,Dot'), path);
}

/** What of a journal says where something was changed. */
type PlacedChanges = Pick<RunChanges, 'places' | 'changes'>;

/**
 * The journals of runs, in the order of their ids; `undefined` if a run has none any more. Those of runs that have
 * certainly changed nothing at the paths, below them, or with a directory above them, are empty and not read: the
 * directories of each journal are in `cache.db` once it was read.
 *
 * @param folder of all runs
 * @param ids of all runs that may have a journal
 * @param fail gets the error of a journal that cannot be read
 */
export async function* journalsAt(
  folder: string,
  ids: readonly string[],
  paths: readonly StoredPath[],
  stores: CacheStores,
  fail: (thrown: unknown) => undefined,
): AsyncGenerator<readonly [id: string, journal: PlacedChanges | undefined]> {
  const cache = new CacheAccess(stores, () => {});
  await cache.open();
  const indexed = cache.read((database) => {
    const rows = database.all('SELECT run FROM indexed_runs');
    return new Set(rows.map(({ run }) => String(run)));
  });
  const all = new Set(ids);
  const gone = [...(indexed ?? [])].filter((id) => !all.has(id));
  const forget = (database: Database) => {
    for (const run of gone) {
      database.run('DELETE FROM indexed_runs WHERE run = ?', run);
      database.run('DELETE FROM changed_dirs WHERE run = ?', run);
    }
  };
  if (gone.length > 0) await cache.write(forget);
  const found = cache.read((database) =>
    paths.flatMap(({ stores: of, path }) => of.map((store) => runsAt(database, store, path))),
  );
  for (const id of ids) {
    const isIndexed = indexed?.has(id) === true;
    if (isIndexed && found?.some((runs) => runs.has(id)) === false) {
      yield [id, { places: [], changes: [] }];
      continue;
    }
    const journal = await readChanges(join(folder, id)).catch(fail);
    // One that goes on or is damaged is not in the table.
    if (!isIndexed && journal?.hasEnded && journal.unreadable + journal.misplaced === 0) {
      const dirs = [...changedDirs(journal)];
      for (let at = 0; at < dirs.length; at += 4096) {
        const some = dirs.slice(at, at + 4096);
        await cache.write((database) => {
          for (const { store, dir, isWhole } of some)
            database.run(ADD_DIR, store, nameToBytes(dir), id, Number(isWhole));
        });
      }
      const add = 'INSERT OR IGNORE INTO indexed_runs (run) VALUES (?)';
      await cache.write((database) => database.run(add, id));
    }
    yield [id, journal];
  }
}

/** A directory that a run has changed, for `cache.db`. */
const ADD_DIR = `INSERT INTO changed_dirs (store, dir, run, is_whole) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET is_whole = max(is_whole, excluded.is_whole)`;

/** The runs that may have changed something at a path, below it, or with a directory above it. */
function runsAt(database: Database, store: string, path: string): ReadonlySet<string> {
  const bytes = nameToBytes(path);
  // Right behind a slash comes the zero, and 255 is in no path.
  const [from, to] =
    path === '' ? [bytes, Buffer.from([255])] : [`${path}/`, `${path}0`].map(nameToBytes);
  const rows = database.all(
    `SELECT DISTINCT run FROM changed_dirs
      WHERE store = ? AND (dir = ? OR dir = ? OR dir >= ? AND dir < ?)`,
    store,
    bytes,
    nameToBytes(parentPath(path)),
    from ?? bytes,
    to ?? bytes,
  );
  const found = new Set(rows.map(({ run }) => String(run)));
  const whole = 'SELECT run FROM changed_dirs WHERE store = ? AND dir = ? AND is_whole';
  for (let dir = path; dir !== ''; ) {
    dir = parentPath(dir);
    for (const { run } of database.all(whole, store, nameToBytes(dir))) found.add(String(run));
  }
  return found;
}

/** The trash of a place, with its store; the place itself if it has none. */
export function trashOf(line: PlaceLine): Place {
  const { name, storeId, trash } = line;
  if (trash === undefined) return line;
  return trash.name === name && storeId !== undefined ? { storeId, ...trash } : trash;
}

/** The directories with changes; of a whole one also what is below it: it was deleted or moved. */
function changedDirs({ places, changes }: PlacedChanges) {
  const dirs = new Map<string, { store: string; dir: string; isWhole: boolean }>();
  const roots = places.map((line) => ({ stores: storesOf(line), root: rootOf(line) }));
  const trashes = places.map(
    (line) => line.trash && { stores: storesOf(trashOf(line)), root: rootOf(line.trash) },
  );
  const add = (at: (typeof roots)[number] | undefined, path: string, isDir: boolean) => {
    if (at === undefined) return;
    const whole = fromTop(at.root, path);
    for (const store of at.stores) {
      for (const dir of isDir ? [whole, parentPath(whole)] : [parentPath(whole)]) {
        const key = `${store}\n${dir}`;
        const isWhole = (isDir && dir === whole) || dirs.get(key)?.isWhole === true;
        dirs.set(key, { store, dir, isWhole });
      }
    }
  };
  for (const change of changes) {
    const { place, path, from, was, kept } = change;
    const dir = isOfWhole(change);
    for (const each of [path, ...(was === undefined ? [] : [was])]) add(roots[place], each, dir);
    if (from !== undefined) add(roots[from.place], from.path, dir);
    if (kept?.in === 'trash') add(trashes[place] ?? roots[place], kept.path, false);
    if (kept?.in === 'place') add(roots[kept.place], kept.path, false);
  }
  return dirs.values();
}

/** Whether a change is one of a directory with all below it. */
function isOfWhole({ do: deed, dir }: RunChange): boolean {
  return dir === true && (deed === 'delete' || deed === 'move');
}

/** The changes of a run at a path or below it, or of a directory above it. */
export function changesAt(
  { places, changes }: PlacedChanges,
  at: StoredPath,
): readonly RunChange[] {
  const isThere = (line: PlaceLine) => storesOf(line).some((store) => at.stores.includes(store));
  const roots = places.map((line) => (isThere(line) ? rootOf(line) : undefined));
  const isAt = (place: number, path: string, isDir: boolean) => {
    const root = roots[place];
    if (root === undefined) return false;
    const whole = fromTop(root, path);
    return (
      pathBelow(at.path, whole) !== undefined || (isDir && pathBelow(whole, at.path) !== undefined)
    );
  };
  return changes.filter((change) => {
    const { place, path, from, was = path } = change;
    const dir = isOfWhole(change);
    return (
      isAt(place, path, dir) ||
      isAt(place, was, dir) ||
      (from !== undefined && isAt(from.place, from.path, dir))
    );
  });
}

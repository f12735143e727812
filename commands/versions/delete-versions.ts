import { type FileEntry, mostDeleted, type Remote } from '../../src/core/remote.ts';
import { joinPath } from '../../src/core/remote-path.ts';
import type { Run } from '../../src/engine/run.ts';
import { createTaskPool } from '../../src/engine/task-pool.ts';
import type { Doomed } from '../../src/listing/doomed-versions.ts';

/** Parallel requests of `mostDeleted` deletions each: more would wait for the listing. */
const BATCHES_AT_ONCE = 4;

/** The deletions of one file: its markers follow, and only if all went well. */
interface OneFile {
  running: number;
  isWhole: boolean;
  /** Set when the last of its versions was listed. */
  markers?: readonly FileEntry[];
}

interface Item {
  readonly file: FileEntry;
  readonly of: OneFile;
}

/** How versions are deleted, and where it is counted. */
export interface VersionDeletion {
  /** What the approval refuses counts as deleted (`--dry-run`). */
  readonly isDry: boolean;
  readonly gone: (file: FileEntry) => void;
}

/**
 * Deletes versions and markers for good, many in one request. A marker is deleted only after all versions below it: no
 * interruption makes an old version current. Errors are counted one by one.
 */
export async function deleteVersions(
  run: Run,
  { can, root }: Remote,
  doomed: AsyncIterable<Doomed>,
  { isDry, gone }: VersionDeletion,
): Promise<void> {
  const pool = createTaskPool(BATCHES_AT_ONCE, 1);
  // One by one if an approval asks about each: an allowed deletion is made, whatever comes after.
  const size = run.approval === undefined ? mostDeleted : 1;
  /** Markers whose versions are gone. */
  let ready: Item[] = [];
  let batch: Item[] = [];

  const aboutOf = (file: FileEntry) => `${joinPath(root, file.path)} (${shownId(file)})`;
  const mayGo = async (file: FileEntry) => {
    const about = aboutOf(file);
    try {
      return await run.mayChange({ do: 'other', words: 'delete', about, size: file.size });
    } catch (thrown) {
      run.fail(thrown, about, 'delete');
      return undefined;
    }
  };
  const ended = ({ file, of }: Item, isGone: boolean) => {
    of.isWhole &&= isGone;
    of.running--;
    if (isGone) gone(file);
    hide(of);
  };
  const hide = (of: OneFile) => {
    if (of.running > 0 || !of.isWhole) return;
    const { markers = [] } = of;
    of.markers = [];
    of.running += markers.length;
    ready.push(...markers.map((file) => ({ file, of })));
  };
  const remove = async (items: readonly Item[]) => {
    const agreed: Item[] = [];
    for (const item of items) {
      const may = await mayGo(item.file);
      if (may === true) agreed.push(item);
      else ended(item, isDry && may === false);
    }
    if (agreed.length === 0) return;
    const files = agreed.map(({ file }) => file);
    const failures = await can.deleteKept?.(files, run.op).catch((thrown) => {
      return new Map(files.map((file) => [file, thrown]));
    });
    for (const item of agreed) {
      const failure = failures?.get(item.file);
      const about = aboutOf(item.file);
      if (failure !== undefined) run.fail(failure, about, 'delete');
      else run.log('info', about, 'message', { text: 'Deleted' });
      ended(item, failure === undefined);
    }
  };
  const flush = async () => {
    const items = batch;
    batch = [];
    if (items.length > 0) await pool.add(() => remove(items));
  };
  const add = async (item: Item) => {
    batch.push(item);
    if (batch.length >= size) await flush();
  };
  const addReady = async () => {
    const items = ready;
    ready = [];
    for (const item of items) await add(item);
  };

  let of: OneFile = { running: 0, isWhole: true };
  for await (const one of doomed) {
    if (ready.length > 0) await addReady();
    if ('version' in one) {
      of.running++;
      await add({ file: one.version, of });
      continue;
    }
    of.markers = one.markers;
    hide(of);
    of = { running: 0, isWhole: true };
  }
  await flush();
  await pool.idle();
  await addReady();
  await flush();
  await pool.idle();
}

/** The server's name of a version, without the key. */
export function shownId({ kept }: FileEntry): string {
  return kept?.id.split('\n', 1)[0] ?? '';
}

import { alike, around } from '../core/around.ts';
import { membersOf } from '../core/members.ts';
import { isOwnEntry, isTrashDir, isTrialEntry, type ShownEntry } from '../core/own-names.ts';
import type { FailedEntry, Page, Remote } from '../core/remote.ts';
import { mapPages } from '../core/remote-calls.ts';
import { parentPath } from '../core/remote-path.ts';

/** Remotes by the layer that hides own names. */
const shown = new WeakMap<Remote, Remote>();
/** The layers that show trial files, by those that hide them too. */
const withTrials = new WeakMap<Remote, Remote>();

/**
 * The remote without the entries of `OWN_NAMES` in its listings, and without what interrupted runs left: trial files
 * (`TRIAL_NAME`), and on a drive what `cleanUp` deletes or restores. `stat`, `read` and `write` reach them by their paths;
 * what reports the use of space (`listUsage`, `listKept`) has them, and `purge` deletes them with the rest.
 */
export function hideOwnNames(inner: Remote): Remote {
  const isDrive = inner.can.place?.kind === 'drive';
  // An unfinished copy, and a file that another one was replacing.
  const leftName = /(?:^|[./])syncer-[0-9a-f]{12}\.(?:copy|tmp)$/;
  const isLeft: Hides = ({ kind, path }) => isDrive && kind === 'file' && leftName.test(path);
  const outer = hiding(inner, (entry) => isTrialEntry(entry) || isLeft(entry));
  withTrials.set(outer, hiding(inner, isLeft));
  return outer;
}

/** The remote with trial files, for a walk that deletes those of killed runs. */
export const showTrialFiles = (remote: Remote): Remote => withTrials.get(remote) ?? remote;

function hiding(inner: Remote, isLeft: Hides): Remote {
  const hides: Hides = (entry) =>
    entry.path.includes('syncer-') && (isOwnEntry(entry) || isLeft(entry));
  const outer = around(inner, 'own-names', {
    // Paths reach them.
    ...alike(membersOf('says', 'reads', 'changes'), 'passes'),
    // These report the use of space.
    ...alike(['listUsage', 'takeUsage', 'listKept', 'listUploads', 'listVersions'], 'passes'),
    listPage: () => async (dir, cursor, op) =>
      without(await inner.listPage(dir, cursor, op), hides),
    listTreePage: (listTreePage) => async (dir, cursor, op, range) =>
      without(await listTreePage(dir, cursor, op, range), below(dir, hides)),
    listTreeUnordered: (listTreeUnordered) =>
      async function* (dir, atOnce, op) {
        const hidden = below(dir, hides);
        for await (const entries of listTreeUnordered(dir, atOnce, op))
          yield without({ entries }, hidden).entries;
      },
    listDirs: (listDirs) => async (op) => {
      const dirs = await listDirs(op);
      if (dirs === undefined) return undefined;
      const left = mapPages(dirs, (page) => without(page, hides));
      return left === dirs ? dirs : new Map([...left].filter(([dir]) => !isTrashDir(dir)));
    },
    watch: (watch) => (plan, op) =>
      watch({ ...plan, keepDir: (dir) => !isTrashDir(dir) && plan.keepDir(dir) }, op),
  });
  shown.set(outer, inner);
  return outer;
}

/** The remote with the entries that `hideOwnNames` hides. */
export const showOwnNames = (remote: Remote): Remote => shown.get(remote) ?? remote;

type Hides = (entry: ShownEntry) => boolean;

/** Own entries, and what is in a trash, below `dir`, which may be one itself. */
function below(dir: string, isHidden: Hides): Hides {
  return (entry) => {
    const { path } = entry;
    if (!path.includes('syncer-') || path === dir) return false;
    return isHidden(entry) || isTrashDir(parentPath(path).slice(dir.length));
  };
}

/** The page itself if it has none of them. */
function without(page: Page, hides: Hides): Page {
  const { entries, failed = [] } = page;
  const isFailed = ({ kind, path }: FailedEntry) => hides({ kind: kind ?? 'file', path });
  if (!entries.some(hides) && !failed.some(isFailed)) return page;
  const left = failed.filter((entry) => !isFailed(entry));
  return {
    ...page,
    entries: entries.filter((entry) => !hides(entry)),
    ...(page.failed === undefined ? {} : { failed: left }),
  };
}

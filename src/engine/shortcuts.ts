import { around } from '../core/around.ts';
import { hasCode } from '../core/errors.ts';
import type { Entry, Remote } from '../core/remote.ts';
import { isWithin } from '../core/remote-path.ts';
import type { Filter } from '../filter/filter.ts';
import { perform } from './perform.ts';
import type { Run } from './run.ts';
import { exceptDirectories } from './tree-listed.ts';

/**
 * The remote, whose shortcuts to directories elsewhere look empty: for runs that delete what they list. What a shortcut
 * leads to belongs to others. Logs each that is not listed.
 */
export function leaveShortcuts(remote: Remote, { log }: Pick<Run, 'log'>): Remote {
  const left = new Set<string>();
  return hideShortcuts(remote, new Set(), (dir) => {
    if (!left.has(dir)) log('notice', dir, 'shortcut-left');
    left.add(dir);
  });
}

/**
 * The same with the caller's own set.
 * @param found gets each shortcut that is listed; those in it look empty
 */
export function hideShortcuts(
  remote: Remote,
  found: Set<string>,
  onHidden: (dir: string) => void = () => {},
): Remote {
  if (remote.can.deleteShortcut === undefined) return remote;
  const look = (entries: readonly Entry[]) => {
    for (const entry of entries)
      if (entry.kind === 'dir' && entry.isShortcut === true) found.add(entry.path);
  };
  return around(remote, 'shortcuts', {
    // What has shortcuts has no other listing but `listDirs`.
    ...exceptDirectories(),
    listPage: (listPage) => async (dir, cursor, op) => {
      if (dir !== '' && found.has(dir)) {
        onHidden(dir);
        return { entries: [] };
      }
      const page = await listPage(dir, cursor, op);
      look(page.entries);
      return page;
    },
    listDirs: (listDirs) => async (op) => {
      const dirs = await listDirs(op);
      for (const { entries } of dirs?.values() ?? []) look(entries);
      return dirs;
    },
  });
}

/** Whether a filter lets everything below a directory through. */
const passesWhole = ({ passesAll, maxDepth }: Filter): boolean => passesAll && maxDepth < 0;

/**
 * Deletes shortcuts whose whole directory is gone on the other side, and nothing that they lead to; one of which a
 * filter may hide a part stays. Errors are counted. Resolves to those that are gone, or would be.
 */
export async function deleteShortcuts(
  run: Run,
  remote: Remote,
  shortcuts: readonly string[],
  filter: Filter,
): Promise<readonly string[]> {
  const gone: string[] = [];
  const { title } = remote;
  for (const path of shortcuts) {
    if (run.op.signal.aborted || run.isStopping()) break;
    if (!passesWhole(filter)) {
      run.log('notice', path, 'shortcut-left');
      continue;
    }
    try {
      const done = await perform(run, remote, { do: 'remove-dir', path, title, isShortcut: true });
      if (done !== undefined) gone.push(path);
    } catch (thrown) {
      if (!hasCode(thrown, 'directory-not-found')) run.fail(thrown, path, 'remove-directory');
    }
  }
  return gone;
}

/** The shortcut that a path is in, if any. */
export function shortcutOf(path: string, shortcuts: Iterable<string>): string | undefined {
  for (const shortcut of shortcuts) if (isWithin(shortcut, path)) return shortcut;
  return undefined;
}

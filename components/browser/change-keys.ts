import type { TransferVerb } from '../../src/size-tree/browser-effects.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import { row } from '../../src/terminal/key-table.ts';
import type { Browser } from './browser.ts';
import { askWhereTo, download } from './change-entries.ts';
import { askToDelete } from './delete-entries.ts';
import { infoPage } from './entry-pages.ts';
import { openEntry, openShell } from './open-entry.ts';
import type { PageRule } from './page.ts';
import { askMakeDir, askRename, askUpload } from './place-entries.ts';
import type { RangeMark } from './range-mark.ts';
import { tasksPage } from './tasks-page.tsx';
import { openTrash } from './trash-page.tsx';
import { askUndo } from './undo-task.ts';

/** The keys that delete, copy and move. */
export function changeKeys(
  browser: Browser,
  range: RangeMark,
  chosen: () => readonly NodeId[],
): readonly PageRule[] {
  const { marks } = browser;
  const deleteOne = onCurrent(browser, (node) => askToDelete(browser, [node]));
  const deleteMarked = () => {
    range.end();
    askToDelete(browser, marks.topmost());
  };
  const send = (verb: TransferVerb) => () => askWhereTo(browser, verb, chosen());
  const which = 'the marked entries (or this one)';
  return [
    row('d', 'delete', 'delete this entry (asks first); also Del', deleteOne, { also: 'Del' }),
    row('D', 'delete marked', 'delete the marked entries (asks first)', deleteMarked),
    row('p', 'copy to', `copy ${which} to another remote or directory`, send('copy')),
    row('P', 'move to', `move ${which} to another remote or directory`, send('move')),
    row('w', 'download', `download ${which} to the working directory`, () =>
      download(browser, chosen()),
    ),
    row(
      'z',
      'undo',
      'undo the last deletion, copy, move, renaming or upload (asks first); again: the one before',
      () => askUndo(browser),
    ),
    row('K', 'trash', 'show the trash: restore what was deleted, or delete it for good', () =>
      openTrash(browser),
    ),
    row('T', 'tasks', 'show running, queued and failed tasks: cancel, retry', () =>
      browser.open(tasksPage(browser)),
    ),
  ];
}

/** The keys that rename, create, upload, and open other programs. */
export function placeKeys(browser: Browser): readonly PageRule[] {
  const rename = onCurrent(browser, (node) => askRename(browser, node));
  const open = (kind: 'pager' | 'editor') =>
    onCurrent(browser, (node) => openEntry(browser, node, kind));
  return [
    row('R', 'rename', 'rename this entry', rename),
    row('N', 'new directory', 'create a directory here (a bucket at the top of S3)', () =>
      askMakeDir(browser),
    ),
    row('W', 'upload', 'upload a file or directory to here (asks first)', () => askUpload(browser)),
    row('o', 'open', 'open the file in $PAGER', open('pager')),
    row('O', 'edit', 'edit the file in $EDITOR; asks before a change is uploaded', open('editor')),
    row('!', 'shell', 'run a shell here; for a remote with SYNCER_REMOTE set', () =>
      openShell(browser),
    ),
  ];
}

/**
 * The keys that mark, delete and look at entries of a list without all keys of the browser. @param next to the next entry
 *
 * @param on runs an act with the entry under the cursor, if there is one
 */
export function entryKeys(
  browser: Browser,
  hasEntry: boolean,
  on: (act: (node: NodeId) => void) => () => void,
  next: () => void,
): readonly PageRule[] {
  const { marks } = browser;
  const short = (keys: string) => ({ short: hasEntry ? keys : '' });
  const mark = (name: string) => {
    on((node) => marks.toggle(node))();
    if (name === 'Space') next();
  };
  const remove = on((node) => askToDelete(browser, [node]));
  const info = on((node) => browser.open(infoPage(browser, node)));
  return [
    row('v Space', 'mark', '', mark, short('v')),
    row('d', 'delete', '', remove, short('d')),
    row('D', 'delete marked', '', () => askToDelete(browser, marks.topmost()), {
      short: marks.size === 0 ? '' : 'D',
    }),
    row('i', 'info', '', info, short('i')),
  ];
}

/** Does something with the entry under the cursor, or says that there is none. */
export function onCurrent(browser: Browser, act: (node: NodeId, name: string) => void) {
  return (name: string) => {
    const { current } = browser.rows;
    if (current !== undefined) act(current, name);
    else browser.tell('there is no entry here');
  };
}

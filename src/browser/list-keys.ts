import { harmless } from '../core/harmless.ts';
import type { KeyHint } from '../screen/key-table.ts';
import { stepOf } from '../screen/list-keys.ts';
import { type EditedText, editByKey, editText } from '../screen/text-edit.ts';
import type { NodeId } from '../size-tree/node.ts';
import { basketPage } from './basket-page.ts';
import type { Browser } from './browser.ts';
import { askToDelete } from './delete-entries.ts';
import { infoPage, joinTitle, viewPage } from './entry-pages.ts';
import type { PageRule } from './frame.ts';
import { errorsPage, helpPage } from './list-texts.ts';
import type { RangeMark } from './range-mark.ts';
import { settingKeys } from './setting-keys.ts';
import { tasksPage } from './tasks-page.ts';
import { askWhereTo, download } from './transfer-entries.ts';

/** The list of a directory, as its keys change it. */
export interface EntryList {
  readonly browser: Browser;
  readonly range: RangeMark;
  /** The filter while it is typed. */
  typing: EditedText | undefined;
  rowsShown: number;
}

/** The keys of the list, in the order of the help. */
export function listKeys(list: EntryList): readonly PageRule[] {
  const { browser } = list;
  return [
    ...walkKeys(list),
    {
      keys: '/',
      does: 'filter',
      more: 'show only names that contain a text; Esc clears it',
      run() {
        list.typing = editText(browser.rows.filter);
      },
    },
    ...settingKeys(browser),
    ...markKeys(list),
    ...changeKeys(list),
    ...infoKeys(list),
    {
      keys: 'r',
      does: 'rescan',
      more: 'rescan this directory',
      run: () => browser.rescan(browser.rows.dir),
    },
    {
      keys: 'x',
      short: '',
      does: 'stop scan',
      more: 'stop the scan; r rescans a directory',
      run: () => browser.stopScan(),
    },
    {
      keys: '^L',
      short: '',
      does: 'redraw',
      more: 'redraw the screen',
      run: () => browser.redraw(),
    },
    {
      keys: 'Esc',
      short: '',
      does: 'back',
      more: 'clear the filter or end the range, else go up',
      run: () => goBack(list),
    },
    { keys: 'q', does: 'quit', more: 'quit; Ctrl-C quits immediately', run: () => browser.leave() },
    {
      keys: '?',
      does: 'help',
      more: 'show this page',
      run: () => browser.open(helpPage(browser, listKeys(list))),
    },
  ];
}

/** The footer of the list, the most important first. */
export function listFooter(rules: readonly PageRule[]): readonly KeyHint[] {
  const first = ['?', 'q', '↑', '→', '←', 'd', 'v', '/', 'i', 's', 'r', 'b', 't'];
  return first.flatMap((name) => rules.find(({ keys }) => keys.startsWith(name)) ?? []);
}

/** The keys while the filter is typed. */
export function filterKeys(list: EntryList): readonly PageRule[] {
  const { rows } = list.browser;
  const move = (name: string) => moveOn(list, name);
  return [
    {
      keys: 'Enter',
      does: 'keep',
      run() {
        list.typing = undefined;
      },
    },
    {
      keys: 'Esc',
      does: 'show all',
      run() {
        list.typing = undefined;
        rows.setFilter('');
      },
    },
    { keys: '↑↓', also: 'PgUp PgDn', does: 'move', more: 'move; also PgUp and PgDn', run: move },
    {
      keys: 'any key',
      does: '',
      run(_, key) {
        list.typing = list.typing && (editByKey(list.typing, key) ?? list.typing);
        rows.setFilter(list.typing?.text ?? '');
      },
    },
  ];
}

function walkKeys(list: EntryList): readonly PageRule[] {
  const { browser } = list;
  const move = (name: string) => moveOn(list, name);
  const open = (node: NodeId) => {
    if (browser.tree.isDir(node)) enter(list, node);
    else browser.open(viewPage(browser, node));
  };
  return [
    { keys: '↑ ↓  k j', short: '↑↓', does: 'move', more: 'move up and down', run: move },
    {
      keys: '→ Enter l',
      short: '→',
      does: 'open',
      more: 'open a directory; view a file',
      run: () => onCurrent(browser, open),
    },
    {
      keys: '← h',
      also: 'Backspace',
      short: '←',
      does: 'up',
      more: 'go to the parent directory; also Backspace',
      run: () => goUp(list),
    },
    {
      keys: 'PgUp PgDn',
      also: 'Home End',
      short: '',
      does: 'page',
      more: 'move a page; Home and End go to the first and last',
      run: move,
    },
  ];
}

function markKeys({ browser, range }: EntryList): readonly PageRule[] {
  const { marks, rows } = browser;
  const mark = (node: NodeId, name: string) => {
    if (name === 'v' && range.isOn) range.end();
    else marks.toggle(node);
    if (name === 'Space') rows.move(1);
  };
  return [
    {
      keys: 'v Space',
      short: 'v',
      does: 'mark',
      more: 'mark or unmark; Space also moves down',
      run: (name) => onCurrent(browser, (node) => mark(node, name)),
    },
    {
      keys: 'V',
      short: '',
      does: 'mark range',
      more: 'mark a range: move the cursor, press V again to end',
      run: () => onCurrent(browser, () => (range.isOn ? range.end() : range.begin())),
    },
    {
      keys: 'U',
      short: '',
      does: 'unmark all',
      more: 'clear all marks',
      run: () => marks.clear(),
    },
    {
      keys: 'b',
      does: 'basket',
      more: 'show all marked entries',
      run: () => browser.open(basketPage(browser)),
    },
  ];
}

function changeKeys({ browser, range }: EntryList): readonly PageRule[] {
  const { marks, rows } = browser;
  const chosen = () => {
    range.end();
    if (marks.size > 0) return marks.topmost();
    return rows.current === undefined ? [] : [rows.current];
  };
  return [
    {
      keys: 'd',
      also: 'Del',
      does: 'delete',
      more: 'delete this entry (asks first); also Del',
      run: () => onCurrent(browser, (node) => askToDelete(browser, [node])),
    },
    {
      keys: 'D',
      short: '',
      does: 'delete marked',
      more: 'delete the marked entries (asks first)',
      run() {
        range.end();
        askToDelete(browser, marks.topmost());
      },
    },
    {
      keys: 'p',
      short: '',
      does: 'copy to',
      more: 'copy the marked entries (or this one) to another remote or directory',
      run: () => askWhereTo(browser, 'copy', chosen()),
    },
    {
      keys: 'R',
      short: '',
      does: 'move to',
      more: 'move the marked entries (or this one) to another remote or directory',
      run: () => askWhereTo(browser, 'move', chosen()),
    },
    {
      keys: 'w',
      short: '',
      does: 'download',
      more: 'download the marked entries (or this one) to the working directory',
      run: () => download(browser, chosen()),
    },
    {
      keys: 't',
      does: 'tasks',
      more: 'show running, queued and failed tasks: cancel, retry',
      run: () => browser.open(tasksPage(browser)),
    },
  ];
}

function infoKeys(list: EntryList): readonly PageRule[] {
  const { browser } = list;
  const { tree } = browser;
  const pathOf = (node: NodeId) => joinTitle(browser.title, tree.path(node));
  const preview = (node: NodeId) =>
    tree.isDir(node) ? enter(list, node) : browser.open(viewPage(browser, node));
  const copyPath = (node: NodeId) => {
    browser.effects.copyText(pathOf(node));
    browser.tell(`copied: ${harmless(pathOf(node))}`, 'good');
  };
  return [
    {
      keys: 'i',
      does: 'info',
      more: 'show all details: hashes, metadata, storage class',
      run: () => onCurrent(browser, (node) => browser.open(infoPage(browser, node))),
    },
    {
      keys: 'o',
      short: '',
      does: 'preview',
      more: 'preview the file as text or hex',
      run: () => onCurrent(browser, preview),
    },
    {
      keys: 'y',
      short: '',
      does: 'copy path',
      more: "copy the path to the terminal's clipboard",
      run: () => onCurrent(browser, copyPath),
    },
    {
      keys: 'Y',
      short: '',
      does: 'show path',
      more: 'show the full path',
      run: () => onCurrent(browser, (node) => browser.tell(harmless(pathOf(node)))),
    },
    {
      keys: 'e',
      short: '',
      does: 'errors',
      more: 'show directories that could not be listed, and why',
      run: () => browser.open(errorsPage(browser)),
    },
  ];
}

function onCurrent({ rows }: Browser, act: (node: NodeId) => void): void {
  if (rows.current !== undefined) act(rows.current);
}

function moveOn({ browser: { rows }, range, rowsShown }: EntryList, name: string): void {
  const all = rows.rows.length;
  rows.move(Math.max(-all, Math.min(all, stepOf(name, rowsShown))));
  range.follow();
}

function enter({ browser, range }: EntryList, dir: NodeId): void {
  range.end();
  browser.rows.open(dir);
}

function goUp({ browser, range }: EntryList): void {
  const { rows, tree } = browser;
  const parent = tree.parent(rows.dir);
  if (parent === -1) {
    browser.tell('top level; q quits');
    return;
  }
  range.end();
  rows.open(parent, rows.dir);
}

function goBack(list: EntryList): void {
  const { browser, range } = list;
  if (range.isOn) range.cancel();
  else if (browser.rows.filter !== '') browser.rows.setFilter('');
  else goUp(list);
}

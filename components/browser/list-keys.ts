import { toSyncerError } from '../../src/core/errors.ts';
import { harmless } from '../../src/core/shown-text.ts';
import { Costs } from '../../src/size-tree/costs.ts';
import { keptPath } from '../../src/size-tree/kept-name.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import type { SortBy, SortOrder } from '../../src/size-tree/sort-order.ts';
import type { FrameField } from '../../src/terminal/field-line.ts';
import { row, typing } from '../../src/terminal/key-table.ts';
import { editByKey, editText } from '../../src/terminal/text-edit.ts';
import { basketPage } from './basket-page.tsx';
import type { Browser, BrowserSides } from './browser.ts';
import { type BrowserSettings, GRAPHS, TIMES } from './browser-settings.ts';
import { changeKeys, onCurrent, placeKeys } from './change-keys.ts';
import { changesPage } from './changes-page.tsx';
import { infoPage, joinTitle, viewPage } from './entry-pages.ts';
import { askText } from './field-page.tsx';
import { errorsPage, signLines } from './list-texts.ts';
import { HELPS, type PageRule } from './page.ts';
import { findPage } from './path-list.tsx';
import type { RangeMark } from './range-mark.ts';
import { fileViewPage } from './views-page.tsx';

/** The list of a directory, as its keys change it. */
export interface EntryList {
  readonly browser: Browser;
  readonly range: RangeMark;
  /** A text that changes what is listed while it is typed; `''` with Esc. */
  typing: (FrameField & { readonly set: (text: string) => void }) | undefined;
}

/** The keys of the list, in the order of the help. */
export function listKeys(list: EntryList): readonly PageRule[] {
  const { browser } = list;
  return [
    ...walkKeys(list),
    ...(browser.sides?.isPair()
      ? [row('Tab', 'other side', 'go to the other side', browser.sides.switchTo)]
      : []),
    row('/', 'filter', 'show only names that contain a text; Esc clears it', () => {
      const set = (text: string) => browser.rows.setFilter(text);
      list.typing = { label: '/', edited: editText(browser.rows.filter), set };
    }),
    row('F', 'find', 'find in the whole scan: letters of a path, the best match first', () =>
      browser.open(findPage(browser)),
    ),
    row('L', 'views', 'largest files; files by extension and age; duplicates', () =>
      browser.open(fileViewPage(browser)),
    ),
    ...settingKeys(list),
    ...markKeys(list),
    ...changeKeys(browser, list.range, () => chosenIn(list)),
    ...placeKeys(browser),
    ...(browser.sides === undefined ? [] : [sideKey(browser, browser.sides)]),
    ...infoKeys(browser),
    row('r', 'rescan', 'rescan this directory', () => browser.rescan(browser.rows.dir)),
    row('b', 'changes', 'show what has changed since a saved scan', () =>
      browser.open(changesPage(browser)),
    ),
    row('x', 'stop scan', 'stop the scan; r rescans a directory', () => browser.stopScan()),
    // The screen does it.
    row('^L', 'redraw', 'redraw the screen', () => {}),
    row('Esc', 'back', 'clear the filter or end the range, else go up', () => {
      if (list.range.isOn) list.range.cancel();
      else if (browser.rows.filter !== '') browser.rows.setFilter('');
      else goUp(list);
    }),
    row('q', 'quit', 'quit; asks first if tasks are running', () => browser.leave()),
    HELPS[0],
    { ...HELPS[1], below: signLines(browser) },
  ];
}

function sideKey(browser: Browser, sides: BrowserSides): PageRule {
  if (sides.isPair()) return row('|', 'close side', 'close the other side', sides.closeOther);
  const more = 'open a second side, to copy and move across (asks for its path)';
  return row('|', 'second side', more, () =>
    askText(browser, {
      subject: 'second side',
      does: 'open',
      label: 'open:',
      placeholder: 'remote:path',
      about: 'Open a remote or a directory beside this one: copy and move across.',
      note: '| closes the other side again.',
      onText: sides.open,
    }),
  );
}

/** The footer of the list, the most important first. */
export function listFooter(rules: readonly PageRule[]): readonly PageRule[] {
  const first = ['?', 'q', 'Tab', '↑', '→', '←', 'd', 'v', '/', 'F', 'L', 'i', 's', 'r', 'B', 'T'];
  return first.flatMap((name) => rules.find(({ keys }) => keys.startsWith(name)) ?? []);
}

/** The keys while the filter is typed. */
export function filterKeys(list: EntryList): readonly PageRule[] {
  const move = (name: string) => list.browser.rows.follow(name);
  return [
    row('Enter', 'keep', '', () => {
      list.typing = undefined;
    }),
    row('Esc', 'show all', '', () => {
      list.typing?.set('');
      list.typing = undefined;
    }),
    row('↑↓', 'move', 'move; also PgUp and PgDn', move, { also: 'PgUp PgDn' }),
    typing((_, key) => {
      if (list.typing === undefined) return;
      const edited = editByKey(list.typing.edited, key) ?? list.typing.edited;
      list.typing = { ...list.typing, edited };
      list.typing.set(edited.text);
    }),
  ];
}

function walkKeys(list: EntryList): readonly PageRule[] {
  const { browser } = list;
  const move = (name: string) => browser.rows.follow(name);
  const open = (node: NodeId) => {
    if (!browser.tree.isDir(node)) return browser.open(viewPage(browser, node));
    list.range.end();
    browser.rows.open(node);
  };
  return [
    row('↑ ↓  k j', 'move', 'move up and down', move, { short: '↑↓' }),
    row('→ Enter l', 'open', 'open a directory; view a file', onCurrent(browser, open), {
      short: '→',
    }),
    row('← h', 'up', 'go to the parent directory; also Backspace', () => goUp(list), {
      also: 'Backspace',
      short: '←',
    }),
    row('PgUp PgDn', 'page', 'move a page; Home and End (or G) go to the first and last', move, {
      also: 'Home End G',
    }),
  ];
}

function markKeys(list: EntryList): readonly PageRule[] {
  const { browser, range } = list;
  const { marks, rows } = browser;
  const mark = (node: NodeId, name: string) => {
    if (name === 'v' && range.isOn) range.end();
    else marks.toggle(node);
    if (name === 'Space') rows.move(1);
  };
  const excluding = 'leave this entry (or the marked ones) out of all sums; again: count it';
  const exclude = () => {
    const nodes = chosenIn(list);
    if (nodes.length === 0) return;
    setExcluded(browser, nodes, !nodes.every((node) => browser.tree.isExcluded(node)));
    marks.clear();
  };
  const markRange = onCurrent(browser, () => (range.isOn ? range.end() : range.begin()));
  return [
    row('v Space', 'mark', 'mark or unmark; Space also moves down', onCurrent(browser, mark), {
      short: 'v',
    }),
    row('X', 'exclude', excluding, exclude),
    row('I', 'include all', 'count all excluded entries again', () => {
      const { excluded } = browser.tree;
      if (excluded.size === 0) browser.tell('nothing is excluded: X excludes an entry');
      setExcluded(browser, [...excluded], false);
    }),
    row('V', 'mark range', 'mark a range: move the cursor, press V again to end', markRange),
    row('U', 'unmark all', 'clear all marks', () => marks.clear()),
    row('B', 'basket', 'show all marked entries', () => browser.open(basketPage(browser))),
  ];
}

function setExcluded({ tree, rows }: Browser, nodes: readonly NodeId[], isExcluded: boolean): void {
  for (const node of nodes) tree.setExcluded(node, isExcluded);
  rows.hold();
  rows.refresh(true);
}

/** The marked entries, or the one under the cursor. */
function chosenIn({ browser: { marks, rows }, range }: EntryList): readonly NodeId[] {
  range.end();
  if (marks.size > 0) return marks.topmost();
  return rows.current === undefined ? [] : [rows.current];
}

function infoKeys(browser: Browser): readonly PageRule[] {
  const { tree } = browser;
  const pathOf = (node: NodeId) => joinTitle(browser.title, keptPath(tree, node));
  const copyPath = onCurrent(browser, (node) => {
    // Another command needs its secrets.
    browser.effects.copyText(joinTitle(browser.spec, keptPath(tree, node)));
    browser.tell(`path copied to the clipboard: ${harmless(pathOf(node))}`, 'good');
  });
  const info = onCurrent(browser, (node) => browser.open(infoPage(browser, node)));
  const showPath = onCurrent(browser, (node) => browser.tell(harmless(pathOf(node))));
  return [
    row('i', 'info', 'show all details: hashes, metadata, storage class', info),
    row('y', 'copy path', "copy the path to the terminal's clipboard", copyPath),
    row('Y', 'show path', 'show the full path', showPath),
    row('E', 'errors', 'show directories that could not be listed, and why', () =>
      browser.open(errorsPage(browser)),
    ),
  ];
}

function goUp({ browser, range }: EntryList): void {
  const { rows, tree } = browser;
  const parent = tree.parent(rows.dir);
  if (parent === -1) {
    browser.tell('this is the top');
    return;
  }
  range.end();
  rows.open(parent, rows.dir);
}

function settingKeys(list: EntryList): readonly PageRule[] {
  const { browser } = list;
  const set = (settings: BrowserSettings) => {
    browser.settings = settings;
    browser.rows.setOrder(settings.order);
  };
  const reorder = (order: Partial<SortOrder>) =>
    set({ ...browser.settings, order: { ...browser.settings.order, ...order } });
  const sort = (keys: string, by: SortBy, more: string): PageRule =>
    row(keys, 'sort', more, () => {
      const { order } = browser.settings;
      reorder({ by, reversed: order.by === by && !order.reversed });
    });
  const toggle = (keys: string, name: 'counts' | 'average' | 'human', more: string): PageRule =>
    row(keys, name, more, () => set({ ...browser.settings, [name]: !browser.settings[name] }));
  const hide = () => {
    const edited = editText(browser.settings.order.hiddenNames);
    const set = (hiddenNames: string) => reorder({ hiddenNames });
    list.typing = { label: 'hide names', edited, set };
  };
  const after = <T>(all: readonly T[], one: T) => all[(all.indexOf(one) + 1) % all.length] ?? one;
  return [
    sort('s', 'size', 'sort by size; press again to reverse'),
    sort('n', 'name', 'sort by name'),
    sort('C', 'count', 'sort by number of files'),
    sort('A', 'average', 'sort by average file size'),
    sort('M', 'time', 'sort by modification time (directories: newest file)'),
    row('g', 'graph', 'cycle: bar and percent, bar, percent, none', () =>
      set({ ...browser.settings, graph: after(GRAPHS, browser.settings.graph) }),
    ),
    toggle('c', 'counts', 'show the number of files'),
    row('a', 'disk or length', 'show disk usage or apparent size (on local disks)', () => {
      if (!browser.tree.hasDisk) browser.tell('only local disks have a disk usage; this is bytes');
      else reorder({ isApparent: !browser.settings.order.isApparent });
    }),
    row('e', 'hidden', 'hide names that begin with a dot, and excluded entries, or show them', () =>
      reorder({ hidesDotfiles: !browser.settings.order.hidesDotfiles }),
    ),
    row(
      'H',
      'hide',
      'hide names by pattern (*.o node_modules); they still count in the sums',
      hide,
    ),
    row('t', 'directories', 'show directories before files, or among them', () =>
      reorder({ dirsFirst: !browser.settings.order.dirsFirst }),
    ),
    toggle('Z', 'average', 'show average file sizes'),
    row('m', 'times', 'cycle: modification times, ages, none', () =>
      set({ ...browser.settings, times: after(TIMES, browser.settings.times) }),
    ),
    row('S', 'class', 'show storage classes, and costs per month where there are prices', () => {
      const classes = !browser.settings.classes;
      set({ ...browser.settings, classes });
      if (classes)
        showCosts(browser).catch((thrown) => browser.tell(toSyncerError(thrown).message, 'warn'));
    }),
    row('+', 'growth', 'show what entries have grown by since the last saved scan', () => {
      if (browser.settings.growth !== undefined) set({ ...browser.settings, growth: undefined });
      else browser.showGrowth();
    }),
    toggle('u', 'human', 'show sizes with units or in bytes'),
  ];
}

/** Reads the prices, which may have been edited since. Rejects where they cannot be read. */
async function showCosts(browser: Browser): Promise<void> {
  const { tree, effects } = browser;
  const prices = await effects.prices?.();
  const costs = prices && new Costs(tree, prices, () => browser.nowMs());
  browser.settings = { ...browser.settings, costs };
  const unpriced = costs?.unpriced ?? [];
  if (unpriced.length > 0) {
    browser.tell(`no price for ${unpriced.join(', ')}: directories do not count it`, 'warn');
  } else if (costs === undefined && effects.pricePath?.() !== undefined) {
    browser.tell('no prices yet: ? says how to see costs per month');
  }
}

import { toSyncerError } from '../../src/core/errors.ts';
import { harmless } from '../../src/core/shown-text.ts';
import type { TransferVerb } from '../../src/size-tree/browser-effects.ts';
import { Costs } from '../../src/size-tree/costs.ts';
import { keptPath } from '../../src/size-tree/find-node.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import type { SortBy, SortOrder } from '../../src/size-tree/sort-order.ts';
import type { FrameField } from '../../src/terminal/field-line.ts';
import { helpLines } from '../../src/terminal/help-lines.ts';
import { type KeyHint, type KeyRule, row, typing } from '../../src/terminal/key-table.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { editByKey, editText } from '../../src/terminal/text-edit.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { type Browser, type BrowserSettings, type BrowserSides, GRAPHS, TIMES } from './browser.ts';
import { askWhereTo, download } from './change-entries.ts';
import { changesPage } from './changes-page.tsx';
import { askToDelete } from './delete-entries.ts';
import type { RangeMark } from './dir-rows.ts';
import { infoPage, joinTitle, viewPage } from './entry-pages.ts';
import { type BrowserPage, HELPS, type PageRule } from './page.ts';
import { findPage } from './path-list.tsx';
import { askMakeDir, askRename, askUpload, openEntry, openShell } from './place-entries.ts';
import { askUndo, basketPage, tasksPage } from './tasks-page.tsx';
import { askText, type PageText, textPage } from './text-page.tsx';
import { openTrash } from './trash-page.tsx';
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
  const { sides } = browser;
  const { opens } = actsOf(browser);
  const other = 'open a second side, to copy and move across (asks for its path)';
  return [
    ...walkKeys(list),
    ...(sides?.isPair() ? [row('Tab', 'other side', 'go to the other side', sides.switchTo)] : []),
    row('/', 'filter', 'show only names that contain a text; Esc clears it', () => {
      const set = (text: string) => browser.rows.setFilter(text);
      list.typing = { label: '/', edited: editText(browser.rows.filter), set };
    }),
    row('F', 'find', 'find in the whole scan: letters of a path, the best match first', () =>
      browser.open(findPage(browser)),
    ),
    row('L', 'views', 'largest files; files by extension and age; duplicates', opens(fileViewPage)),
    ...settingKeys(list),
    ...markKeys(list),
    ...changeKeys(list),
    ...(sides === undefined
      ? []
      : sides.isPair()
        ? [row('|', 'close side', 'close the other side', sides.closeOther)]
        : [row('|', 'second side', other, () => askSecondSide(browser, sides))]),
    ...infoKeys(browser),
    row('r', 'rescan', 'rescan this directory', () => browser.rescan(browser.rows.dir)),
    row('b', 'changes', 'show what has changed since a saved scan', opens(changesPage)),
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

/** What keys do: with the browser, with a page of their own, or with the entry under the cursor, if there is one. */
function actsOf(browser: Browser) {
  return {
    on: (act: (browser: Browser) => void) => () => act(browser),
    opens: (page: (browser: Browser) => BrowserPage) => () => browser.open(page(browser)),
    onEntry: (act: (browser: Browser, node: NodeId, name: string) => void) => (name: string) => {
      const { current } = browser.rows;
      if (current !== undefined) act(browser, current, name);
      else browser.tell('there is no entry here');
    },
  };
}

function askSecondSide(browser: Browser, { open }: BrowserSides): void {
  askText(browser, {
    subject: 'second side',
    does: 'open',
    label: 'open:',
    placeholder: 'remote:path',
    about: 'Open a remote or a directory beside this one: copy and move across.',
    note: '| closes the other side again.',
    onText: open,
  });
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
  const open = actsOf(browser).onEntry((_, node) => {
    if (!browser.tree.isDir(node)) return browser.open(viewPage(browser, node));
    list.range.end();
    browser.rows.open(node);
  });
  return [
    row('↑ ↓  k j', 'move', 'move up and down', move, { short: '↑↓' }),
    row('→ Enter l', 'open', 'open a directory; view a file', open, { short: '→' }),
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
  const { opens, onEntry } = actsOf(browser);
  const mark = onEntry((_, node, name) => {
    if (name === 'v' && range.isOn) range.end();
    else marks.toggle(node);
    if (name === 'Space') rows.move(1);
  });
  const excluding = 'leave this entry (or the marked ones) out of all sums; again: count it';
  const markRange = onEntry(() => (range.isOn ? range.end() : range.begin()));
  return [
    row('v Space', 'mark', 'mark or unmark; Space also moves down', mark, { short: 'v' }),
    row('X', 'exclude', excluding, () => {
      const nodes = chosenIn(list);
      if (nodes.length === 0) return;
      setExcluded(browser, nodes, !nodes.every((node) => browser.tree.isExcluded(node)));
      marks.clear();
    }),
    row('I', 'include all', 'count all excluded entries again', () => {
      const { excluded } = browser.tree;
      if (excluded.size === 0) browser.tell('nothing is excluded: X excludes an entry');
      setExcluded(browser, [...excluded], false);
    }),
    row('V', 'mark range', 'mark a range: move the cursor, press V again to end', markRange),
    row('U', 'unmark all', 'clear all marks', () => marks.clear()),
    row('B', 'basket', 'show all marked entries', opens(basketPage)),
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
  const { opens, onEntry } = actsOf(browser);
  const pathOf = (node: NodeId) => harmless(joinTitle(browser.title, keptPath(tree, node)));
  const copyPath = onEntry((_, node) => {
    // Another command needs its secrets.
    browser.effects.copyText(joinTitle(browser.spec, keptPath(tree, node)));
    browser.tell(`path copied to the clipboard: ${pathOf(node)}`, 'good');
  });
  const info = onEntry((_, node) => browser.open(infoPage(browser, node)));
  const showPath = onEntry((_, node) => browser.tell(pathOf(node)));
  return [
    row('i', 'info', 'show all details: hashes, metadata, storage class', info),
    row('y', 'copy path', "copy the path to the terminal's clipboard", copyPath),
    row('Y', 'show path', 'show the full path', showPath),
    row('E', 'errors', 'show directories that could not be listed, and why', opens(errorsPage)),
  ];
}

function goUp({ browser, range }: EntryList) {
  const { rows, tree } = browser;
  const parent = tree.parent(rows.dir);
  if (parent === -1) return browser.tell('this is the top');
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
      () => {
        const edited = editText(browser.settings.order.hiddenNames);
        const set = (hiddenNames: string) => reorder({ hiddenNames });
        list.typing = { label: 'hide names', edited, set };
      },
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

const SIGNS: readonly KeyHint[] = [
  { keys: '!', does: 'could not be listed (E shows why)' },
  { keys: '.', does: 'part of it could not be read' },
  { keys: '?', does: 'not completely scanned yet' },
  { keys: '~', does: 'contains files of unknown size' },
  { keys: '>', does: 'another file system; with -x what is in it is left out' },
  { keys: 'e', does: 'empty' },
  { keys: 'H', does: 'a file with other names (hard links): each directory counts it once' },
  { keys: '<', does: 'excluded: left out of all sums (X counts it again, I all of them)' },
  { keys: '@', does: 'a link or special file: counted, not copied' },
];

/** What they mean in a scan with `--all`. */
const KEPT_SIGNS: readonly KeyHint[] = [
  { keys: 'v', does: 'an old version' },
  { keys: 'x', does: 'a delete marker' },
  { keys: 'u', does: 'the parts of an unfinished upload' },
];

/** What the help of the list says besides its keys. */
function signLines({ tree, effects }: Browser): NonNullable<KeyRule<unknown>['below']> {
  return (columns, look) => {
    const path = effects.pricePath?.();
    const costs = [
      `S shows costs per month if there are prices in ${harmless(path ?? '')}, one in a line: STANDARD = the`,
      'price of a GiB for a month. The line currency = EUR names the currency, and lines below [remote]',
      'are only for this remote.',
    ].join(' ');
    const room = Math.max(12, columns - 2);
    return [
      [span(' ')],
      [span('  Markers', 'section')],
      ...helpLines(tree.hasKept ? [...SIGNS, ...KEPT_SIGNS] : SIGNS, columns, look),
      ...(path === undefined
        ? []
        : [[span(' ')], [span('  Costs', 'section')], ...textLines(`  ${costs}`, room)]),
    ];
  };
}

/** The directories that could not be listed, and why. */
function errorsPage(browser: Browser): BrowserPage {
  const { tree, title } = browser;
  const text: PageText = (columns) => {
    const lines = [...tree.failures()].flatMap(([node, message]): Line[] => {
      const path = tree.path(node);
      const dir = harmless(path === '' ? title : `${path}/`);
      return [[span(`! ${dir}`, 'bad')], ...textLines(`    ${message}`, Math.max(14, columns))];
    });
    return lines.length > 0 ? lines : [[span('  No errors.', 'good')]];
  };
  return textPage(browser, { subject: 'errors', text });
}

/** The keys that delete, copy, move, rename, create and upload entries, and open other programs. */
function changeKeys(list: EntryList): readonly PageRule[] {
  const { browser, range } = list;
  const { on, opens, onEntry } = actsOf(browser);
  const send = (verb: TransferVerb) => () => askWhereTo(browser, verb, chosenIn(list));
  const open = (kind: 'pager' | 'editor') => onEntry((_, node) => openEntry(browser, node, kind));
  const deleteOne = onEntry((_, node) => askToDelete(browser, [node]));
  const undoing =
    'undo the last deletion, copy, move, renaming or upload (asks first); again: the one before';
  const which = 'the marked entries (or this one)';
  return [
    row('d', 'delete', 'delete this entry (asks first); also Del', deleteOne, { also: 'Del' }),
    row('D', 'delete marked', 'delete the marked entries (asks first)', () => {
      range.end();
      askToDelete(browser, browser.marks.topmost());
    }),
    row('p', 'copy to', `copy ${which} to another remote or directory`, send('copy')),
    row('P', 'move to', `move ${which} to another remote or directory`, send('move')),
    row('w', 'download', `download ${which} to the working directory`, () =>
      download(browser, chosenIn(list)),
    ),
    row('z', 'undo', undoing, on(askUndo)),
    row('K', 'trash', 'show the trash: restore what was deleted, or delete it for good', () =>
      openTrash(browser),
    ),
    row('T', 'tasks', 'show running, queued and failed tasks: cancel, retry', opens(tasksPage)),
    row('R', 'rename', 'rename this entry', onEntry(askRename)),
    row(
      'N',
      'new directory',
      'create a directory here (a bucket at the top of S3)',
      on(askMakeDir),
    ),
    row('W', 'upload', 'upload a file or directory to here (asks first)', on(askUpload)),
    row('o', 'open', 'open the file in $PAGER', open('pager')),
    row('O', 'edit', 'edit the file in $EDITOR; asks before a change is uploaded', open('editor')),
    row('!', 'shell', 'run a shell here; for a remote with SYNCER_REMOTE set', on(openShell)),
  ];
}

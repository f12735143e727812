import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import { counted } from '../../src/core/shown-text.ts';
import {
  type FilesBelow,
  type ListedFiles,
  largestBelow,
} from '../../src/size-tree/files-below.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import { block } from '../../src/terminal/bar.ts';
import { fillLeft, lineWidth } from '../../src/terminal/cells.ts';
import { plainSize, shortCount, sizeText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { joinTitle } from './entry-pages.ts';
import { FILE_VIEWS, type ViewGroup } from './file-views.ts';
import { backRow } from './list-texts.ts';
import { type BrowserPage, HELPS, type PageRule } from './page.ts';
import { PathList } from './path-list.tsx';
import { RowList } from './row-list.ts';
import { rowsPage } from './rows.tsx';
import { SlicedResult } from './sliced-result.ts';
import { whileWaiting } from './while-waiting.ts';

const MOST_FILES = 1000;

/** A view of the files below the directory that is shown: the largest ones, or groups. */
export function fileViewPage(browser: Browser, at = 0, dir = browser.rows.dir): BrowserPage {
  const { groups } = FILE_VIEWS[at] ?? {};
  const view: View = { browser, dir, at };
  if (groups === undefined) return filesPage(view);
  return groupsPage(view, () => groups(belowOf(view), Date.now(), browser.contents));
}

/** The largest files, of all or of a group. */
function filesPage(view: View, group?: ViewGroup): BrowserPage {
  const { browser, dir } = view;
  const paths = new PathList(browser, dir);
  const found = new SlicedResult<ListedFiles>(browser, ({ nodes }) => paths.show(nodes));
  const follow = () =>
    found.follow(
      String(browser.settings.order.isApparent),
      () => group?.list(MOST_FILES) ?? largestBelow(belowOf(view), MOST_FILES),
    );
  follow();
  return rowsPage({
    list: paths.list,
    keys: () => [
      ...paths.moveKeys(),
      ...viewKeys(view, () => found.stop(), group === undefined ? 1 : 2),
      ...paths.entryKeys(),
      ...HELPS,
    ],
    view: () => {
      follow();
      const { value, isRunning } = found;
      const name = group === undefined ? '' : `${group.name}, `;
      return {
        ...paths.shown(isRunning ? 'searching' : 'no files'),
        ...aroundView(view, `${name}${counted(value?.total ?? 0, 'file')}`),
      };
    },
  });
}

function groupsPage(view: View, work: () => Generator<void, readonly ViewGroup[]>): BrowserPage {
  const { browser } = view;
  const found = new SlicedResult<readonly ViewGroup[]>(browser);
  let compared = 0;
  const follow = () => found.follow(String(compared), work);
  follow();
  const compare = (unread: readonly NodeId[] | undefined) => {
    if (unread === undefined) {
      browser.tell('only files marked "perhaps" are compared');
      return;
    }
    compareFiles(browser, unread, () => {
      compared++;
      browser.changed();
    });
  };
  const list = new RowList(() => found.value ?? []);
  return rowsPage({
    list,
    keys: (group) => {
      const open = () => group !== undefined && browser.open(filesPage(view, group));
      const hasUnread = list.items.some(({ unread }) => unread !== undefined);
      const more = 'read the files of the group, and compare their contents';
      return [
        row('Enter', 'list', 'list its files, the largest first; also → and l', open, {
          also: '→ l',
        }),
        { ...list.rule(), short: '↑↓' },
        ...(hasUnread ? [row('=', 'compare', more, () => compare(group?.unread))] : []),
        ...viewKeys(view, () => found.stop(), 1),
        ...HELPS,
      ];
    },
    view: () => {
      follow();
      const { items: groups } = list;
      const { human } = browser.settings;
      const largest = Math.max(1, ...groups.slice(0, 1000).map((group) => group.size));
      const whole = groups.reduce((sum, group) => sum + group.size, 0);
      const files = groups.reduce((sum, group) => sum + group.files, 0);
      return {
        ...aroundView(view, `${counted(groups.length, 'group')}, ${counted(files, 'file')}`),
        none: found.isRunning ? 'searching' : 'none',
        lineOf: ({ size, files, name }, { columns, glyphs }) => {
          const percent = whole === 0 ? '-' : `${((100 * size) / whole).toFixed(1)}%`;
          return [
            span(fillLeft(sizeText(size, !human), human ? 9 : 19)),
            span(' '),
            ...(columns >= 60 ? block(size / largest, 10, glyphs) : []),
            span(` ${percent.padStart(6)}`, 'dim'),
            span(fillLeft(shortCount(files), 7), 'dim'),
            span(`  ${name}`),
          ];
        },
      };
    },
  });
}

/** How often it is shown how much was read, in milliseconds. */
const SHOW_MS = 100;

/** Reads files whole, shows how far that is, and says how many of them are equal. */
function compareFiles(browser: Browser, files: readonly NodeId[], onRead: () => void): void {
  const { tree, contents, effects } = browser;
  const all = files.map((node) => ({ node, path: tree.path(node), size: tree.size(node) }));
  const whole = all.reduce((sum, { size }) => sum + size, 0);
  let bytes = 0;
  let nextMs = 0;
  const onBytes = (more: number) => {
    bytes += more;
    if (browser.nowMs() < nextMs) return;
    nextMs = browser.nowMs() + SHOW_MS;
    browser.changed();
  };
  const read = async (path: string, size: number, op: Op) => {
    try {
      return await effects.contentHash(path, size, onBytes, op);
    } catch (thrown) {
      const { code, message } = toSyncerError(thrown);
      throw new SyncerError(code, `cannot compare ${path}: ${message}`, { path, cause: thrown });
    }
  };
  whileWaiting(browser, `comparing ${counted(files.length, 'file')}`, {
    status: () => `${plainSize(bytes)} of ${plainSize(whole)} read`,
    async work(op) {
      const hashes: string[] = [];
      for (const { path, size } of all) hashes.push(await read(path, size, op));
      return hashes;
    },
    onResult(hashes) {
      for (const [at, { node }] of all.entries()) contents.note(tree, node, hashes[at] ?? '');
      onRead();
      const kinds = new Set(hashes).size;
      const text = kinds === 1 ? 'all equal' : kinds < hashes.length ? 'some differ' : 'all differ';
      browser.tell(`${counted(hashes.length, 'file')} compared: ${text}`);
    },
  });
}

interface View {
  readonly browser: Browser;
  readonly dir: NodeId;
  readonly at: number;
}

function belowOf({ browser, dir }: View): FilesBelow {
  return { tree: browser.tree, dir, order: browser.settings.order };
}

function viewKeys({ browser, dir, at }: View, stop: () => void, pages: number) {
  const back = (count: number) => {
    stop();
    browser.back(count);
  };
  const to = (next: number) => {
    back(pages);
    browser.open(fileViewPage(browser, next % FILE_VIEWS.length, dir));
  };
  const names = FILE_VIEWS.map(({ name }) => name).join(', ');
  const rules: readonly PageRule[] = [
    row('L', 'next view', names, () => to(at + 1)),
    row(`1…${FILE_VIEWS.length}`, 'views', names, (name) => to(Number(name) - 1), { short: '' }),
    backRow(() => back(1)),
  ];
  return rules;
}

function aroundView({ browser, dir, at }: View, aside: string) {
  const tabsOf = (isShort: boolean) =>
    FILE_VIEWS.map(({ name }, place) => {
      const isOpen = place === at;
      const label = isShort && !isOpen ? '' : ` ${name}`;
      return span(`  ${place + 1}${label}`, isOpen ? 'accent' : 'dim', isOpen);
    });
  return {
    browser,
    path: joinTitle(browser.title, browser.tree.path(dir)),
    aside,
    status: [span(FILE_VIEWS[at]?.about ?? '', 'dim')],
    // The names of the views, of others only their numbers if there is little room.
    head: ({ columns }: Size) => tabsOf(lineWidth(tabsOf(false)) > columns),
  };
}

import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import { counted, figure, harmless } from '../../src/core/shown-text.ts';
import {
  type DuplicateFiles,
  duplicatesBelow,
  eachFileBelow,
  extensionKey,
  extensionOf,
  extraBytes,
  type FilesBelow,
  type GroupKey,
  type ListedFiles,
  largestBelow,
  type ReadContents,
} from '../../src/size-tree/files-below.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { block } from '../../src/terminal/bar.ts';
import { fillLeft, lineWidth } from '../../src/terminal/cells.ts';
import { plainSize, shortCount, sizeText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { joinTitle } from './entry-pages.ts';
import { type BrowserPage, backRow, HELPS, type PageRule, RowList } from './page.ts';
import { rowsPage } from './page-frame.tsx';
import { PathList, SlicedResult } from './path-list.tsx';
import { whileWaiting } from './text-page.tsx';

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
    if (unread === undefined) return browser.tell('only files marked "perhaps" are compared');
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
        none: found.isRunning ? 'searching' : (FILE_VIEWS[view.at]?.none ?? 'none'),
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

function viewKeys(view: View, stop: () => void, pages: number): readonly PageRule[] {
  const { browser, dir, at } = view;
  const back = (count: number) => {
    stop();
    browser.back(count);
  };
  const to = (next: number) => {
    back(pages);
    browser.open(fileViewPage(browser, next % FILE_VIEWS.length, dir));
  };
  const names = FILE_VIEWS.map(({ name }) => name).join(', ');
  return [
    row('L', 'next view', names, () => to(at + 1)),
    row(`1…${FILE_VIEWS.length}`, 'views', names, (name) => to(Number(name) - 1), { short: '' }),
    backRow(() => back(1)),
  ];
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

/** Files below a directory that come together in one row. */
interface ViewGroup {
  readonly name: string;
  readonly size: number;
  readonly files: number;
  /** Files that are compared when they have been read. */
  readonly unread?: readonly NodeId[];
  /** Its files, the largest first. */
  list(most: number): Generator<void, ListedFiles>;
}

/** All views, in the order of their keys. */
const FILE_VIEWS: readonly {
  /** For the row of views. */
  readonly name: string;
  /** What its rows are, in a sentence. */
  readonly about: string;
  /** What is said where there is none. */
  readonly none?: string;
  /** Where it is no view of groups, the files alone. */
  readonly groups?: (
    below: FilesBelow,
    nowMs: number,
    contents: ReadContents,
  ) => Generator<void, readonly ViewGroup[]>;
}[] = [
  { name: 'largest', about: 'the largest files' },
  {
    name: 'extension',
    about: 'files by extension',
    groups: (below) =>
      grouped(
        below,
        (file) => extensionKey(below.tree, file),
        (key) => (key === '' ? 'no extension' : `.${harmless(extensionOf(key))}`),
      ),
  },
  {
    name: 'age',
    about: 'files by the time since they were modified',
    *groups(below, nowMs) {
      const keyOf = (file: NodeId) => {
        const days = (nowMs - below.tree.timeMs(file)) / DAY_MS;
        if (Number.isNaN(days)) return AGES.length;
        return AGES.findIndex(([, most]) => days < most);
      };
      const groups = yield* grouped(below, keyOf, (at) => AGES[Number(at)]?.[0] ?? 'unknown');
      const place = ({ name }: ViewGroup) => AGES.findIndex(([age]) => age === name) >>> 0;
      return groups.toSorted((a, b) => place(a) - place(b));
    },
  },
  {
    name: 'duplicates',
    about: 'space taken by copies beyond the first; perhaps: same size, = compares contents',
    none: 'none with the same size; below 64 KiB none with the same name, too (other names were not compared)',
    *groups(below, _, contents) {
      const { tree } = below;
      const found = yield* duplicatesBelow(below, contents);
      return found.map((same): ViewGroup => {
        const { nodes, size, by } = same;
        const name = harmless(tree.name(nodes[0] as NodeId));
        // Of old versions only the listing says something.
        const canRead = nodes.every((node) => tree.isCurrent(node));
        return {
          ...((by === 'name' || by === 'size') && canRead ? { unread: nodes } : {}),
          name: `${SIGNS[by]}  ${figure(nodes.length)} × ${plainSize(size)}  ${name}`,
          size: extraBytes(same),
          files: nodes.length,
          *list(most) {
            yield;
            return { nodes: nodes.slice(0, most), total: nodes.length };
          },
        };
      });
    },
  },
  {
    name: 'class',
    about: 'objects by storage class',
    groups: (below) => {
      const { objects } = below.tree;
      const nameOf = (key: GroupKey) => harmless(objects.classes[Number(key)] || 'unknown');
      return grouped(below, (file) => objects.classOf(file), nameOf);
    },
  },
];

const SIGNS: Readonly<Record<DuplicateFiles['by'], string>> = {
  hash: 'same hash',
  name: 'perhaps',
  size: 'perhaps',
  contents: 'equal',
  'name only': 'different',
};

const DAY_MS = 86_400_000;

/** Each age up to its days. */
const AGES: readonly (readonly [name: string, days: number])[] = [
  ['up to a day', 1],
  ['up to a week', 7],
  ['up to a month', 30],
  ['up to 3 months', 91],
  ['up to a year', 365],
  ['up to 2 years', 730],
  ['up to 5 years', 1826],
  ['older', Number.POSITIVE_INFINITY],
];

/** The files below a directory in groups, the largest group first. */
function* grouped(
  below: FilesBelow,
  keyOf: (file: NodeId) => GroupKey,
  nameOf: (key: GroupKey) => string,
): Generator<void, readonly ViewGroup[]> {
  const groups = new Map<GroupKey, { files: number; size: number }>();
  yield* eachFileBelow(below, (file) => {
    const key = keyOf(file);
    let group = groups.get(key);
    if (group === undefined) {
      group = { files: 0, size: 0 };
      groups.set(key, group);
    }
    group.files++;
    group.size += shownSize(below.tree, file, below.order);
  });
  return [...groups]
    .sort(([, a], [, b]) => b.size - a.size || b.files - a.files)
    .map(([key, { files, size }]) => ({
      name: nameOf(key),
      files,
      size,
      list: (most) => largestBelow(below, most, (file) => keyOf(file) === key),
    }));
}

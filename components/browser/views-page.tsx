import type { ReactNode } from 'react';
import { counted } from '../../src/core/counted.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import {
  type FilesBelow,
  type ListedFiles,
  largestBelow,
} from '../../src/size-tree/files-below.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import { block } from '../../src/terminal/bar.ts';
import { fillLeft, lineWidth } from '../../src/terminal/cells.ts';
import { percentText, plainSize, shortCount, sizeText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { joinTitle } from './entry-pages.ts';
import { FILE_VIEWS, type ViewGroup } from './file-views.ts';
import { backRow, withHelp } from './list-texts.ts';
import type { BrowserPage, PageRule } from './page.ts';
import { PageFrame } from './page-frame.tsx';
import { PathList } from './path-list.tsx';
import { RowList, type RowLook, Rows } from './row-list.tsx';
import { SlicedResult } from './sliced-result.ts';
import { whileWaiting } from './while-waiting.ts';

/** Files that a list has. */
const MOST_FILES = 1000;

/** A view of the files below the directory that is shown: the largest ones, or groups. */
export function fileViewPage(browser: Browser, at = 0, dir = browser.rows.dir): BrowserPage {
  const { groups, about } = FILE_VIEWS[at] ?? {};
  const open = (next: number) => browser.open(fileViewPage(browser, next, dir));
  const view: View = { browser, dir, at, about: about ?? '', open };
  if (groups === undefined) return new FilesPage(view);
  return new GroupsPage(view, () => groups(belowOf(view), Date.now(), browser.contents));
}

class FilesPage implements BrowserPage {
  readonly #view: View;
  readonly #group: ViewGroup | undefined;
  readonly #paths: PathList;
  readonly #found: SlicedResult<ListedFiles>;

  constructor(view: View, group?: ViewGroup) {
    this.#view = view;
    this.#group = group;
    this.#paths = new PathList(view.browser, view.dir);
    this.#found = new SlicedResult(view.browser, ({ nodes }) => this.#paths.show(nodes));
    this.#follow();
  }

  keys(): readonly PageRule[] {
    const pages = this.#group === undefined ? 1 : 2;
    return withHelp(this.#view.browser, [
      ...this.#paths.moveKeys(),
      ...viewKeys(this.#view, () => this.#found.stop(), pages),
      ...this.#paths.entryKeys(),
    ]);
  }

  view(): ReactNode {
    this.#follow();
    const { value, isRunning } = this.#found;
    const group = this.#group === undefined ? '' : `${this.#group.name}, `;
    const none = isRunning ? 'searching' : 'no files';
    return viewFrame(
      this.#view,
      this,
      `${group}${counted(value?.total ?? 0, 'file')}`,
      this.#paths.view(none, [], (columns) => tabsLine(this.#view, columns)),
      this.#paths.pane(),
    );
  }

  #follow(): void {
    const { isApparent } = this.#view.browser.settings.order;
    this.#found.follow(
      String(isApparent),
      () => this.#group?.list(MOST_FILES) ?? largestBelow(belowOf(this.#view), MOST_FILES),
    );
  }
}

class GroupsPage implements BrowserPage {
  readonly #view: View;
  readonly #work: () => Generator<void, readonly ViewGroup[]>;
  readonly #groups: SlicedResult<readonly ViewGroup[]>;
  readonly #list = new RowList(() => this.#groups.value ?? []);
  /** How many groups were compared. */
  #compared = 0;

  constructor(view: View, work: () => Generator<void, readonly ViewGroup[]>) {
    this.#view = view;
    this.#work = work;
    this.#groups = new SlicedResult(view.browser);
    this.#groups.follow(String(this.#compared), work);
  }

  keys(): readonly PageRule[] {
    const open = () => {
      const group = this.#list.current;
      if (group !== undefined) this.#view.browser.open(new FilesPage(this.#view, group));
    };
    const hasUnread = this.#groups.value?.some(({ unread }) => unread !== undefined) === true;
    const more = 'read the files of the group, and compare their contents';
    return withHelp(this.#view.browser, [
      row('Enter', 'list', 'list its files, the largest first; also → and l', open, {
        also: '→ l',
      }),
      { ...this.#list.rule(), short: '↑↓' },
      ...(hasUnread ? [row('=', 'compare', more, () => this.#compare())] : []),
      ...viewKeys(this.#view, () => this.#groups.stop(), 1),
    ]);
  }

  #compare(): void {
    const { browser } = this.#view;
    const { unread } = this.#list.current ?? {};
    if (unread === undefined) {
      browser.tell('only files marked "perhaps" are compared');
      return;
    }
    compareFiles(browser, unread, () => {
      this.#compared++;
      browser.changed();
    });
  }

  view(): ReactNode {
    this.#groups.follow(String(this.#compared), this.#work);
    const { value: groups = [], isRunning } = this.#groups;
    const { human } = this.#view.browser.settings;
    const largest = Math.max(1, ...groups.slice(0, 1000).map((group) => group.size));
    const whole = groups.reduce((sum, group) => sum + group.size, 0);
    const files = groups.reduce((sum, group) => sum + group.files, 0);
    const lineOf = (group: ViewGroup, { columns, glyphs }: RowLook) => [
      span(fillLeft(sizeText(group.size, !human), human ? 9 : 19)),
      span(' '),
      ...(columns >= 60 ? block(group.size / largest, 10, glyphs) : []),
      span(` ${percentText(group.size, whole)}`, 'dim'),
      span(fillLeft(shortCount(group.files), 7), 'dim'),
      span(`  ${group.name}`),
    ];
    return viewFrame(
      this.#view,
      this,
      `${counted(groups.length, 'group')}, ${counted(files, 'file')}`,
      <Rows
        list={this.#list}
        head={(columns) => tabsLine(this.#view, columns)}
        none={isRunning ? 'searching' : 'none'}
        lineOf={lineOf}
      />,
    );
  }
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

/** Which view of which directory. */
interface View {
  readonly browser: Browser;
  readonly dir: NodeId;
  readonly at: number;
  readonly about: string;
  /** Opens another view of the directory. */
  readonly open: (at: number) => void;
}

/** Where its files are. */
function belowOf({ browser, dir }: View): FilesBelow {
  return { tree: browser.tree, dir, order: browser.settings.order };
}

/** The keys of all views. */
function viewKeys(
  { browser, at, open }: View,
  stop: () => void,
  pages: number,
): readonly PageRule[] {
  const back = (count: number) => {
    stop();
    browser.back(count);
  };
  const to = (next: number) => {
    back(pages);
    open(next % FILE_VIEWS.length);
  };
  const names = FILE_VIEWS.map(({ name }) => name).join(', ');
  return [
    row('L', 'next view', names, () => to(at + 1)),
    row(`1…${FILE_VIEWS.length}`, 'views', names, (name) => to(Number(name) - 1), { short: '' }),
    backRow(() => back(1)),
  ];
}

/** What is around all views. */
function viewFrame(
  { browser, dir, about }: View,
  page: BrowserPage,
  aside: string,
  list: ReactNode,
  pane?: ReactNode,
) {
  return (
    <PageFrame
      page={page}
      browser={browser}
      path={joinTitle(browser.title, browser.tree.path(dir))}
      aside={aside}
      status={[span(about, 'dim')]}
      pane={pane}
    >
      {list}
    </PageFrame>
  );
}

/** The names of the views, of others only their numbers if there is little room. */
function tabsLine({ at }: View, columns: number): Line {
  const tabsOf = (isShort: boolean) =>
    FILE_VIEWS.map(({ name }, place) => {
      const isOpen = place === at;
      const label = isShort && !isOpen ? '' : ` ${name}`;
      return span(`  ${place + 1}${label}`, isOpen ? 'accent' : 'dim', isOpen);
    });
  return tabsOf(lineWidth(tabsOf(false)) > columns);
}

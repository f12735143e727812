import { lineWidth } from '../screen/cells.ts';
import { row } from '../screen/key-table.ts';
import type { Look } from '../screen/look.ts';
import type { FrameLine } from '../screen/screen-frame.ts';
import { contentRows } from '../screen/screen-layout.ts';
import type { Size } from '../screen/screen-model.ts';
import { span } from '../screen/span.ts';
import type { FilesBelow } from '../size-tree/files-below.ts';
import type { NodeId } from '../size-tree/node.ts';
import type { Browser } from './browser.ts';
import { joinTitle } from './entry-pages.ts';
import { FILE_VIEWS } from './file-views.ts';
import { fittedPath, type PageFrame, type PageRule } from './frame.ts';
import { statusLine } from './status-line.ts';

/** Which view of which directory. */
export interface View {
  readonly browser: Browser;
  readonly dir: NodeId;
  readonly at: number;
  readonly about: string;
  /** Opens another view of the directory. */
  readonly open: (at: number) => void;
}

/** Where its files are. */
export function belowOf({ browser, dir }: View): FilesBelow {
  return { tree: browser.tree, dir, order: browser.settings.order };
}

/** The keys of all views. */
export function viewKeys(
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
    row('Esc', 'back', 'go back; also ←, q and h', () => back(1), { also: '← q h' }),
  ];
}

/** The frame of all views. */
export function viewFrame(
  { browser, dir, at, about }: View,
  aside: string,
  lines: readonly FrameLine[],
  size: Size,
  look: Look,
): PageFrame {
  const { columns } = size;
  const tabsOf = (isShort: boolean) =>
    FILE_VIEWS.map(({ name }, place) => {
      const isOpen = place === at;
      const label = isShort && !isOpen ? '' : ` ${name}`;
      return span(`  ${place + 1}${label}`, isOpen ? 'accent' : 'dim', isOpen);
    });
  const tabs = tabsOf(lineWidth(tabsOf(false)) > columns);
  return {
    subject: fittedPath(joinTitle(browser.title, browser.tree.path(dir)), aside, columns, look),
    aside,
    opens: true,
    lines: [{ line: tabs }, ...lines].slice(0, contentRows(size, 1)),
    status: browser.message ? statusLine(browser, columns, look) : [span(about, 'dim')],
  };
}

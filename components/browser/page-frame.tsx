import { createContext, useContext } from 'react';
import { counted, figure, harmless } from '../../src/core/shown-text.ts';
import { type NodeId, ROOT } from '../../src/size-tree/node.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { cellWidth, cutLeft, fitLine } from '../../src/terminal/cells.ts';
import { durationText, plainSize, shortCount } from '../../src/terminal/figures.ts';
import { fitParts, type LinePart, part } from '../../src/terminal/fit-parts.ts';
import type { Glyphs, Look } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, type Span, span } from '../../src/terminal/span.ts';
import { type ListProps, Menu } from '../ui/list.tsx';
import { Page, type PageProps } from '../ui/page.tsx';
import { useLook, useRoom, useScreen } from '../ui/screen.tsx';
import type { Browser } from './browser.ts';
import type { BrowserPage, PageRule, RowList } from './page.ts';
import { taskText } from './task-queue.ts';

/** Gives the page below what stands around it: the page whose dialog is over it, and which of two sides it is. */
export const AroundContext = createContext<{
  readonly over?: BrowserPage | undefined;
  readonly side?: 'left' | 'right' | undefined;
}>({});

/** What stands around a page. */
interface PageFrameProps extends Omit<PageProps, 'hints'> {
  readonly page: BrowserPage;
  /** A path as the subject: its end, if there is no room for all of it. */
  readonly path?: string;
  /** Gives the page a status: what the last key did, or `status`, or what its browser does. */
  readonly browser?: Browser;
}

/** What stands around the content of a page: title and keys, and the dialog of the page over it. */
export function PageFrame({ page, path, browser, ...props }: PageFrameProps) {
  const { aside = '', subject = '', status, question } = props;
  const look = useLook();
  const { over, side } = useContext(AroundContext);
  const { columns } = useScreen().size;
  const top = over ?? page;
  const room = columns - cellWidth(aside) - TITLE_COLUMNS;
  const end = cutLeft(harmless(path ?? ''), Math.max(0, room), look.glyphs.ellipsis);
  const isOwn = browser === undefined || (status !== undefined && browser.message === undefined);
  return (
    <Page
      {...props}
      subject={path === undefined ? subject : end}
      aside={side === undefined ? aside : `${side}  ${aside}`}
      status={
        isOwn
          ? status && fitLine(status, columns, look.glyphs.ellipsis)
          : statusLine(browser, columns, look)
      }
      question={over?.dialog?.(look) ?? question}
      hints={() => top.footer?.() ?? top.keys()}
    />
  );
}

/** What stands before the path in the first line, and the blank after it. */
const TITLE_COLUMNS = 'syncer ncdu   '.length;

/** The line above the footer: the last key's message, or the scan, the tasks and the marks. */
function statusLine(browser: Browser, columns: number, { glyphs }: Look): Line {
  const { message, marks, tasks } = browser;
  if (message !== undefined)
    return fitLine([span(message.text, message.tone)], columns, glyphs.ellipsis);
  const parts: LinePart[] = [];
  const current = tasks.current ?? tasks.tasks.at(-1);
  if (current !== undefined) {
    const why = ` ${glyphs.separator} T shows why`;
    const tone = current.failed > 0 ? 'bad' : current.state === 'running' ? 'accent' : 'good';
    const more = tasks.unfinished > 1 ? ` (+${figure(tasks.unfinished - 1)} more)` : '';
    parts.push(part(0, taskText(current) + (current.failed > 0 ? why : '') + more, tone));
  }
  if (marks.size > 0) parts.push(part(3, `${figure(marks.size)} marked`, 'warn'));
  const { tree, settings, scan, effects } = browser;
  const excluded = [...tree.excluded];
  const size = excluded.reduce((sum, node) => sum + shownSize(tree, node, settings.order), 0);
  const leftOut = `${figure(excluded.length)} excluded, ${plainSize(size)} (X)`;
  if (excluded.length > 0) parts.push(part(1, leftOut, 'warn'));
  parts.push({ rank: 1, spans: scanPart(browser) });
  const errors = tree.failed(ROOT);
  if (errors > 0) parts.push(part(2, `${counted(errors, 'error')} (E)`, 'bad'));
  const gap = ` ${glyphs.separator} `;
  const line = fitParts(parts, columns, gap);
  const waiting = scan.state === 'running' ? effects.waiting?.() : undefined;
  if (waiting !== undefined) {
    return fitLine([...line, span(gap, 'dim'), span(waiting, 'warn')], columns, glyphs.ellipsis);
  }
  return line.length > 0 ? line : fitLine(parts[0]?.spans ?? [], columns, glyphs.ellipsis);
}

function scanPart(browser: Browser): Span[] {
  const { tree, scan, rows } = browser;
  const { keptAge } = scan;
  const total = figuresOf(browser, ROOT);
  const kept = keptAge === undefined ? '' : `scan of ${keptAge}, `;
  if (scan.state === 'reading') return [span(`Reading the ${kept}${total}`, 'accent')];
  if (scan.state === 'done' && keptAge === undefined) {
    const all = `${total} in ${counted(tree.dirs, 'directory')}`;
    return [span(rows.dir === ROOT ? all : `here ${figuresOf(browser, rows.dir)}; total ${all}`)];
  }
  if (scan.state !== 'running') {
    return [
      span(keptAge === undefined ? `scan stopped: ${total}` : `${kept}r scans again`, 'warn'),
    ];
  }
  const elapsedMs = browser.nowMs() - scan.startedMs;
  const nodes = tree.nodes - scan.nodesBefore;
  const rate = elapsedMs < 500 ? '' : `, ${shortCount((1000 * nodes) / elapsedMs)}/s`;
  const where = scan.path === '' ? 'Scanning' : `Scanning ${scan.path}`;
  const found = `${figuresOf(browser, scan.into)}${rate}, ${durationText(elapsedMs)}`;
  if (keptAge !== undefined) {
    return [span(kept, 'warn'), span('scanning again: ', 'accent'), span(found)];
  }
  return [span(`${where}: `, 'accent'), span(found)];
}

function figuresOf({ tree, settings }: Browser, dir: NodeId): string {
  const { order } = settings;
  const kind = tree.hasDisk ? (order.isApparent ? ' apparent size' : ' on disk') : '';
  return `${counted(tree.files(dir), 'file')}, ${plainSize(shownSize(tree, dir, order))}${kind}`;
}

export interface RowLook {
  readonly at: number;
  readonly isMarked: boolean;
  readonly columns: number;
  readonly glyphs: Glyphs;
}

export interface RowsShown<Item> {
  readonly head?: ((room: Size) => Line | undefined) | undefined;
  /** Stands where there are no items. */
  readonly none?: string | Line | undefined;
  /** What stands behind the place of the pointer and that of the mark. */
  readonly lineOf: (item: Item, look: RowLook) => Line;
  readonly isMarked?: ((item: Item) => boolean) | undefined;
}

/** Those of the items that there is room for, around the cursor; a click on its line opens it. */
export function Rows<Item>(
  props: RowsShown<Item> &
    Pick<ListProps, 'opens' | 'isActive'> & { readonly list: RowList<ArrayLike<Item>> },
) {
  const { list, head, none = '', lineOf, isMarked, ...own } = props;
  const { glyphs } = useLook();
  const { columns, rows } = useRoom();
  const heading = head?.({ columns, rows });
  const above = heading === undefined ? [] : [heading];
  return (
    <Menu
      items={list.items}
      cursor={list.cursor}
      first={list.first(rows - above.length)}
      head={above}
      none={typeof none === 'string' ? [span(`  ${none}`, 'dim')] : none}
      isMarked={isMarked}
      lineOf={(item, _, at) =>
        lineOf(item, { at, isMarked: isMarked?.(item) === true, columns, glyphs })
      }
      opens
      {...own}
    />
  );
}

/** A page of a list, with what stands around that. */
export function rowsPage<Item>(parts: {
  readonly list: RowList<readonly Item[]>;
  readonly keys: (item: Item | undefined) => readonly PageRule[];
  readonly view: () => RowsShown<Item> & Omit<PageFrameProps, 'page' | 'children'>;
}): BrowserPage {
  const { list } = parts;
  const page: BrowserPage = {
    keys: () => parts.keys(list.current),
    view: () => {
      const { head, none, lineOf, isMarked, ...frame } = parts.view();
      const shown = { list, head, none, lineOf, isMarked };
      return (
        <PageFrame page={page} {...frame}>
          <Rows {...shown} />
        </PageFrame>
      );
    },
  };
  return page;
}

import type { ReactNode } from 'react';
import { figure, harmless } from '../../src/core/shown-text.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { cutLeft } from '../../src/terminal/cells.ts';
import { plainSize } from '../../src/terminal/figures.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { Row } from '../ui/row.tsx';
import { RoomProvider, useLook, useRoom } from '../ui/screen.tsx';
import { LinesIn } from '../ui/text.tsx';
import { type Browser, orderText } from './browser.ts';
import { RangeMark } from './dir-rows.ts';
import { entryLine, figuresIn, headingLine, type ListLook } from './entry-line.ts';
import { joinTitle } from './entry-pages.ts';
import { EntryPane } from './entry-pane.ts';
import { type EntryList, filterKeys, listFooter, listKeys } from './list-keys.ts';
import type { BrowserPage, PageRule } from './page.ts';
import { PageFrame, Rows } from './page-frame.tsx';

/** The entries of one directory: the page that the browser begins with and comes back to. */
export class ListPage implements BrowserPage, EntryList {
  readonly browser: Browser;
  readonly range: RangeMark;
  typing: EntryList['typing'];
  readonly #pane: EntryPane;

  constructor(browser: Browser) {
    this.browser = browser;
    this.range = new RangeMark(browser.rows, browser.marks);
    this.#pane = new EntryPane(browser);
  }

  keys(): readonly PageRule[] {
    return this.typing === undefined ? listKeys(this) : filterKeys(this);
  }

  footer(): readonly PageRule[] {
    return this.typing === undefined ? listFooter(this.keys()) : filterKeys(this);
  }

  beforeKey(): void {
    this.browser.rows.hold();
    this.browser.rows.refresh();
  }

  view(size: Size, look: Look): ReactNode {
    const { rows, tree, title } = this.browser;
    return (
      <PageFrame
        {...this.around(size)}
        path={joinTitle(title, tree.path(rows.dir))}
        pane={<LinesIn lines={(room) => this.#pane.lines(rows.current, room, look)} />}
      >
        <Entries list={this} isActive />
      </PageFrame>
    );
  }

  /** What stands around the list, whether it is alone or beside another one. */
  around({ columns }: Size) {
    const { browser, typing } = this;
    browser.rows.refresh();
    return { page: this, browser, aside: this.#aside(columns), field: typing };
  }

  /** The list as one of two, below where it is. */
  half(isActive: boolean) {
    return <HalfList list={this} isActive={isActive} />;
  }

  #aside(columns: number): string {
    const { rows, settings, tree, kept } = this.browser;
    const filtered =
      rows.filter === ''
        ? ''
        : `/${harmless(rows.filter)} ${figure(rows.items.length)} of ${figure(rows.total)}, `;
    const marking = this.range.isOn ? 'marking, ' : '';
    const { hidesDotfiles, hiddenNames } = settings.order;
    const hidden = [hidesDotfiles ? 'dotfiles' : '', harmless(hiddenNames).trim()].join(' ').trim();
    const hiding = hidden === '' ? '' : `without ${hidden}, `;
    const special = `${marking}${hiding}${filtered}`;
    // In a narrow window the path matters more than the order, and than the trash.
    if (columns < 60) return special.replace(/, $/, '') || orderText(settings.order, tree.hasDisk);
    const { bytes = 0 } = kept ?? {};
    const inTrash = bytes > 0 ? `in trash: ${plainSize(bytes)}, ` : '';
    return special + inTrash + orderText(settings.order, tree.hasDisk);
  }
}

interface EntriesProps {
  readonly list: EntryList;
  /** Of two lists the one with the keys. */
  readonly isActive: boolean;
  /** It stands beside another one: both have a heading, so that their lines stand side by side. */
  readonly isHalf?: boolean;
}

/** Where a list is, and its entries. */
function HalfList({ list, isActive }: EntriesProps) {
  const { columns, rows, isCovered } = useRoom();
  const { glyphs } = useLook();
  const { title, tree, rows: shown } = list.browser;
  const path = harmless(joinTitle(title, tree.path(shown.dir)));
  const head = span(cutLeft(path, columns, glyphs.ellipsis), isActive ? 'title' : 'dim');
  return (
    <>
      <Row line={[head]} />
      <RoomProvider columns={columns} rows={Math.max(1, rows - 1)} isCovered={isCovered}>
        <Entries list={list} isActive={isActive} isHalf />
      </RoomProvider>
    </>
  );
}

function Entries({ list, isActive, isHalf = false }: EntriesProps) {
  const { browser, range, typing } = list;
  const { rows, tree, settings, marks } = browser;
  const { columns } = useRoom();
  const { glyphs } = useLook();
  rows.refresh();
  const covered = range.covered();
  const { largest } = rows;
  const whole = shownSize(tree, rows.dir, settings.order);
  const figures = figuresIn(settings, tree, columns);
  const look: ListLook = { tree, settings, columns, glyphs, largest, whole, figures };
  return (
    <Rows
      list={rows}
      head={(room) => (room.rows > 2 ? headingLine(look, isHalf) : undefined)}
      none={emptyLine(browser)}
      isMarked={(node) => marks.has(node) || covered.includes(node)}
      lineOf={(node, { isMarked }) => entryLine(node, look, isMarked)}
      opens={typing === undefined}
      isActive={isActive}
    />
  );
}

function emptyLine({ rows, tree }: Browser): Line {
  const error = tree.errorOf(rows.dir);
  if (error !== undefined) return [span(`  ! ${harmless(error)}`, 'bad')];
  if (rows.total === 0 && tree.childCount(rows.dir) > 0) {
    return [span('  only hidden names (e and H show them)', 'dim')];
  }
  if (rows.filter !== '') return [span('  no matching name', 'dim')];
  return [span(tree.isListed(rows.dir) ? '  empty' : '  listing', 'dim')];
}

import type { Glyphs } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { type ListProps, Menu } from '../ui/list.tsx';
import { useLook, useRoom } from '../ui/screen.tsx';
import type { BrowserPage, PageRule } from './page.ts';
import { PageFrame, type PageFrameProps } from './page-frame.tsx';
import type { RowList } from './row-list.ts';

/** How a row is drawn. */
export interface RowLook {
  readonly at: number;
  readonly isMarked: boolean;
  readonly columns: number;
  readonly glyphs: Glyphs;
}

/** What a list shows. */
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

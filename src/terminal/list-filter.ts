import type { FrameField } from './field-line.ts';
import type { Key } from './key.ts';
import { type KeyRule, row, typing } from './key-table.ts';
import { type EditedText, editByKey, editText } from './text-edit.ts';

/** A list, or what of it a filter shows. */
export interface Filtered {
  /** What the filter looks for; absent: all is shown. */
  readonly filter?: EditedText;
  /** Keys are typed into the filter. */
  readonly isFiltering?: boolean;
  /** The row that the cursor was on before the filter. */
  readonly before?: string;
}

/** The cursor of a list by the names of its rows, which a filter does not change. */
export interface NamedRows<List> {
  /** The row that the cursor is on; `undefined` if nothing is shown. */
  readonly rowAt: (list: List) => string | undefined;
  /** The list with its cursor on a row, or on the first if it does not show that. */
  readonly goTo: (list: List, row: string | undefined) => List;
}

/** The keys of the filter of a list; while its text is typed they are all. The cursor stays on its row. */
export function filterKeys<List extends Filtered, Step>(
  list: List,
  rows: NamedRows<List>,
  stepTo: (list: List) => Step,
): readonly KeyRule<(name: string, key: Key) => Step>[] {
  const { filter = editText('') } = list;
  const showAll = row('Esc', 'show all', 'clear the filter', () => stepTo(unfiltered(list, rows)));
  const filterBy = (edited: EditedText, before: string | undefined): List => {
    const filtered = { ...list, isFiltering: true, filter: edited };
    return rows.goTo(before === undefined ? filtered : { ...filtered, before }, before);
  };
  if (list.isFiltering === true) {
    const keep = () =>
      stepTo(filter.text === '' ? unfiltered(list, rows) : { ...list, isFiltering: false });
    return [
      row('Enter', 'keep the filter', '', keep),
      showAll,
      typing((_, key) => stepTo(filterBy(editByKey(filter, key) ?? filter, list.before))),
    ];
  }
  const find = row('/', 'filter', 'show only lines that contain a text', () =>
    stepTo(filterBy(filter, rows.rowAt(list) ?? list.before)),
  );
  return list.filter === undefined ? [find] : [find, showAll];
}

/** The list without its filter: the cursor stays on its row, or is where it was before if nothing was shown. */
export function unfiltered<List extends Filtered>(
  list: List,
  { rowAt, goTo }: NamedRows<List>,
): List {
  const { filter, isFiltering: _, before, ...all } = list;
  if (filter === undefined) return list;
  return goTo(all as unknown as List, rowAt(list) ?? before);
}

/** The items of a list that its filter shows, by their texts. */
export function shownOf<Item>(
  items: readonly Item[],
  { filter }: Filtered,
  textOf: (item: Item) => string,
): readonly Item[] {
  const wanted = filter?.text.toLowerCase() ?? '';
  return wanted === ''
    ? items
    : items.filter((item) => textOf(item).toLowerCase().includes(wanted));
}

/** The text of a filter while it is typed, and while it hides something. */
export function filterField({ filter }: Filtered): FrameField | undefined {
  return filter === undefined ? undefined : { label: 'filter', edited: filter };
}

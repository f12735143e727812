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
}

/**
 * The keys of the filter of a list; while its text is typed they are all. `all`: the list without a filter; `atFirst`: with
 * its cursor on the first line.
 */
export function filterKeys<List extends Filtered, Step>(
  list: List,
  { all, atFirst }: Readonly<Record<'all' | 'atFirst', (list: List) => List>>,
  stepTo: (list: List) => Step,
): readonly KeyRule<(name: string, key: Key) => Step>[] {
  const { filter = editText('') } = list;
  const showAll = row('Esc', 'show all', 'clear the filter', () => stepTo(all(list)));
  if (list.isFiltering === true) {
    const keep = () => stepTo(filter.text === '' ? all(list) : { ...list, isFiltering: false });
    return [
      row('Enter', 'keep the filter', '', keep),
      showAll,
      typing((_, key) => stepTo({ ...atFirst(list), filter: editByKey(filter, key) ?? filter })),
    ];
  }
  const find = row('/', 'filter', 'show only lines that contain a text', () =>
    stepTo({ ...atFirst(list), isFiltering: true, filter }),
  );
  return list.filter === undefined ? [find] : [find, showAll];
}

/** A list with a cursor on its first line. */
export function atFirstLine<List extends { readonly cursor: number }>(list: List): List {
  return { ...list, cursor: 0 };
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

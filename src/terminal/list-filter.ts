import type { FrameField } from './field-line.ts';
import type { Key } from './key.ts';
import type { KeyHint, KeyRule } from './key-table.ts';
import { type EditedText, editByKey, editText } from './text-edit.ts';

/** A list, or what of it a filter shows. */
export interface Filtered {
  /** What the filter looks for; absent: all is shown. */
  readonly filter?: EditedText;
  /** Keys are typed into the filter. */
  readonly isFiltering?: boolean;
}

/** The row for the key that begins a filter. */
export const FILTER: KeyHint = {
  keys: '/',
  does: 'filter',
  more: 'show only lines that contain a text',
};

/** The row for the key that ends one. */
export const SHOW_ALL: KeyHint = { keys: 'Esc', does: 'show all', more: 'clear the filter' };

/** The row for the key that ends only the typing. */
export const KEEP_FILTER: KeyHint = { keys: 'Enter', does: 'keep the filter' };

/** The row for all keys that are typed into it. */
export const TYPE_FILTER: KeyHint = { keys: 'any key', does: '' };

/** The list while the text of its filter is typed. */
export function beginFilter<List extends Filtered>(list: List): List {
  return { ...list, isFiltering: true, filter: list.filter ?? editText('') };
}

/** The list with what a key makes of its filter. */
export function typeFilter<List extends Filtered>(list: List, key: Key): List {
  const { filter = editText('') } = list;
  return { ...list, filter: editByKey(filter, key) ?? filter };
}

/** The list when its filter has been typed; `all`: the list without one, for an empty text. */
export function keepFilter<List extends Filtered>(list: List, all: (list: List) => List): List {
  return list.filter?.text === '' ? all(list) : { ...list, isFiltering: false };
}

/** The keys of the filter of a list with a cursor; while its text is typed they are all. `all`: the list without one. */
export function filterKeys<List extends Filtered & { readonly cursor: number }, Step>(
  list: List,
  all: (list: List) => List,
  stepTo: (list: List) => Step,
): readonly KeyRule<(name: string, key: Key) => Step>[] {
  const showAll = { ...SHOW_ALL, run: () => stepTo(all(list)) };
  if (list.isFiltering === true) {
    return [
      { ...KEEP_FILTER, run: () => stepTo(keepFilter(list, all)) },
      showAll,
      { ...TYPE_FILTER, run: (_, key) => stepTo(typeFilter({ ...list, cursor: 0 }, key)) },
    ];
  }
  const find = { ...FILTER, run: () => stepTo(beginFilter({ ...list, cursor: 0 })) };
  return list.filter === undefined ? [find] : [find, showAll];
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

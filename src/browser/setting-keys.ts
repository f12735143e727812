import { row } from '../screen/key-table.ts';
import type { SortBy } from '../size-tree/sort-order.ts';
import type { Browser } from './browser.ts';
import { type BrowserSettings, nextGraph, sortedBy } from './browser-settings.ts';
import type { PageRule } from './frame.ts';

/** The keys that change the order of the list and what it shows. */
export function settingKeys(browser: Browser): readonly PageRule[] {
  const set = (settings: BrowserSettings) => {
    browser.settings = settings;
    browser.rows.setOrder(settings.order);
  };
  const sort = (keys: string, by: SortBy, more: string): PageRule =>
    row(keys, 'sort', more, () => set(sortedBy(browser.settings, by)));
  const toggle = (
    keys: string,
    name: 'counts' | 'average' | 'times' | 'human',
    more: string,
  ): PageRule =>
    row(keys, name, more, () => set({ ...browser.settings, [name]: !browser.settings[name] }));
  return [
    sort('s', 'size', 'sort by size; press again to reverse'),
    sort('n', 'name', 'sort by name'),
    sort('C', 'count', 'sort by number of files'),
    sort('A', 'average', 'sort by average file size'),
    sort('M', 'time', 'sort by modification time (directories: newest file)'),
    row('g', 'graph', 'cycle: bar, bar and percent, percent, none', () =>
      set(nextGraph(browser.settings)),
    ),
    toggle('c', 'counts', 'show the number of files'),
    toggle('a', 'average', 'show average file sizes'),
    toggle('m', 'times', 'show modification times'),
    toggle('u', 'human', 'show sizes with units or in bytes'),
  ];
}

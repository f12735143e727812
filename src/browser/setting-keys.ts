import { toSyncerError } from '../core/errors.ts';
import { row } from '../screen/key-table.ts';
import { type EditedText, editText } from '../screen/text-edit.ts';
import { Costs } from '../size-tree/costs.ts';
import type { SortBy, SortOrder } from '../size-tree/sort-order.ts';
import type { Browser } from './browser.ts';
import { type BrowserSettings, nextGraph, nextTimes, sortedBy } from './browser-settings.ts';
import type { PageRule } from './frame.ts';

/** A text being typed, and what it changes; `''` with Esc. */
export interface TypedText {
  readonly label: string;
  readonly edited: EditedText;
  readonly set: (text: string) => void;
}

/** The keys that change the order of the list and what it shows. */
export function settingKeys(
  browser: Browser,
  type: (typing: TypedText) => void,
): readonly PageRule[] {
  const set = (settings: BrowserSettings) => {
    browser.settings = settings;
    browser.rows.setOrder(settings.order);
  };
  const reorder = (order: Partial<SortOrder>) =>
    set({ ...browser.settings, order: { ...browser.settings.order, ...order } });
  const sort = (keys: string, by: SortBy, more: string): PageRule =>
    row(keys, 'sort', more, () => set(sortedBy(browser.settings, by)));
  const toggle = (keys: string, name: 'counts' | 'average' | 'human', more: string): PageRule =>
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
    row('a', 'disk or length', 'show disk usage or apparent size (on local disks)', () => {
      if (!browser.tree.hasDisk) browser.tell('only local disks have a disk usage; this is bytes');
      else reorder({ isApparent: !browser.settings.order.isApparent });
    }),
    row('e', 'hidden', 'hide names that begin with a dot, and excluded entries, or show them', () =>
      reorder({ hidesDotfiles: !browser.settings.order.hidesDotfiles }),
    ),
    row('H', 'hide', 'hide names that match patterns (*.o node_modules); sums have them', () => {
      const edited = editText(browser.settings.order.hiddenNames);
      const set = (hiddenNames: string) => reorder({ hiddenNames });
      type({ label: 'hide names', edited, set });
    }),
    row('t', 'directories', 'show directories before files, or among them', () =>
      reorder({ dirsFirst: !browser.settings.order.dirsFirst }),
    ),
    toggle('z', 'average', 'show average file sizes'),
    row('m', 'times', 'cycle: modification times, ages, none', () =>
      set(nextTimes(browser.settings)),
    ),
    row('S', 'class', 'show storage classes, and costs per month where there are prices', () => {
      const classes = !browser.settings.classes;
      set({ ...browser.settings, classes });
      if (classes)
        showCosts(browser).catch((thrown) => browser.tell(toSyncerError(thrown).message, 'warn'));
    }),
    toggle('u', 'human', 'show sizes with units or in bytes'),
  ];
}

/** Reads the prices, which may have been edited since. Rejects where they cannot be read. */
async function showCosts(browser: Browser): Promise<void> {
  const { tree, effects } = browser;
  const prices = await effects.prices?.();
  const costs = prices && new Costs(tree, prices, () => browser.nowMs());
  browser.settings = { ...browser.settings, costs };
  const unpriced = costs?.unpriced ?? [];
  if (unpriced.length > 0) {
    browser.tell(`no price for ${unpriced.join(', ')}: directories do not count it`, 'warn');
  } else if (costs === undefined && effects.pricePath?.() !== undefined) {
    browser.tell('no prices yet: ? says how to see costs per month');
  }
}

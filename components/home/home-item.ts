import type { Job } from '../../src/config/job.ts';
import type {
  HomeContents,
  HomeMount,
  HomeOffer,
  HomePlace,
  HomeRemote,
} from '../../src/run/home-entry.ts';
import type { RunningSummary } from '../../src/run/presence/running-text.ts';
import type { PastRun } from '../../src/state/runs.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import { type Filtered, shownOf } from '../../src/terminal/list-filter.ts';

/** A line of the home screen that the cursor can be on, with what it is called. */
export type HomeItem = { readonly name: string } & (
  | { readonly kind: 'place'; readonly place: HomePlace; readonly isPinned: boolean }
  | { readonly kind: 'remote'; readonly remote: HomeRemote; readonly isPinned: boolean }
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'mount'; readonly mount: HomeMount }
  | { readonly kind: 'running'; readonly run: RunningSummary }
  | { readonly kind: 'past'; readonly run: PastRun }
  | { readonly kind: 'offer'; readonly offer: HomeOffer }
  | { readonly kind: 'page'; readonly page: (typeof HOME_PAGES)[number] }
);

/** An item about which there is more to show and to do. */
export type OpenItem = Exclude<HomeItem, { kind: 'offer' | 'page' | 'past' }>;

/** Whether an item has a list of what can be done with it. */
export function isOpenItem(item: HomeItem | undefined): item is OpenItem {
  return item !== undefined && !/^(offer|page|past)$/.test(item.kind);
}

/** What stands below the lists. */
const HOME_PAGES = [
  { key: 'n', label: 'New remote', note: 'local disk, S3, cloud drive' },
  { key: 'g', label: 'Configuration', note: 'edit, copy, delete, import from rclone' },
  { key: 'h', label: 'History', note: 'recent runs and their results' },
] as const;

/** All items that a list shows, in the order of the screen: what is pinned comes first. */
export function homeItems(contents: HomeContents, list: Filtered = {}): readonly HomeItem[] {
  const { places, remotes, jobs, mounts, running, offers, runs, pins } = contents;
  const isPinned = (path: string) => pins.includes(path);
  const named = [
    ...places.map((place) => {
      const name = place.path;
      return { kind: 'place', name, place, isPinned: isPinned(name) } as const;
    }),
    ...remotes.map((remote) => {
      const { name } = remote;
      return { kind: 'remote', name, remote, isPinned: isPinned(`${name}:`) } as const;
    }),
  ];
  const pinned = named.filter(({ isPinned }) => isPinned);
  const order = (item: OpenItem) => pins.indexOf(rootOf(item));
  const items: readonly HomeItem[] = [
    ...offers.map((offer) => ({ kind: 'offer', name: offer.label, offer }) as const),
    ...pinned.toSorted((a, b) => order(a) - order(b)),
    ...named.filter(({ isPinned }) => !isPinned),
    ...jobs.map((job) => ({ kind: 'job', name: job.name, job }) as const),
    ...mounts.map((mount) => ({ kind: 'mount', name: mount.mountPoint, mount }) as const),
    ...running.map((run) => ({ kind: 'running', name: run.id, run }) as const),
    ...runs.slice(0, 5).map((run) => ({ kind: 'past', name: run.id, run }) as const),
    ...HOME_PAGES.map((page) => ({ kind: 'page', name: page.label, page }) as const),
  ];
  return shownOf(items, list, textOf);
}

/** The runs that a list shows, by their command lines and ids. */
export function shownRuns({ runs }: HomeContents, list: Filtered): readonly PastRun[] {
  return shownOf(runs, list, ({ id, words }) => `${id} ${shellLine(words)}`);
}

/** What a filter looks at. */
function textOf(item: HomeItem): string {
  switch (item.kind) {
    case 'remote':
      return `${item.remote.name} ${item.remote.type} ${item.remote.place}`;
    case 'job':
      return `${item.job.name} ${shellLine(item.job.words)}`;
    case 'mount':
      return `${item.mount.mountPoint} ${item.mount.source}`;
    case 'running':
    case 'past':
      return `${item.run.id} ${shellLine(item.run.words)}`;
    default:
      return item.name;
  }
}

/** The path that commands take for an item. */
export function rootOf(item: OpenItem): string {
  return item.kind === 'remote' ? `${item.name}:` : item.name;
}

/** Where an item is among items that may be others now; `at` where it is gone. */
export function placeOf(item: HomeItem | undefined, items: readonly HomeItem[], at: number) {
  const found = items.findIndex(({ kind, name }) => kind === item?.kind && name === item.name);
  return found < 0 ? Math.max(0, Math.min(at, items.length - 1)) : found;
}

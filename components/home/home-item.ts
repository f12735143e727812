import type { Job } from '../../src/config/job.ts';
import type { HomeContents, HomeMount, HomeOffer, HomeRemote } from '../../src/run/home-entry.ts';
import type { RunningSummary } from '../../src/run/presence/running-run.ts';

/** A line of the home screen that the cursor can be on. */
export type HomeItem =
  | { readonly kind: 'remote'; readonly remote: HomeRemote }
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'mount'; readonly mount: HomeMount }
  | { readonly kind: 'running'; readonly run: RunningSummary }
  | { readonly kind: 'offer'; readonly offer: HomeOffer }
  | { readonly kind: 'page'; readonly page: HomePage };

/** An item about which there is more to show and to do. */
export type OpenItem = Exclude<HomeItem, { kind: 'offer' | 'page' }>;

type HomePage = (typeof HOME_PAGES)[number];

/** What stands below the lists. */
export const HOME_PAGES = [
  { key: 'n', label: 'New remote', note: 'local disk, S3, cloud drive' },
  { key: 'g', label: 'Configuration', note: 'edit, rename, copy, delete, import from rclone' },
  { key: 'h', label: 'History', note: 'recent runs and their results' },
] as const;

/** All items, in the order of the screen. */
export function homeItems({
  remotes,
  jobs,
  mounts,
  running,
  offers,
}: HomeContents): readonly HomeItem[] {
  return [
    ...offers.map((offer) => ({ kind: 'offer', offer }) as const),
    ...remotes.map((remote) => ({ kind: 'remote', remote }) as const),
    ...jobs.map((job) => ({ kind: 'job', job }) as const),
    ...mounts.map((mount) => ({ kind: 'mount', mount }) as const),
    ...running.map((run) => ({ kind: 'running', run }) as const),
    ...HOME_PAGES.map((page) => ({ kind: 'page', page }) as const),
  ];
}

/** What an item is called. */
export function itemName(item: HomeItem): string {
  switch (item.kind) {
    case 'remote':
      return item.remote.name;
    case 'job':
      return item.job.name;
    case 'mount':
      return item.mount.mountPoint;
    case 'running':
      return item.run.id;
    case 'offer':
      return item.offer.label;
    case 'page':
      return item.page.label;
  }
}

/** Where an item is among items that may be others now; `at` where it is gone. */
export function placeOf(item: HomeItem | undefined, items: readonly HomeItem[], at: number) {
  const found = items.findIndex(
    (one) => one.kind === item?.kind && itemName(one) === (item && itemName(item)),
  );
  return found < 0 ? Math.max(0, Math.min(at, items.length - 1)) : found;
}

import type { Op } from '../../src/core/remote.ts';
import type { BrowserEffects, Restraint } from '../../src/size-tree/browser-effects.ts';
import type { Costs } from '../../src/size-tree/costs.ts';
import type { ReadContents } from '../../src/size-tree/files-below.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import type { SortBy, SortOrder } from '../../src/size-tree/sort-order.ts';
import type { Tone } from '../../src/terminal/span.ts';
import type { DirRows, Marks } from './dir-rows.ts';
import type { Growth } from './growth.ts';
import type { KeptFiles } from './kept-files.ts';
import type { BrowserPage } from './page.ts';
import type { TaskQueue } from './task-queue.ts';

/** Where copied and moved entries go with two browsers: what the other one shows now. */
export interface OtherPlace {
  /** `remote:path` or a local path. */
  readonly spec: string;
  /** Entries of these names are there now. */
  arrived(names: readonly string[], op: Op): Promise<void>;
}

/** One browser, or two side by side, as one of them knows them. */
export interface BrowserSides {
  /** The tasks of all sides. */
  readonly tasks: TaskQueue;
  isPair(): boolean;
  switchTo(): void;
  /** The directory of the other one; `undefined` where no path names it: on S3 names can be empty. */
  place(): OtherPlace | undefined;
  open(spec: string): void;
  /** Closes the other one, unless tasks wait or run. */
  closeOther(): void;
}

export interface ScanState {
  readonly state: 'reading' | 'running' | 'done' | 'stopped';
  /** The age of the scan that is shown until this one is done. */
  readonly keptAge?: string | undefined;
  /** Where it goes. */
  readonly into: NodeId;
  /** Nodes of the tree when it began. */
  readonly nodesBefore: number;
  /** What is scanned: `''` for all. */
  readonly path: string;
  /** On the browser's clock, in milliseconds. */
  readonly startedMs: number;
  readonly endedMs: number | undefined;
}

/** What all pages of the browser work on. */
export interface Browser {
  readonly tree: SizeTree;
  /** What is browsed: `photos:2024`. It may hold secrets. */
  readonly spec: string;
  /** The same as it is shown. */
  readonly title: string;
  readonly rows: DirRows;
  readonly marks: Marks;
  readonly tasks: TaskQueue;
  /** What files had when they were read. */
  readonly contents: ReadContents;
  readonly scan: ScanState;
  readonly effects: BrowserEffects;
  /** The trash of the place; absent where nothing is kept. */
  readonly kept: KeptFiles | undefined;
  /** Why nothing is deleted or moved; absent where it is. */
  readonly restraint: Restraint | undefined;
  settings: BrowserSettings;
  /** A line that says what a key did, until the next key. */
  readonly message: { readonly text: string; readonly tone: Tone } | undefined;
  nowMs(): number;
  /** Lays a page on top. */
  open(page: BrowserPage): void;
  /** Takes the top pages away, one by default; the list of entries stays. */
  back(count?: number): void;
  tell(text: string, tone?: Tone): void;
  changed(): void;
  /** Shows how entries have grown since the last saved scan; says why not. @param isQuiet unless there is none */
  showGrowth(isQuiet?: boolean): void;
  /** Looks at entries again after something else has changed them, or created them. */
  seeAgain(paths: readonly string[], op: Op): Promise<void>;
  /** Lists a directory again; what is known of it stays until then. */
  rescan(dir: NodeId): void;
  stopScan(): void;
  leave(): void;
  /** Hands the terminal over while something else runs on it. Rejects with `unsupported` where there is no screen. */
  lend<T>(use: () => Promise<T>): Promise<T>;
  readonly sides: BrowserSides | undefined;
  /** Lines for the terminal after the screen is gone. */
  readonly afterwards: Set<string>;
  /** Aborted when the browser is left. */
  readonly closing: AbortSignal;
}

/** What stands between size and name, in the order of their key. */
export const GRAPHS = ['bar and percent', 'bar', 'percent', 'none'] as const;

/** How the times of entries are shown. */
export const TIMES = ['none', 'time', 'age'] as const;

/** What the list shows and in which order. */
export interface BrowserSettings {
  readonly graph: (typeof GRAPHS)[number];
  readonly counts: boolean;
  readonly average: boolean;
  readonly times: (typeof TIMES)[number];
  /** Storage classes, and what entries cost where there are prices. */
  readonly classes: boolean;
  readonly costs: Costs | undefined;
  readonly growth: Growth | undefined;
  /** Sizes with units; otherwise all digits. */
  readonly human: boolean;
  readonly order: SortOrder;
}

/** What comes first by each order, and reversed. */
const FIRST: Readonly<Record<SortBy, readonly [string, string]>> = {
  size: ['largest', 'smallest'],
  name: ['by name', 'by name, last'],
  count: ['most files', 'fewest files'],
  average: ['largest average', 'smallest average'],
  time: ['newest', 'oldest'],
};

/** The order in words: `largest first`, `directories, then newest first`. */
export function orderText({ by, reversed, isApparent, dirsFirst }: SortOrder, hasDisk: boolean) {
  const what = FIRST[by][reversed ? 1 : 0];
  const apparent = hasDisk && isApparent && by === 'size' ? ' (apparent size)' : '';
  const first = by === 'name' && !reversed ? '' : ' first';
  return `${dirsFirst ? 'directories, then ' : ''}${what}${first}${apparent}`;
}

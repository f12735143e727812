import type { Tone } from '../screen/span.ts';
import type { NodeId } from '../size-tree/node.ts';
import type { SizeTree } from '../size-tree/size-tree.ts';
import type { BrowserEffects, Restraint } from './browser-effects.ts';
import type { BrowserSettings } from './browser-settings.ts';
import type { DirRows } from './dir-rows.ts';
import type { BrowserPage } from './frame.ts';
import type { Marks } from './marks.ts';
import type { ScanState } from './scan-state.ts';
import type { TaskQueue } from './task-queue.ts';

/** A line that says what a key did, until the next key. */
export interface Message {
  readonly text: string;
  readonly tone: Tone;
}

/** What all pages of the browser work on. */
export interface Browser {
  readonly tree: SizeTree;
  /** What is browsed: `photos:2024`. */
  readonly title: string;
  readonly rows: DirRows;
  readonly marks: Marks;
  readonly tasks: TaskQueue;
  readonly scan: ScanState;
  readonly effects: BrowserEffects;
  /** Why nothing is deleted or moved; absent where it is. */
  readonly restraint: Restraint | undefined;
  settings: BrowserSettings;
  readonly message: Message | undefined;
  nowMs(): number;
  /** Lays a page on top. */
  open(page: BrowserPage): void;
  /** Takes the top pages away, one by default; the list of entries stays. */
  back(count?: number): void;
  tell(text: string, tone?: Tone): void;
  /** Something that shows has changed. */
  changed(): void;
  /** Redraws the whole screen. */
  redraw(): void;
  /** Lists a directory again; what is known of it stays until then. */
  rescan(dir: NodeId): void;
  stopScan(): void;
  leave(): void;
  /** Hands the terminal over while something else runs on it. Rejects with `unsupported` where there is no screen. */
  lend<T>(use: () => Promise<T>): Promise<T>;
  /** Lines for the terminal after the screen is gone. */
  readonly afterwards: Set<string>;
  /** Aborted when the browser is left. */
  readonly closing: AbortSignal;
}

import type { Key } from './key.ts';
import type { KeyRule } from './key-table.ts';
import type { Look } from './look.ts';

/** Size of the terminal, in characters. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Hands the terminal over while `use` runs; afterwards the screen is drawn again. */
export type LendTerminal = <T>(use: () => Promise<T>) => Promise<T>;

/** A screen without its drawing: takes keys, reports changes, and ends with a result. It knows no terminal. */
export interface KeyedScreen<Result = void> {
  /** Takes a key. Never throws, never waits: work continues in the background and reports to `subscribe`. */
  press(key: Key): void;
  /** The keys that work now. */
  keys(): readonly KeyRule<unknown>[];
  /** What is asked now, another value for each question; absent: nothing ever is. */
  asked?(): unknown;
  /** The size of the terminal, before the first key and at every change. */
  resize(size: Size): void;
  /** Calls `listener` at every change that shows; gives the function that ends this. */
  subscribe(listener: () => void): () => void;
  /** Changes with every change that shows. */
  version(): number;
  /** Whether what is shown waits for something, as a scan: plain screens are printed again when it has come. */
  isWaiting?(): boolean;
  /** Takes, once it is shown, what lends the terminal to other programs. */
  takeTerminal?(lend: LendTerminal): void;
  /** Settles when the screen is to go. */
  readonly result: Promise<Result>;
}

export interface ScreenTerminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly look: Look;
  readonly mouse: boolean;
  /** How long Escape may be the beginning of another key, in milliseconds (`escapeWait`). */
  readonly escapeMs: number;
  /** Aborting it takes the screen away; who shows it rejects with its reason. */
  readonly signal: AbortSignal;
}

import type { Look } from './look.ts';

/** Where a screen is shown. */
export interface ScreenTerminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly look: Look;
  /** Aborting it takes the screen away; who shows it rejects with its reason. */
  readonly signal: AbortSignal;
}

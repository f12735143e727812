import { closeSync, readdirSync } from 'node:fs';
import { isatty } from 'node:tty';
import { isInBackground } from './job-control.ts';

/** The system calls for the end of a background process. */
export interface Descriptors {
  readonly isInBackground: () => boolean;
  /** The numbers of all open descriptors. */
  readonly list: () => readonly number[];
  readonly isTerminal: (descriptor: number) => boolean;
  readonly close: (descriptor: number) => void;
}

const OWN: Descriptors = {
  isInBackground: () => isInBackground(process.pid),
  list: () => readdirSync('/dev/fd').map(Number),
  isTerminal: isatty,
  close: closeSync,
};

/**
 * Must be called last. At exit, Node restores the terminal mode of its start. In the background that would stop the job
 * forever (SIGTTOU) or change a mode that the shell has set since. Closed descriptors are not restored, so a background
 * job closes every descriptor of a terminal.
 */
export function leaveTerminal(own: Descriptors = OWN): void {
  if (![0, 1, 2].some(own.isTerminal) || !own.isInBackground()) return;
  for (const descriptor of own.list()) {
    if (own.isTerminal(descriptor)) own.close(descriptor);
  }
}

import { closeSync, readdirSync } from 'node:fs';
import { isatty } from 'node:tty';
import { isInBackground } from './job-control.ts';

/** What of the system the end of a process in the background needs. */
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
 * To be called last before the process ends. Node gives its terminal the modes back that it had at the start, which
 * would stop a job in the background for ever (SIGTTOU) where keys were read, and elsewhere change what the shell or
 * another program has set by now. Both leave alone what is not open any more: in the background every descriptor of a
 * terminal is closed.
 */
export function leaveTerminal(own: Descriptors = OWN): void {
  if (![0, 1, 2].some(own.isTerminal) || !own.isInBackground()) return;
  for (const descriptor of own.list()) {
    if (own.isTerminal(descriptor)) own.close(descriptor);
  }
}

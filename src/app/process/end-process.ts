import { EXIT_CLOSED_PIPE } from './exit-number.ts';

/** Ends the process with this exit number. */
export function endProcess(process: NodeJS.Process, code: number): void {
  if (code === EXIT_CLOSED_PIPE) endByClosedPipe(process);
  else process.exit(code);
}

/**
 * Ends a process whose reader has gone as other programs end, killed by SIGPIPE, which Node itself ignores: adding and
 * removing a listener restores the system's own way.
 */
export function endByClosedPipe(process: NodeJS.Process): void {
  const listener = () => {};
  process.on('SIGPIPE', listener);
  process.off('SIGPIPE', listener);
  process.kill(process.pid, 'SIGPIPE');
  process.exit(EXIT_CLOSED_PIPE);
}

import { EXIT_CLOSED_PIPE } from './exit-number.ts';

/** Ends the process with this exit code. */
export function endProcess(process: NodeJS.Process, code: number): void {
  if (code === EXIT_CLOSED_PIPE) endByClosedPipe(process);
  else process.exit(code);
}

/**
 * Ends a process whose reader is gone as other programs end: killed by SIGPIPE. Node ignores the signal; adding and
 * removing a listener restores the system's default.
 */
export function endByClosedPipe(process: NodeJS.Process): void {
  const listener = () => {};
  process.on('SIGPIPE', listener);
  process.off('SIGPIPE', listener);
  process.kill(process.pid, 'SIGPIPE');
  process.exit(EXIT_CLOSED_PIPE);
}

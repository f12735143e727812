import { EXIT_CLOSED_PIPE } from './exit-number.ts';

/**
 * Ends the process with this exit number. One whose reader has gone ends as other programs do, killed by
 * SIGPIPE, which Node itself ignores: adding and removing a listener restores the system's own way.
 */
export function endProcess(process: NodeJS.Process, code: number): void {
  if (code === EXIT_CLOSED_PIPE) {
    const listener = () => {};
    process.on('SIGPIPE', listener);
    process.off('SIGPIPE', listener);
    process.kill(process.pid, 'SIGPIPE');
  }
  process.exit(code);
}

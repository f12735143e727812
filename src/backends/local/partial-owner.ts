import { hash } from 'node:crypto';
import fs from 'node:fs';
import { hostname } from 'node:os';

/** What is known of the process that writes a temporary file. `elsewhere`: of another machine or container. */
export type OwnerState = 'alive' | 'dead' | 'elsewhere';

/**
 * This process as temporary names tell it: `<place>-<pid>-<start>`, all of `0-9a-z`. The place is the machine since it
 * was started, and on Linux the namespace in which its process numbers mean something.
 */
export function ownMark(): string {
  return [ownPlace(), process.pid.toString(36), startOf(process.pid) ?? '0'].join('-');
}

/** Whether the process with this mark still runs. */
export function ownerState(mark: string): OwnerState {
  const [place = '', number = '', start = ''] = mark.split('-');
  if (place !== ownPlace()) return 'elsewhere';
  const pid = Number.parseInt(number, 36);
  if (!isRunning(pid)) return 'dead';
  // Another process may have got the number since.
  const startNow = startOf(pid);
  return startNow === undefined || startNow === start ? 'alive' : 'dead';
}

function ownPlace(): string {
  const boot = read('/proc/sys/kernel/random/boot_id') ?? '';
  return hash('sha256', `${hostname()}\n${boot}\n${processNamespace()}`, 'hex').slice(0, 8);
}

function processNamespace(): string {
  try {
    return fs.readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // A process that is not ours to signal runs, too.
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** When a process was started, in ticks since the machine was; `undefined` where the system does not tell. */
function startOf(pid: number): string | undefined {
  // After the name, which stands in brackets and may hold anything: state is the first field, start the twentieth.
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\)\s*/s, '')
    .split(' ');
  const ticks = fields?.[19];
  return ticks === undefined ? undefined : Number(ticks).toString(36);
}

function read(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

import { hash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { hostname } from 'node:os';
import { fnv1a } from '../core/fnv1a.ts';

/** What is known of the process that writes a temporary file. `elsewhere`: of another machine or container. */
export type OwnerState = 'alive' | 'dead' | 'elsewhere';

/**
 * This process in temporary names: `<place>-<pid>-<start>`, all of `0-9a-z`. The place is machine, boot and, on
 * Linux, PID namespace.
 */
export function ownMark(): string {
  own ??= [ownPlace(), process.pid.toString(36), statusOf(process.pid)?.start ?? '0'].join('-');
  return own;
}

let own: string | undefined;

/** A name for a trial file (`TRIAL_NAME`): one that disks omit from listings, as they do for files that are being written. */
export function newTrialName(): string {
  return `syncer-partial-${ownMark()}-${randomBytes(5).toString('hex')}`;
}

/**
 * Whether the process with this mark still runs.
 *
 * @param of its `machineBoot`, if that is known: one of an earlier boot of this machine is dead
 */
export function ownerState(mark: string, of?: ReturnType<typeof machineBoot>): OwnerState {
  const [place = '', number = '', start = ''] = mark.split('-');
  if (place !== ownPlace()) {
    if (of === undefined) return 'elsewhere';
    const { machine, boot } = machineBoot();
    return of.machine === machine && of.boot !== boot ? 'dead' : 'elsewhere';
  }
  const pid = Number.parseInt(number, 36);
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    // A process that is not ours to signal runs, too.
    if ((thrown as NodeJS.ErrnoException).code === 'ESRCH') return 'dead';
  }
  // Another process may have got the number since.
  const now = statusOf(pid);
  // One that has ended and whose parent has not asked how is a number and nothing else.
  if (now?.hasEnded === true) return 'dead';
  return now === undefined || now.start === start ? 'alive' : 'dead';
}

/** This machine and its current boot: no process of an earlier boot of the same machine runs. */
export function machineBoot(): { readonly machine: string; readonly boot: string } {
  const id = read('/etc/machine-id') ?? '';
  return { machine: hash('sha256', `${hostname()}\n${id}`, 'hex').slice(0, 16), boot: ownBoot() };
}

const ownBoot = (): string => read('/proc/sys/kernel/random/boot_id') ?? '';

function ownPlace(): string {
  let namespace = '';
  try {
    namespace = fs.readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not Linux.
  }
  const place = `${hostname()}\n${ownBoot()}\n${namespace}`;
  return fnv1a(place).toString(16).padStart(8, '0');
}

/** Whether a process has ended, and when it was started, in ticks since the machine was; `undefined` where the system does not tell. */
function statusOf(pid: number): { readonly hasEnded: boolean; readonly start: string } | undefined {
  // After the name, which stands in brackets and may hold anything: state is the first field, start the twentieth (proc(5)).
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\)\s*/s, '')
    .split(' ');
  const [state, ticks] = [fields?.[0], fields?.[19]];
  if (state === undefined || ticks === undefined) return undefined;
  return { hasEnded: /[ZXx]/.test(state), start: Number(ticks).toString(36) };
}

function read(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

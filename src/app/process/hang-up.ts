import { readFileSync } from 'node:fs';

/** What tells how a process was started. */
export interface Started {
  readonly env: NodeJS.ProcessEnv;
  /** A file of proc(5), by its path below `/proc`; throws where there is none. */
  readonly readProc: (path: string) => string;
}

/** The bit of SIGHUP in the masks of proc(5). */
const HANGUP_BIT = 1n;

/** A file that is open for writing only (open(2)). */
const ACCESS_MODE = 0o3;
const WRITE_ONLY = 0o1;

/**
 * Whether the program was started so that a hangup does not concern it: by nohup(1), or from a script that ignores
 * SIGHUP. Node resets what a process inherits of ignored signals before any of our code runs, so that this is read from
 * traces: the command that the shell noted in `$_`, the input that nohup gives a program on a terminal (`/dev/null`,
 * open for writing only), and the signals that the parent ignores, who passes them on to what it starts.
 */
export function ignoresHangUp({ env, readProc }: Started): boolean {
  if (/(^|\/)nohup$/.test(env['_'] ?? '')) return true;
  try {
    if (isInputOfNohup(readProc('self/fdinfo/0'))) return true;
    const [parent, session, pid] = ancestry(readProc('self/stat'));
    // Whoever begins a session has left what its parent decided, as a window of a terminal does.
    if (session === pid) return false;
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readProc(`${parent}/status`))?.[1] ?? '0';
    return (BigInt(`0x${ignored}`) & HANGUP_BIT) !== 0n;
  } catch {
    return false;
  }
}

/** The same of this process. */
export function thisIgnoresHangUp(): boolean {
  const readProc = (path: string) => readFileSync(`/proc/${path}`, 'latin1');
  return ignoresHangUp({ env: process.env, readProc });
}

function isInputOfNohup(fdinfo: string): boolean {
  const flags = /^flags:\s*([0-7]+)$/m.exec(fdinfo)?.[1] ?? '0';
  return (Number.parseInt(flags, 8) & ACCESS_MODE) === WRITE_ONLY;
}

/** Fields `ppid`, `session` and `pid` of `/proc/self/stat`. */
function ancestry(stat: string) {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [fields[1], fields[3], stat.slice(0, stat.indexOf(' '))] as const;
}

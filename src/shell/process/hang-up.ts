import { readFileSync } from 'node:fs';

/** The traces of how a process was started. */
export interface Started {
  readonly env: NodeJS.ProcessEnv;
  /** Reads a file of proc(5), by its path below `/proc`; throws if there is none. */
  readonly readProc: (path: string) => string;
}

/** The bit of SIGHUP in the masks of proc(5). */
const HANGUP_BIT = 1n;

/** A file opened for writing only (open(2)). */
const ACCESS_MODE = 0o3;
const WRITE_ONLY = 0o1;

/**
 * Whether the program ignores SIGHUP: started by nohup(1), or from a script that ignores it. Node resets inherited
 * ignored signals before our code runs, so this is read from traces: the command in `$_`, the standard input that nohup
 * provides on a terminal (`/dev/null`, open for writing only), and the signals ignored by the parent, which its
 * children inherit.
 */
export function ignoresHangUp({ env, readProc }: Started): boolean {
  if (/(^|\/)nohup$/.test(env['_'] ?? '')) return true;
  try {
    if (isInputOfNohup(readProc('self/fdinfo/0'))) return true;
    const [parent, session, pid] = ancestry(readProc('self/stat'));
    // A new session, such as a terminal window, does not follow its parent.
    if (session === pid) return false;
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readProc(`${parent}/status`))?.[1] ?? '0';
    return (BigInt(`0x${ignored}`) & HANGUP_BIT) !== 0n;
  } catch {
    return false;
  }
}

/** The same for this process. */
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

import { readFileSync } from 'node:fs';

/** The traces of how a process was started. */
export interface Started {
  readonly env: NodeJS.ProcessEnv;
  /** Reads a file of proc(5), by its path below `/proc`; throws if there is none. */
  readonly readProc: (path: string) => string;
}

/**
 * Whether the program ignores SIGHUP: started by nohup(1), or from a script that ignores it. Node resets inherited
 * ignored signals before our code runs, so this is read from traces: the command in `$_`, the standard input that nohup
 * provides on a terminal (`/dev/null`, open for writing only), and the signals ignored by the parent, which its
 * children inherit.
 */
export function ignoresHangUp({ env, readProc }: Started): boolean {
  if (/(^|\/)nohup$/.test(env['_'] ?? '')) return true;
  try {
    // The access mode of open(2): for writing only.
    const flags = /^flags:\s*([0-7]+)$/m.exec(readProc('self/fdinfo/0'))?.[1] ?? '0';
    if ((Number.parseInt(flags, 8) & 0o3) === 0o1) return true;
    const stat = readProc('self/stat');
    const [, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A new session, such as a terminal window, does not follow its parent.
    if (session === stat.slice(0, stat.indexOf(' '))) return false;
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readProc(`${parent}/status`))?.[1] ?? '0';
    // The lowest bit is that of SIGHUP.
    return (BigInt(`0x${ignored}`) & 1n) !== 0n;
  } catch {
    return false;
  }
}

/** The same for this process. */
export function thisIgnoresHangUp(): boolean {
  const readProc = (path: string) => readFileSync(`/proc/${path}`, 'latin1');
  return ignoresHangUp({ env: process.env, readProc });
}

import { readFileSync } from 'node:fs';
import { nameFromBytes } from '../../core/name-bytes.ts';

/** The variables that every command gets. */
export class ServerEnvironment {
  /** By name, each as `NAME=value`. */
  readonly #pairs: ReadonlyMap<string, string>;
  readonly #list: readonly string[];
  readonly searchPath: string;
  /** The folder for temporary files. */
  readonly temporary: string;

  /** @param list `NAME=value`; of equal names the last counts */
  constructor(list: readonly string[]) {
    const pairs = new Map<string, string>();
    for (const pair of list) setPair(pairs, pair);
    // systemd's variables about sockets are for this process only.
    for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) pairs.delete(name);
    this.#pairs = pairs;
    this.#list = [...pairs.values()];
    this.searchPath = this.#value('PATH') ?? '';
    this.temporary = this.#value('TMPDIR') || '/tmp';
  }

  /** The variables with others behind them; of equal names the last counts. */
  with(added: readonly string[]): readonly string[] {
    if (added.length === 0) return this.#list;
    const pairs = new Map(this.#pairs);
    for (const pair of added) setPair(pairs, pair);
    return [...pairs.values()];
  }

  #value(name: string): string | undefined {
    return this.#pairs.get(name)?.slice(name.length + 1);
  }
}

/** The environment of this process, byte by byte if the system has it, else as in Node. */
export function serverEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  read: () => Uint8Array = () => readFileSync('/proc/self/environ'),
): ServerEnvironment {
  const known = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  if (!known.some((pair) => pair.includes('\ufffd'))) return new ServerEnvironment(known);
  try {
    const exact = nameFromBytes(read()).split('\0');
    return new ServerEnvironment(exact.filter((pair) => pair.includes('=')));
  } catch {
    return new ServerEnvironment(known);
  }
}

function setPair(pairs: Map<string, string>, pair: string): void {
  const name = pair.slice(0, pair.indexOf('='));
  pairs.delete(name);
  pairs.set(name, pair);
}

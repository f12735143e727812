/**
 * Flags of V8 that this process has changed, by what they were at its start: both as on a command line. The first file
 * of a program and the rest of it are bundled separately, so each has a copy of this module, and one table.
 */
const CHANGED = Symbol.for('syncer.v8-flags');

interface Holder {
  [CHANGED]?: Map<string, string>;
}

/**
 * Changes a flag of V8 in the running process, as often as wanted.
 *
 * @param flag as on a command line: `--no-maglev`
 * @param first what it was at the start: `--maglev`
 */
export function changeFlag(flag: string, first: string): void {
  const holder = globalThis as Holder;
  const changed = holder[CHANGED] || new Map<string, string>();
  holder[CHANGED] = changed.set(first, flag);
  process.getBuiltinModule('node:v8').setFlagsFromString(flag);
}

/**
 * Leaves out V8's compiler Maglev for `ms` milliseconds, where another program needs the processors. Does nothing where
 * V8 must not compile: with `--jitless` there is no WebAssembly either.
 */
export function delayMaglev(ms: number): void {
  if (typeof WebAssembly === 'undefined') return;
  changeFlag('--no-maglev', '--maglev');
  setTimeout(changeFlag, ms, '--maglev', '--maglev').unref();
}

/**
 * Runs `action` with the flags of the start. Compiled code belongs to the flags with which it was made: V8 refuses it
 * with others.
 */
export function withFirstFlags<T>(action: () => T): T {
  const holder = globalThis as Holder;
  const changed = holder[CHANGED];
  if (changed === undefined) return action();
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const first of changed.keys()) setFlagsFromString(first);
  try {
    return action();
  } finally {
    for (const flag of changed.values()) setFlagsFromString(flag);
  }
}

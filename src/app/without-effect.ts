import type { CommandLine } from './command-line/parse-command-line.ts';
import { ACCEPTED_FLAGS, HINTS } from './flags/accepted-flags.ts';

const KEYS = Object.keys(ACCEPTED_FLAGS) as readonly (keyof typeof ACCEPTED_FLAGS)[];

/** Flags that do nothing here, as they are written on the command line. */
export interface WithoutEffect {
  /** What they ask for does not happen. */
  readonly missed: readonly string[];
  /** They only tell rclone how to go about it. */
  readonly hints: readonly string[];
}

/** Those of the given flags that do nothing here. */
export function withoutEffect({
  flags,
  given,
}: Pick<CommandLine, 'flags' | 'given'>): WithoutEffect {
  const idle = KEYS.filter((key) => given.has(key) && flags[key] !== false);
  const written = (keys: readonly string[]) => keys.map((key) => `--${key}`);
  return {
    missed: written(idle.filter((key) => !HINTS.has(key))),
    hints: written(idle.filter((key) => HINTS.has(key))),
  };
}

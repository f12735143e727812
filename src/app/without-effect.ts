import type { CommandLine } from './command-line/parse-command-line.ts';
import { ACCEPTED_FLAGS, HINTS } from './flags/accepted-flags.ts';

const KEYS = Object.keys(ACCEPTED_FLAGS) as readonly (keyof typeof ACCEPTED_FLAGS)[];

/** Ignored flags as on the command line. */
export interface WithoutEffect {
  /** Flags that ask for something. */
  readonly missed: readonly string[];
  /** Flags that only tune rclone. */
  readonly hints: readonly string[];
}

/** The given flags that are ignored. */
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

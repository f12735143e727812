import type { CommandLine } from './command-line/parse-command-line.ts';
import { ACCEPTED_FLAGS } from './flags/accepted-flags.ts';

const KEYS = Object.keys(ACCEPTED_FLAGS) as readonly (keyof typeof ACCEPTED_FLAGS)[];

/** Those of the given flags that do nothing here, as they are written on the command line. */
export function withoutEffect({
  flags,
  given,
}: Pick<CommandLine, 'flags' | 'given'>): readonly string[] {
  return KEYS.filter((key) => given.has(key) && flags[key] !== false).map((key) => `--${key}`);
}

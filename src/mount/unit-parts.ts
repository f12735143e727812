import { resolve } from 'node:path';
import { backendFlags } from '../app/command-line/backend-flags.ts';
import { flagSetOf } from '../app/command-line/flag-set.ts';
import {
  absoluteSpec,
  absoluteWords,
  type UnitEnvironment,
  unitEnvironment,
} from '../app/unit/unit-words.ts';
import type { UnitParts } from './unit-text.ts';

/** The parts of a unit from a command line of `mount` and its environment; relative paths start at `folder`. */
export function unitParts(line: {
  readonly args: readonly string[];
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}): Pick<UnitParts, 'argv' | 'source' | 'mountPoint'> & UnitEnvironment {
  const { args, argv, env, folder } = line;
  const [source = '', place = ''] = args;
  const flags = flagSetOf('mount', backendFlags());
  return {
    argv: absoluteWords(argv, flags, folder, 2),
    source: absoluteSpec(source, folder),
    mountPoint: resolve(folder, place),
    ...unitEnvironment(env, flags, folder),
  };
}

import { resolve } from 'node:path';
import { BACKENDS } from '../../backends/index.ts';
import { backendFlags } from '../command-line/backend-flags.ts';
import { flagSetOf } from '../command-line/flag-set.ts';
import { type UnitEnvironment, unitEnvironment } from './unit-environment.ts';
import type { UnitParts } from './unit-text.ts';
import { absoluteSource, unitWords } from './unit-words.ts';

/** What a command line of `mount` and its environment give to a unit; `folder` is what relative paths count from. */
export function unitParts(line: {
  readonly args: readonly string[];
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}): Pick<UnitParts, 'argv' | 'source' | 'mountPoint'> & UnitEnvironment {
  const { args, argv, env, folder } = line;
  const [source = '', place = ''] = args;
  const flags = flagSetOf('mount', backendFlags());
  const options = BACKENDS.flatMap((kind) => kind.options);
  return {
    argv: unitWords(argv, flags, folder),
    source: absoluteSource(source, folder),
    mountPoint: resolve(folder, place),
    ...unitEnvironment(env, flags, options, folder),
  };
}

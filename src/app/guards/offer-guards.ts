import { dirname, join } from 'node:path';
import type { iniSections } from '../../config/ini-lines.ts';
import type { Invocation } from '../command.ts';
import { readFlagPresets } from '../command-line/flag-presets.ts';

/**
 * The line that turns guards on in all runs, as a sentence, when the first remote of a configuration is created. `''` if
 * a variable or `defaults.conf` says already what is wanted.
 *
 * @param path of the configuration file
 */
export async function offerGuards(
  path: string | undefined,
  sections: ReturnType<typeof iniSections>,
  { argv, env }: Pick<Invocation, 'argv' | 'env'>,
): Promise<string> {
  if (path === undefined || sections.size !== 1 || env['SYNCER_GUARD'] !== undefined) return '';
  const { presets = [] } = (await readFlagPresets(argv, env)) ?? {};
  if (presets.some(({ name }) => name === 'guard')) return '';
  const file = join(dirname(path), 'defaults.conf');
  return `To stop a sync that would delete too much, write "guard = on" below [default] in ${file}.`;
}

import { readFlagPresets, typedValue } from './flag-presets.ts';
import type { FlagSet } from './flag-set.ts';

/**
 * The flags of the typed `--profile` that a command has, as words: `--transfers=8`.
 *
 * @param isStrong only those that must win over flags of a job or a plan, as words to follow these: all but lists, which
 *   grow
 */
export async function profileWords(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  { byName }: FlagSet,
  isStrong = false,
): Promise<readonly string[]> {
  const profile = typedValue(argv, '--profile');
  if (profile === undefined) return [];
  const { presets = [] } = (await readFlagPresets(argv, env)) ?? {};
  return presets.flatMap(({ section, name, text }) => {
    const flag = byName.get(name);
    const isWanted = section === `profile ${profile}` && flag !== undefined;
    return isWanted && !(isStrong && flag.definition.type === 'list') ? [`--${name}=${text}`] : [];
  });
}

import { OWN_TYPES } from '../../backends/index.ts';
import { RCLONE_TYPES, type RcloneToAsk, rcloneToAsk } from '../../backends/rclone/index.ts';
import {
  flagPrefix,
  type RcloneProvider,
  rcloneProviders,
} from '../../backends/rclone/providers.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { optionFlag } from './backend-flags.ts';
import { typedValue } from './flag-presets.ts';
import type { FlagSet, KnownFlag } from './flag-set.ts';
import { nearestName } from './nearest-name.ts';
import { hinted } from './read-tokens.ts';

/**
 * The flags of rclone's backends, if one of these unknown names may be one: then rclone is asked for them. Rejects with
 * `command-line` if there is no rclone, and no known flag of the same first word has a name like it.
 */
export async function flagsOfRclone(
  unknown: readonly string[],
  known: FlagSet,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly KnownFlag[]> {
  const found = unknown.find((name) => typeOfFlag(name) !== undefined);
  if (found === undefined) return [];
  const flags = { 'rclone-program': typedValue(argv, '--rclone-program') };
  try {
    return providerFlags(await rcloneProviders(rcloneToAsk({ flags, env }), OWN_TYPES));
  } catch (thrown) {
    const type = typeOfFlag(found);
    // `--http-proxi` is no flag of the backend http, but `--b2-chunk-size` is not meant as `--s3-chunk-size`.
    if (nearestName(found, known.byName.keys())?.startsWith(`${type}-`)) return [];
    const why = toSyncerError(thrown).message;
    const what = `--${found} is a flag of rclone's backend ${type}`;
    throw new SyncerError('command-line', `${what}, which needs rclone: ${why}`, hinted(why));
  }
}

/** The flags of these backends. None decides about files alone: such an option may start a program, or name a server. */
export function providerFlags(providers: readonly RcloneProvider[]): readonly KnownFlag[] {
  return providers.flatMap((provider) =>
    provider.options.map((option) => optionFlag(flagPrefix(provider), option, false)),
  );
}

/** The flags that may be meant by the beginning of one, such as `sftp-ho`. None if there is no rclone. */
export async function flagsByTyped(
  typed: string,
  rclone: RcloneToAsk,
): Promise<readonly KnownFlag[]> {
  if (typeOfFlag(typed) === undefined) return [];
  return providerFlags(await rcloneProviders(rclone, OWN_TYPES).catch(() => []));
}

/** The type of rclone's whose flag this may be: `sftp` of `sftp-host`. */
function typeOfFlag(name: string): string | undefined {
  return RCLONE_TYPES.find((type) => name.startsWith(`${type}-`));
}

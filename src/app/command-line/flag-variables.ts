import type { KnownFlag } from './flag-set.ts';

/**
 * The environment variables that set a flag, the one that wins first: `SYNCER_DRY_RUN` and `RCLONE_DRY_RUN` for
 * `dry-run`. Only the configuration file of rclone is not taken for syncer's.
 */
export function environmentVariables({ key, name }: KnownFlag): readonly string[] {
  const rest = name.toUpperCase().replaceAll('-', '_');
  return key === 'config' ? [`SYNCER_${rest}`] : [`SYNCER_${rest}`, `RCLONE_${rest}`];
}

import type { KnownFlag } from './flag-set.ts';

/**
 * The environment variables of a flag, in order of precedence: `SYNCER_DRY_RUN` and `RCLONE_DRY_RUN` for `dry-run`.
 * `RCLONE_CONFIG` is not read: it names rclone's configuration file.
 */
export function environmentVariables({ key, name }: KnownFlag): readonly string[] {
  const rest = name.toUpperCase().replaceAll('-', '_');
  return key === 'config' ? [`SYNCER_${rest}`] : [`SYNCER_${rest}`, `RCLONE_${rest}`];
}

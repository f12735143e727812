import type { Backend } from '../backend.ts';

/** The types of remotes of rclone 1.75 that syncer has no backend for, with their other names. */
export const RCLONE_TYPES: readonly string[] = `
  archive azureblob azurefiles b2 box cache chunker combine compress crypt doi drime drive dropbox fichier filefabric
  filelu filescom ftp gcs gofile googlecloudstorage googlephotos gphotos hasher hdfs hidrive http huaweidrive
  iclouddrive imagekit internetarchive internxt jottacloud koofr linkbox mailru mega netstorage opendrive
  oracleobjectstorage pcloud pikpak pixeldrain premiumizeme protondrive putio qingstor quatrix seafile sftp shade
  sharefile sia smb storj sugarsync swift tardigrade ulozto union uptobox webdav yandex zoho
`
  .trim()
  .split(/\s+/)
  .concat('google cloud storage', 'google photos');

/** Every type of remote that syncer has no backend for: the rclone that is installed opens it. */
export const rclone: Backend = {
  type: 'rclone',
  aliases: RCLONE_TYPES,
  servesOthers: true,
  summary: 'Every other type of remote, through the rclone that is installed.',
  options: [],
  load: () => import('./rclone-remote.ts'),
};

/** The program to ask: its name or path, `undefined` for `rclone`, and the environment with the path. */
export interface RcloneToAsk {
  readonly program: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** What says which rclone a run uses. */
export interface RunOfRclone {
  readonly flags: { readonly 'rclone-program'?: string | undefined };
  readonly env: NodeJS.ProcessEnv;
}

/** The rclone of a run: that of `--rclone-program`, else of the variable. */
export function rcloneToAsk({ flags, env }: RunOfRclone): RcloneToAsk {
  return { program: flags['rclone-program'] || env['SYNCER_RCLONE'] || undefined, env };
}

/** The options of remotes of rclone that are obscured in the configuration file, as `rclone obscure` does it. */
export const OBSCURED_OPTIONS: ReadonlySet<string> = new Set([
  'api_password',
  'file_password',
  'folder_password',
  'key_file_pass',
  'library_key',
  'mailbox_password',
  'otp_secret_key',
  'pass',
  'password',
  'password2',
  'plex_password',
  'secret',
]);

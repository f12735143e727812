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

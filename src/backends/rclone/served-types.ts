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

/** The options of these types that are obscured in the configuration file, as `rclone obscure` does it. */
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

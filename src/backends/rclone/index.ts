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

/** What an entry itself takes on a disk, as `lstat` says. */
export interface DiskUsage {
  /** Of its blocks, in bytes. */
  readonly bytes: number;
  /** Its length, also of a directory; in bytes. */
  readonly size: number;
  /** The device and the inode tell one file from another. */
  readonly device: bigint;
  readonly inode: bigint;
  /** How many names a file has (hard links); 0: several. */
  readonly links: number;
  /** Neither a file nor a directory: a link that is not followed, a socket, a device. */
  readonly isSpecial: boolean;
}

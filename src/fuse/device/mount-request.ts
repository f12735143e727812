/** A mount that is to be made. */
export interface MountRequest {
  /** Absolute, without links. */
  readonly mountPoint: string;
  /** What `mount` and `df` show as its source: `remote:path`. */
  readonly source: string;
  /** The type is `fuse.` and this. */
  readonly subtype: string;
  readonly allowOther: boolean;
  readonly defaultPermissions: boolean;
  readonly readOnly: boolean;
  /** fusermount of FUSE 2 wants to be told. */
  readonly allowNonEmpty: boolean;
  /** The largest read, in bytes; the kernel's own limit where absent. */
  readonly maxRead?: number;
  /** More options of the kind that mount(8) knows: `noatime`, `nosuid`, `noexec`. */
  readonly options: readonly string[];
}

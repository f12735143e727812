import { BITS, KERNEL_OPTION, MS } from './mount-flags.ts';

/** The options for mount(2), which come as text. */
export function kernelOptions(request: MountRequest, fd: number, uid: number, gid: number): string {
  const own = [`fd=${fd}`, 'rootmode=40000', `user_id=${uid}`, `group_id=${gid}`];
  return [...new Set([...own, ...fuseOptions(request)])].join(',');
}

/** The options for fusermount. */
export function fusermountOptions(request: MountRequest): string {
  const { source, subtype, readOnly, allowNonEmpty, options } = request;
  const named = [`fsname=${escapeOption(source)}`, `subtype=${subtype}`];
  const bits = options.filter((option) => Object.hasOwn(BITS, option));
  if (readOnly) bits.push('ro');
  // fusermount of FUSE 3 ignores it.
  if (allowNonEmpty) bits.push('nonempty');
  return [...new Set([...named, ...bits, ...fuseOptions(request)])].join(',');
}

function fuseOptions(request: MountRequest): string[] {
  const { allowOther, defaultPermissions, maxRead, options } = request;
  return [
    ...(allowOther ? ['allow_other'] : []),
    ...(defaultPermissions ? ['default_permissions'] : []),
    ...(maxRead === undefined ? [] : [`max_read=${maxRead}`]),
    ...options.filter((option) => KERNEL_OPTION.test(option)),
  ];
}

function escapeOption(text: string): string {
  return text.replace(/[\\,]/g, '\\$&');
}

/** A mount to make. */
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
  /** fusermount of FUSE 2 needs an option for it. */
  readonly allowNonEmpty: boolean;
  /** The largest read, in bytes; the kernel's own limit by default. */
  readonly maxRead?: number;
  /** Further options of mount(8): `noatime`, `nosuid`, `noexec`. */
  readonly options: readonly string[];
}

/** The bits for mount(2). Set-user-ID programs and devices of a remote are disabled by default. */
export function mountFlags({ readOnly, options }: MountRequest): number {
  let flags: number = MS.noSuid | MS.noDev;
  for (const option of options) {
    const [bit, isSet] = BITS[option] ?? [0, true];
    flags = isSet ? flags | bit : flags & ~bit;
  }
  return readOnly ? flags | MS.readOnly : flags;
}

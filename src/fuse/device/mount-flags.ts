/** The bits of mount(2). */
export const MS = {
  readOnly: 1,
  noSuid: 2,
  noDev: 4,
  noExec: 8,
  synchronous: 16,
  dirSync: 128,
  noAtime: 1024,
  noDirAtime: 2048,
  relatime: 1 << 21,
  strictAtime: 1 << 24,
} as const;

/** Options of mount(8) that are bits of mount(2): the bit, and whether it is set or cleared. */
export const BITS: Readonly<Record<string, readonly [bit: number, isSet: boolean]>> = {
  ro: [MS.readOnly, true],
  rw: [MS.readOnly, false],
  nosuid: [MS.noSuid, true],
  suid: [MS.noSuid, false],
  nodev: [MS.noDev, true],
  dev: [MS.noDev, false],
  noexec: [MS.noExec, true],
  exec: [MS.noExec, false],
  sync: [MS.synchronous, true],
  async: [MS.synchronous, false],
  dirsync: [MS.dirSync, true],
  noatime: [MS.noAtime, true],
  atime: [MS.noAtime, false],
  nodiratime: [MS.noDirAtime, true],
  diratime: [MS.noDirAtime, false],
  relatime: [MS.relatime, true],
  norelatime: [MS.relatime, false],
  strictatime: [MS.strictAtime, true],
  nostrictatime: [MS.strictAtime, false],
};

/** Further options of the kernel's FUSE file system. */
export const KERNEL_OPTION = /^(allow_other|default_permissions|max_read=\d+)$/;

/** Whether an `-o` option is one of the mount itself. */
export function isMountOption(option: string): boolean {
  return Object.hasOwn(BITS, option) || KERNEL_OPTION.test(option);
}

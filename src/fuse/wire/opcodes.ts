/** Opcodes of requests: `enum fuse_opcode` of linux/fuse.h, as far as they are supported. */
export const OPCODE = {
  lookup: 1,
  forget: 2,
  getAttributes: 3,
  setAttributes: 4,
  readLink: 5,
  symlink: 6,
  makeNode: 8,
  makeDir: 9,
  unlink: 10,
  removeDir: 11,
  rename: 12,
  link: 13,
  open: 14,
  read: 15,
  write: 16,
  statFs: 17,
  release: 18,
  sync: 20,
  setXattr: 21,
  getXattr: 22,
  listXattr: 23,
  removeXattr: 24,
  flush: 25,
  init: 26,
  openDir: 27,
  readDir: 28,
  releaseDir: 29,
  syncDir: 30,
  access: 34,
  create: 35,
  interrupt: 36,
  destroy: 38,
  batchForget: 42,
  readDirPlus: 44,
  rename2: 45,
} as const;

/** The name of an opcode for the log. */
export function opcodeName(opcode: number): string {
  const found = Object.entries(OPCODE).find(([, value]) => value === opcode);
  return found?.[0] ?? `opcode ${opcode}`;
}

/** Bits of `NodeColumns.flags`. */
export const nodeFlags = {
  isDir: 1,
  isGone: 2,
  hasUnknownSize: 4,
  timeIsOld: 8,
  isListed: 16,
  isLinked: 32,
  isSpecial: 64,
  isExcluded: 128,
  /** Its figures are in no sum above it. */
  isApart: 130,
} as const;

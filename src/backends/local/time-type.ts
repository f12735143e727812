/** The kinds of times that can stand for the modification time. */
export const TIME_TYPES = ['mtime', 'atime', 'btime', 'ctime'] as const;

/** Which time of a file counts as its modification time when it is read. */
export type TimeType = (typeof TIME_TYPES)[number];

/** What is wrong with the text of the option `time_type`; `undefined` for a valid one. */
export function wrongTimeType(text: string): string | undefined {
  const isKnown = TIME_TYPES.some((name) => name === text.toLowerCase());
  return isKnown ? undefined : `must be one of ${TIME_TYPES.join(', ')}, not "${text}"`;
}

/** The first line to show so that line `cursor` of `total` is among `rows`, moved from `first` as little as can be. */
export function scrollTo(first: number, cursor: number, rows: number, total: number): number {
  const latest = Math.max(0, total - rows);
  if (cursor < first) return Math.max(0, Math.min(cursor, latest));
  if (cursor >= first + rows) return Math.max(0, Math.min(cursor - rows + 1, latest));
  return Math.max(0, Math.min(first, latest));
}

/** `cursor` moved by `step` among `total` lines, held at both ends. */
export function moveCursor(cursor: number, step: number, total: number): number {
  return Math.max(0, Math.min(total - 1, cursor + step));
}

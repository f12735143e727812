/** Gives every run an id that no other run of this or an earlier server has; ids sort by their time. */
export function runIds(startMs: number): () => string {
  const start = startMs.toString(36);
  let count = 0;
  return () => `${start}-${(++count).toString(36).padStart(4, '0')}`;
}

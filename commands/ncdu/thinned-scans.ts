const DAY_MS = 86_400_000;

/** The ages around which a scan is kept, in days. */
const AGES = [1, 7, 30, 91] as const;

/**
 * Which of the scans of a path stay, by their times: the newest, and in each span between two ages the oldest, so that
 * one about a day, a week, a month and a quarter old is there if scans are made often enough. Those of a time to come
 * stay: one of the clocks was wrong.
 */
export function thinnedScans(times: readonly number[], nowMs: number): ReadonlySet<number> {
  const newestFirst = times.filter((time) => time <= nowMs).sort((a, b) => b - a);
  const kept = new Set([...newestFirst.slice(0, 1), ...times.filter((time) => time > nowMs)]);
  let from = 0;
  for (const days of AGES) {
    const oldest = newestFirst.findLast((time) => {
      const age = nowMs - time;
      return age >= from && age < days * DAY_MS;
    });
    if (oldest !== undefined) kept.add(oldest);
    from = days * DAY_MS;
  }
  const beyond = newestFirst.find((time) => nowMs - time >= from);
  if (beyond !== undefined) kept.add(beyond);
  return kept;
}

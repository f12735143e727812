import type { Plan } from '../../../../src/run/review/plan-consent.ts';
import type { ChangeKind, PlannedChange } from '../../../../src/run/review/planned-change.ts';

/** A plan from lines such as `delete old/file 12`: kind, path, size. */
export function aPlan(...lines: readonly string[]): Plan {
  const plan = new Map<string, PlannedChange>();
  for (const line of lines) {
    const [kind = '', path = '', size = '1'] = line.split(' ');
    const isDir = kind.endsWith('-dir');
    const change: PlannedChange = {
      kind: kind as ChangeKind,
      path,
      size: isDir ? -1 : Number(size),
      isDir,
      reason: `reason of ${path}`,
    };
    plan.set(line, change);
  }
  return plan;
}

/** One of every kind, in folders. */
export const MIXED = aPlan(
  'copy photos/2024/a.jpg 1000',
  'copy photos/2024/b.jpg 2000',
  'update photos/list.txt 30',
  'delete old/x 5',
  'delete old/deep/y 6',
  'remove-dir old/deep',
  'remove-dir old',
  'time notes.txt 7',
  'rename moved/new 8',
);

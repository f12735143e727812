import type { PastRun } from '../../state/runs.ts';

/** Commands that take `--review`. */
const PLANNED: ReadonlySet<string> = new Set(
  'copy sync bisync move copyto moveto delete purge'.split(' '),
);

/** Whether the same run can show its plan first: `--review` can follow its words, which it cannot after a `--`. */
export function canPlan({ words }: Pick<PastRun, 'words'>): boolean {
  const isReal = !words.some((word) => /^(-n|--|--dry-run(=true)?|--review(=true)?)$/.test(word));
  return isReal && words.some((word) => PLANNED.has(word));
}

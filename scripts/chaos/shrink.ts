import type { Case, Plan } from './case.ts';
import { SIDES } from './tree.ts';

/** Smaller cases that may fail in the same way, the smallest steps last. */
function* smaller(trial: Case): Generator<Case> {
  const { fault, ...sound } = trial;
  if (fault !== undefined) yield sound;
  const { archived, ...warm } = trial;
  if (archived !== undefined) yield warm;
  for (let i = trial.flags.length - 1; i >= 0; i--) {
    // Without this flag, what is mounted inside may change.
    if (trial.mounted !== undefined && trial.flags[i] === '--one-file-system') continue;
    yield { ...trial, flags: trial.flags.filter((_, at) => at !== i) };
  }
  for (const side of SIDES) {
    const plan = trial[side];
    if (plan === undefined) continue;
    const paths = Object.keys(plan);
    if (paths.length > 3) {
      const half = Math.ceil(paths.length / 2);
      yield { ...trial, [side]: only(plan, paths.slice(0, half)) };
      yield { ...trial, [side]: only(plan, paths.slice(half)) };
    }
    if (paths.length <= 40) {
      for (const path of paths) {
        yield {
          ...trial,
          [side]: only(
            plan,
            paths.filter((other) => other !== path),
          ),
        };
      }
    }
  }
  const { within, ...direct } = trial;
  if (within) yield direct;
}

function only(plan: Plan, paths: readonly string[]): Plan {
  return Object.fromEntries(Object.entries(plan).filter(([path]) => paths.includes(path)));
}

/**
 * Leaves out of a failing case what is not needed for it to fail.
 * @param fails runs a case; what is wrong, or `undefined`
 * @param until when to stop, on the clock of `performance.now()`
 */
export async function shrink<Found extends { readonly trial: Case }>(
  found: Found,
  fails: (trial: Case) => Promise<Found | undefined>,
  until: number,
): Promise<Found> {
  let smallest = found;
  for (let progress = true; progress; ) {
    progress = false;
    for (const trial of smaller(smallest.trial)) {
      if (performance.now() > until) return smallest;
      const again = await fails(trial);
      if (again === undefined) continue;
      smallest = again;
      progress = true;
      break;
    }
  }
  return smallest;
}

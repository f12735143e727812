import type { Context } from '../../core/context.ts';
import type { ChangeGuard } from '../../sync/change-guard.ts';
import type { Invocation } from '../command.ts';

/** The same invocation with another guard and context. What it computes when asked is not asked for by this. */
export function withGuard(
  invocation: Invocation,
  guard: ChangeGuard | undefined,
  context: Context = invocation.context,
): Invocation {
  return Object.create(invocation, {
    guard: { value: guard, enumerable: true },
    context: { value: context, enumerable: true },
  }) as Invocation;
}

import { expect, onTestFinished, test, vi } from 'vitest';
import { ChosenPlan, CollectedPlan } from '../../../../src/run/review/plan-consent.ts';
import { startTimeLimit } from '../../../../src/run/transfer/sync-options.ts';
import type { Invocation } from '../../../../src/shell/command-line/command.ts';
import { quietContext } from '../../../support/memory-world.ts';

test('the time of --max-duration begins when the changes of a review do', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const plan = new CollectedPlan({
    choose: async () => new ChosenPlan({ plan: plan.changes, chosen: new Set() }),
  });
  const flags = { 'max-duration': 1000, 'cutoff-mode': 'hard' };
  const { context } = quietContext();
  const limit = startTimeLimit({
    context,
    flags,
    consent: { how: 'collect', plan },
  } as unknown as Invocation);
  vi.advanceTimersByTime(60_000);
  expect(limit.context.signal.aborted).toBe(false);
  await plan.choose?.(false);
  await plan.made;
  vi.advanceTimersByTime(999);
  expect(limit.context.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(limit.context.signal.reason).toMatchObject({ code: 'max-duration' });
  limit.end();
});

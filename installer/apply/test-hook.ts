import { SyncerError } from '../../src/core/errors.ts';
import { TEST_ANSWER } from '../files/installed-files.ts';
import type { StepOf } from '../plan/step.ts';
import type { ServiceState } from '../services/systemctl.ts';
import type { Doer, World } from './job.ts';

const SERVICE = 'webhook.service';

/** Between two tries, in milliseconds. */
const PAUSE_MS = 100;

/** A single request may take so long, in milliseconds. */
const ANSWER_MS = 5000;

/** Calls the hook until it answers, the service fails, or it takes too long; resolves to the answer. */
export const callTestHook: Doer<StepOf<'test-hook'>> = async ({ port, token }, world) => {
  const { clock, options, signal, services } = world;
  const end = clock.monotonic() + options.timeouts.startMs;
  const query = token === undefined ? '' : `hooks/test?token=${encodeURIComponent(token)}`;
  for (;;) {
    const answer = await get(`http://127.0.0.1:${port}/${query}`, signal);
    if (answer !== undefined) return judged(answer, token);
    const state = await services.state(SERVICE);
    const isLate = clock.monotonic() > end;
    // Between a failure and the next try systemd says "activating", before the first start it says so too.
    if (state === 'failed' || isLate) throw await notStarted(world, state, isLate);
    await clock.sleep(PAUSE_MS, signal);
  }
};

/** The body of the response; `undefined` without one. */
async function get(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    return await (await fetch(url, { signal: limit, redirect: 'manual' })).text();
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

function judged(answer: string, token: string | undefined): string {
  if (token === undefined) return 'it responds';
  if (answer === TEST_ANSWER) return answer.trim();
  const text = answer.trim().slice(0, 100);
  throw new SyncerError(
    'bad-answer',
    `the test hook returned "${text}" instead of "test success!"`,
  );
}

async function notStarted(
  { options }: World,
  state: ServiceState,
  isLate: boolean,
): Promise<SyncerError> {
  const waited = isLate ? ` within ${options.timeouts.startMs / 1000} s` : '';
  return new SyncerError(
    'other',
    `the service does not respond${waited}: systemd says it is ${state}; journalctl -u ${SERVICE} shows why`,
  );
}

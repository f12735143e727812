import type { Runs } from '../server/runs.ts';
import { packRequest } from './packed-request.ts';
import type { FromThread, ThreadPlan } from './thread-messages.ts';

/** For a thread that starts no commands: what is to be counted and kept is told to the main thread. */
export function runsElsewhere(
  { keepsRequests, counts }: Pick<ThreadPlan, 'keepsRequests' | 'counts'>,
  tell: (message: FromThread) => void,
): Runs {
  return {
    keepsRequests,
    answered: (hook, status) => {
      if (counts) tell({ type: 'answered', hook, status });
    },
    refused: ({ id: hook }, request, origin, explain) => {
      if (!keepsRequests && !counts) return;
      const kept = keepsRequests
        ? { request: packRequest(request), explanation: explain() }
        : undefined;
      tell({ type: 'refused', hook, origin, kept });
    },
  };
}

import type { CommandContext } from '../command/run-command.ts';
import type { Hook } from '../file/hook.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import type { RuleExplanation } from '../rule/explain-rule.ts';
import {
  noteRefusal,
  type RequestOrigin,
  type RunServices,
  type RunStart,
  startRun,
} from './start-run.ts';

/** What a command is run with, as far as it depends on the request. */
export type RunContext = Omit<CommandContext, 'env' | 'starter'>;

/** What is done about requests besides answering them. */
export interface Runs {
  /** Requests are kept, for those who ask. */
  readonly keepsRequests: boolean;
  /** Counts an answer; `hook` is empty where there is no such hook. */
  answered(hook: string, status: number): void;
  /** Enters a request that a rule refused. */
  refused(
    hook: Hook,
    request: HookRequest,
    origin: RequestOrigin,
    explain: () => RuleExplanation,
  ): void;
  /** Starts a command, now or when its turn comes. */
  start(hook: Hook, request: HookRequest, origin: RequestOrigin, context: RunContext): RunStart;
  /** Resolves when not too many starts wait for another to be asked for. */
  room(): Promise<void> | undefined;
}

/** Starts, counts and keeps runs. */
export function runsHere(
  services: RunServices,
  { env, starter }: Pick<CommandContext, 'env' | 'starter'>,
): Runs {
  return {
    keepsRequests: services.ledger !== undefined,
    answered: (hook, status) => services.counters?.answered(hook, status),
    refused: (hook, request, origin, explain) => {
      noteRefusal(hook, request, origin, services, explain);
    },
    start: (hook, request, origin, context) =>
      startRun(hook, request, origin, { ...context, env, starter }, services),
    room: () => starter.room(),
  };
}

import type { CommandContext } from '../command/run-command.ts';
import type { Hook } from '../file/hook.ts';
import type { HookLog } from '../log/hook-log.ts';
import { redactor } from '../log/redact.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { explainRule } from '../rule/explain-rule.ts';
import type { RunRecord } from '../run/run-record.ts';
import { redactExplanation } from './redact-explanation.ts';
import { requestId } from './request-id.ts';
import type { ServerOptions } from './server-options.ts';
import { MAX_LOGGED, noteRefusal, type RunServices, startRun } from './start-run.ts';

/** What another run needs. */
export interface RerunServices extends Pick<CommandContext, 'env' | 'starter'> {
  readonly log: HookLog;
  readonly options: ServerOptions;
  readonly runs: RunServices;
}

/**
 * Runs a hook again with the request of an earlier run. A request that was refused is judged anew; one that was not
 * needs no second judgement, which a signature with a date would not pass. Gives the id of the new run.
 */
export function rerun(
  run: RunRecord,
  hook: Hook,
  request: HookRequest,
  { log, options, env, starter, runs }: RerunServices,
): string {
  const id = requestId(undefined, options);
  const redact = redactor(hook, request);
  const line = (text: string) => log.line(`[${id}] ${redact(text)}`);
  const logBare = (text: string) => log.line(redact(text));
  const origin = { requestId: id, target: run.target, rerunOf: run.id };
  line(`${hook.id} is run again with the request of run ${run.id}`);
  if (run.state === 'refused' && hook.rule !== undefined) {
    const { softSignatures } = hook;
    const judging = { nowMs: Date.now(), regexes: new WeakMap(), warn: () => {}, softSignatures };
    const explanation = explainRule(hook.rule, request, judging);
    if (explanation.outcome !== 'yes') {
      const explain = () => redactExplanation(explanation, redact);
      return noteRefusal(hook, request, origin, runs, explain);
    }
  }
  const context = {
    env,
    starter,
    log: line,
    logBare,
    logOn: log.on,
    maxOutput: log.on ? MAX_LOGGED : 0,
  };
  return startRun(hook, request, origin, { ...context, isFirstUse: () => false }, runs).id;
}

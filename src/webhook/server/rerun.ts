import type { Hook } from '../file/hook.ts';
import type { HookLog } from '../log/hook-log.ts';
import { redactor } from '../log/redact.ts';
import { MAX_LOGGED } from '../log/shown-bytes.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { explainRule } from '../rule/explain-rule.ts';
import type { HookRuns } from '../run/hook-runs.ts';
import type { RunRecord } from '../run/run-record.ts';
import { randomRequestId } from './request-id.ts';

/**
 * Runs a hook again with the request of an earlier run. Only a request that was refused is judged again: a signature
 * with a date would not pass a second time. Gives the id of the new run.
 */
export function rerun(
  run: RunRecord,
  hook: Hook,
  request: HookRequest,
  { log, runs }: { readonly log: HookLog; readonly runs: HookRuns },
): string {
  const id = randomRequestId();
  const redact = redactor(hook, request, new Map(), log.secrets);
  const line = (text: string) => log.line(`[${id}] ${text}`);
  const origin = { requestId: id, target: run.target, rerunOf: run.id };
  line(`running ${hook.id} again with the request of run ${run.id}`);
  if (run.state === 'refused' && hook.rule !== undefined) {
    const { softSignatures } = hook;
    const judging = { nowMs: Date.now(), regexes: new WeakMap(), warn: () => {}, softSignatures };
    const explanation = explainRule(hook.rule, request, judging, redact);
    if (explanation.outcome !== 'yes') {
      return runs.refused(hook, request, origin, () => explanation);
    }
  }
  return runs.start(hook, request, origin, {
    log: line,
    logBare: (text) => log.line(text),
    redact,
    logOn: log.on,
    maxOutput: log.on ? MAX_LOGGED : 0,
    isFirstUse: () => false,
  }).id;
}

import { type CommandContext, runCommand } from '../command/run-command.ts';
import type { Hook } from '../file/hook.ts';
import { GoFault } from '../go/go-fault.ts';
import { type Answer, textAnswer } from '../http/answer.ts';
import { statusText } from '../http/status-text.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { NotFoundFault } from '../parameter/lookup.ts';
import { evaluateRule } from '../rule/evaluate-rule.ts';
import type { CompiledRegexes } from '../rule/match-regex.ts';
import { SignatureFault } from '../rule/signature-fault.ts';

/** What judging and answering needs besides hook and request. */
export interface HookContext extends CommandContext {
  /** Headers that the command line sets. */
  readonly headers: Answer['headers'];
  readonly nowMs: number;
  readonly logOn: boolean;
  readonly regexes: CompiledRegexes;
}

const EXECUTION_FAILED =
  "Error occurred while executing the hook's command. Please check your logs for more details.";

/** Judges a hook's rule, runs its command where it is satisfied, and says what is answered. */
export async function answerHook(
  hook: Hook,
  request: HookRequest,
  context: HookContext,
): Promise<Answer> {
  const { headers, log } = context;
  let satisfied = true;
  try {
    if (hook.rule !== undefined) satisfied = isSatisfied(hook, request, context);
  } catch (thrown) {
    if (!(thrown instanceof GoFault)) throw thrown;
    log(`error evaluating hook: ${thrown.message}`);
    const hasOwnCode = thrown instanceof SignatureFault && hook.mismatchCode !== 0;
    if (!hasOwnCode) return textAnswer(500, 'Error occurred while evaluating hook rules.', headers);
    satisfied = false;
  }
  if (!satisfied) {
    const status = configuredStatus(hook, hook.mismatchCode, log);
    const why = "but didn't get triggered because the trigger rules were not satisfied";
    log(`${hook.id} got matched, ${why}`);
    return textAnswer(status, 'Hook rules were not satisfied.', headers);
  }
  log(`${hook.id} hook triggered successfully`);
  const all = [
    ...headers,
    ...hook.responseHeaders.map(({ name, value }) => [name, value] as const),
  ];
  if (!hook.includeOutput) {
    void runCommand(hook, request, { ...context, keepOutput: context.logOn });
    return textAnswer(configuredStatus(hook, hook.successCode, log), hook.responseMessage, all);
  }
  const { output, failed } = await runCommand(hook, request, { ...context, keepOutput: true });
  if (!failed) {
    return { status: configuredStatus(hook, hook.successCode, log), headers: all, body: output };
  }
  if (hook.includeOutputOnError) return { status: 500, headers: all, body: output };
  const type = ['Content-Type', 'text/plain; charset=utf-8'] as const;
  return textAnswer(500, EXECUTION_FAILED, [type, ...all]);
}

function isSatisfied(
  hook: Hook,
  request: HookRequest,
  { log, logBare, nowMs, regexes }: HookContext,
): boolean {
  if (hook.rule === undefined) return true;
  try {
    return evaluateRule(hook.rule, request, {
      nowMs,
      regexes,
      warn: logBare,
      softSignatures: hook.softSignatures,
    });
  } catch (thrown) {
    if (!(thrown instanceof NotFoundFault)) throw thrown;
    log(thrown.message);
    return false;
  }
}

/** The code of a hook where it is one that can be used. */
function configuredStatus(hook: Hook, code: number, log: (line: string) => void): number {
  if (code === 0) return 200;
  if (statusText(code) !== undefined) return code;
  log(
    `${hook.id} got matched, but the configured return code ${code} is unknown - defaulting to 200`,
  );
  return 200;
}

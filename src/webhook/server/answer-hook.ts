import { GoFault } from '../../go/go-fault.ts';
import type { CommandResult } from '../command/run-command.ts';
import type { Hook } from '../file/hook.ts';
import { type HookAnswer, textAnswer } from '../http/answer.ts';
import { statusText } from '../http/status-text.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { NotFoundFault } from '../parameter/lookup.ts';
import type { RuleContext } from '../rule/evaluate-match.ts';
import { evaluateRule } from '../rule/evaluate-rule.ts';
import { explainRule } from '../rule/explain-rule.ts';
import type { CompiledRegexes } from '../rule/match-regex.ts';
import { SignatureFault } from '../rule/signature-fault.ts';
import { ByteChannel } from '../run/byte-channel.ts';
import { redactExplanation } from './redact-explanation.ts';
import type { RunContext, Runs } from './runs.ts';
import { MAX_LOGGED, type RequestOrigin, type RunStart } from './start-run.ts';

/** What is said where a command fails whose output is on its way already. */
const STREAM_FAILED =
  "Error occurred while executing the hook's stream command. Please check your logs for more details.";

/** The answers that a streamed command may have. */
interface StreamedAnswers {
  readonly success: () => Pick<HookAnswer, 'status' | 'headers'>;
  readonly failure: () => HookAnswer;
  /** The run was given up before it began. */
  readonly givenUp: () => HookAnswer;
}

/** What judging and answering needs besides hook and request. */
export interface HookContext extends RunContext {
  /** Headers that the command line sets. */
  readonly headers: HookAnswer['headers'];
  readonly nowMs: number;
  readonly regexes: CompiledRegexes;
  readonly runs: Runs;
  readonly origin: RequestOrigin;
  /** Every answer names its run. */
  readonly nameRuns: boolean;
  /** Hides secrets. */
  readonly redact: (text: string) => string;
}

const EXECUTION_FAILED =
  "Error occurred while executing the hook's command. Please check your logs for more details.";

/** Judges a hook's rule, runs its command where it is satisfied, and says what is answered. */
export async function answerHook(
  hook: Hook,
  request: HookRequest,
  context: HookContext,
): Promise<HookAnswer> {
  const refusal = judge(hook, request, context);
  if (refusal !== undefined) return refusal;
  const { log, logOn, origin, runs } = context;
  log(`${hook.id} hook triggered successfully`);
  const channel = hook.streamOutput ? new ByteChannel() : undefined;
  const maxOutput = hook.includeOutput ? Number.POSITIVE_INFINITY : logOn ? MAX_LOGGED : 0;
  const onOutput = channel && { onOutput: (chunk: Buffer) => channel.push(chunk) };
  const run = runs.start(hook, request, origin, { ...context, maxOutput, ...onOutput });
  const named =
    context.nameRuns || hook.extended
      ? [...context.headers, ['X-Hook-Run', run.id] as const]
      : context.headers;
  const waits = channel !== undefined || hook.includeOutput || hook.responseMode === 'sync';
  if (run.outcome === 'limited') return tooMany(429, run.retryMs, named);
  if (run.outcome === 'full' || (run.outcome === 'left-out' && waits)) {
    return tooMany(503, 1000, named);
  }
  const headers = [
    ...named,
    ...hook.responseHeaders.map(({ name, value }) => [name, value] as const),
  ];
  const success = () => configuredStatus(hook, hook.successCode, log);
  if (!waits || run.outcome !== 'accepted') {
    await runs.room();
    return textAnswer(success(), hook.responseMessage, headers);
  }
  if (channel !== undefined) {
    return await streamedAnswer(channel, run.done, {
      success: () => ({ status: success(), headers }),
      failure: () => failed(headers),
      givenUp: () => tooMany(503, 1000, named),
    });
  }
  return await answerWithResult(hook, run, { headers, named, success });
}

async function answerWithResult(
  hook: Hook,
  run: Extract<RunStart, { outcome: 'accepted' }>,
  parts: { headers: HookAnswer['headers']; named: HookAnswer['headers']; success: () => number },
): Promise<HookAnswer> {
  const { headers, named, success } = parts;
  const result = await run.done;
  if (result === undefined) return tooMany(503, 1000, named);
  if (!result.failed) {
    return hook.includeOutput
      ? { status: success(), headers, body: result.output }
      : textAnswer(success(), hook.responseMessage, headers);
  }
  if (hook.includeOutput && hook.includeOutputOnError) {
    return { status: 500, headers, body: result.output };
  }
  return failed(headers);
}

function failed(headers: HookAnswer['headers']): HookAnswer {
  const type = ['Content-Type', 'text/plain; charset=utf-8'] as const;
  return textAnswer(500, EXECUTION_FAILED, [type, ...headers]);
}

/** Nothing was run, as too much runs already: after so long it may be otherwise. */
function tooMany(status: 429 | 503, retryMs: number, headers: HookAnswer['headers']): HookAnswer {
  const after = ['Retry-After', String(Math.ceil(retryMs / 1000))] as const;
  const text = status === 429 ? 'Too many requests for this hook.' : 'Too many runs are waiting.';
  return textAnswer(status, text, [...headers, after]);
}

/** What is answered where the rule says no. */
function judge(hook: Hook, request: HookRequest, context: HookContext): HookAnswer | undefined {
  const { headers, log } = context;
  if (hook.rule === undefined) return undefined;
  const { rule } = hook;
  const refused = () => {
    const explain = () =>
      redactExplanation(
        explainRule(
          rule,
          request,
          ruleContext(hook, context, () => {}),
        ),
        context.redact,
      );
    context.runs.refused(hook, request, context.origin, explain);
  };
  try {
    if (isSatisfied(hook, request, context)) return undefined;
  } catch (thrown) {
    if (!(thrown instanceof GoFault)) throw thrown;
    log(`error evaluating hook: ${thrown.message}`);
    const hasOwnCode = thrown instanceof SignatureFault && hook.mismatchCode !== 0;
    if (!hasOwnCode) {
      refused();
      return textAnswer(500, 'Error occurred while evaluating hook rules.', headers);
    }
  }
  refused();
  const status = configuredStatus(hook, hook.mismatchCode, log);
  const why = "but didn't get triggered because the trigger rules were not satisfied";
  log(`${hook.id} got matched, ${why}`);
  return textAnswer(status, 'Hook rules were not satisfied.', headers);
}

function ruleContext(
  hook: Hook,
  { nowMs, regexes }: Pick<HookContext, 'nowMs' | 'regexes'>,
  warn: (line: string) => void,
): RuleContext {
  return { nowMs, regexes, warn, softSignatures: hook.softSignatures };
}

function isSatisfied(hook: Hook, request: HookRequest, context: HookContext): boolean {
  if (hook.rule === undefined) return true;
  try {
    return evaluateRule(hook.rule, request, ruleContext(hook, context, context.logBare));
  } catch (thrown) {
    if (!(thrown instanceof NotFoundFault)) throw thrown;
    context.log(thrown.message);
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

/**
 * The answer that holds what a command writes, while it writes. Resolves with the first piece, or when the command
 * ends without a word.
 */
async function streamedAnswer(
  channel: ByteChannel,
  done: Promise<CommandResult | undefined>,
  { success, failure, givenUp }: StreamedAnswers,
): Promise<HookAnswer> {
  void done.then(() => channel.close());
  const chunks = channel[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done !== true) {
    return { ...success(), body: first.value, rest: restOf(chunks, done) };
  }
  const result = await done;
  if (result === undefined) return givenUp();
  return result.failed ? failure() : { ...success(), body: Buffer.alloc(0) };
}

async function* restOf(
  chunks: AsyncGenerator<Buffer>,
  done: Promise<CommandResult | undefined>,
): AsyncGenerator<Buffer> {
  yield* chunks;
  const result = await done;
  if (result?.failed === true) yield Buffer.from(STREAM_FAILED);
}

import { randomInt } from 'node:crypto';
import { TransformStream } from 'node:stream/web';
import { nameToBytes } from '../../core/name-bytes.ts';
import type { RunContext } from '../command/run-command.ts';
import type { Hook } from '../hook.ts';
import { type HookAnswer, NO_BODY, sentHeaders, statusText, textAnswer } from '../http/answer.ts';
import type { RequestHead } from '../http/request-head.ts';
import type { HookLog } from '../log/hook-log.ts';
import { MAX_LOGGED, type Redact, redactHeader, redactor, shownBytes } from '../log/redact.ts';
import type { HookRequest } from '../parameter/parameter-value.ts';
import { SignatureFault } from '../rule/check-signature.ts';
import { type CompiledRegexes, explain, isMet, judge, type Trace } from '../rule/judge-rule.ts';
import type { HookRuns, RequestOrigin } from '../run/hook-runs.ts';
import type { RunRecord } from '../run/run-ledger.ts';

/** Six random hexadecimal digits. */
export function randomRequestId(): string {
  return randomInt(1 << 24)
    .toString(16)
    .padStart(6, '0');
}

const EXECUTION_FAILED =
  "Error occurred while executing the hook's command. Please check your logs for more details.";
const STREAM_FAILED =
  "Error occurred while executing the hook's stream command. Please check your logs for more details.";

/** What judging needs besides hook and request. */
interface JudgingContext {
  /** Takes lines about the request. */
  readonly log: (line: string) => void;
  /** Takes lines that do not name the request. */
  readonly logBare: (line: string) => void;
  readonly redact: Redact;
  readonly regexes: CompiledRegexes;
  readonly runs: Pick<HookRuns, 'refused'>;
  readonly origin: RequestOrigin;
}

/** What judging and answering needs besides hook and request. */
export interface HookContext extends Omit<RunContext, 'maxOutput' | 'onOutput'>, JudgingContext {
  readonly runs: Pick<HookRuns, 'start' | 'refused' | 'room'>;
  /** Every answer names its run. */
  readonly nameRuns: boolean;
}

/** Judges a hook's rule, runs its command where it is satisfied, and gives the answer. */
export async function answerHook(
  hook: Hook,
  request: HookRequest,
  context: HookContext,
): Promise<HookAnswer> {
  const refusal = refusalOf(hook, request, context);
  if (refusal !== undefined) return refusal;
  const { log, logOn, origin, runs } = context;
  log(`${hook.id} hook triggered successfully`);
  const channel = hook.streamOutput ? new TransformStream<Buffer, Buffer>() : undefined;
  const writer = channel?.writable.getWriter();
  const maxOutput = hook.includeOutput ? Number.POSITIVE_INFINITY : logOn ? MAX_LOGGED : 0;
  // A client that has left takes no more: the command goes on.
  const onOutput = writer && ((chunk: Buffer) => writer.write(chunk).catch(() => {}));
  const run = runs.start(hook, request, origin, { ...context, maxOutput, onOutput });
  const isNamed = context.nameRuns || hook.extended;
  const headers: HookAnswer['headers'] = isNamed ? [['X-Hook-Run', run.id]] : [];
  const waits = channel !== undefined || hook.includeOutput || hook.responseMode === 'sync';
  if (run.outcome === 'limited') return tooMany(429, run.retryMs, headers);
  if (run.outcome === 'full' || (run.outcome === 'left-out' && waits)) {
    return tooMany(503, 1000, headers);
  }
  const success = (body: string | Buffer = hook.responseMessage) => {
    const status = configuredStatus(hook, hook.successCode, log);
    return textAnswer(status, body, [...headers, ...hook.responseHeaders]);
  };
  if (!waits || run.outcome !== 'accepted') {
    await runs.room();
    return success();
  }
  if (channel !== undefined) {
    void run.done.then(() => writer?.close()).catch(() => {});
    // The answer is what the command writes, from its first piece on.
    const chunks = channel.readable.values();
    const first = await chunks.next();
    const rest = async function* () {
      yield* chunks;
      const result = await run.done;
      if (result?.failed === true) yield Buffer.from(STREAM_FAILED);
    };
    if (first.done !== true) return { ...success(first.value), rest: rest() };
  }
  const result = await run.done;
  // It was never started.
  if (result === undefined) return tooMany(503, 1000, headers);
  const { failed, output } = result;
  if (!failed && channel !== undefined) return success(NO_BODY);
  if (!failed) return success(hook.includeOutput ? output : undefined);
  const isShown = hook.includeOutput && hook.includeOutputOnError;
  const body = isShown ? output : EXECUTION_FAILED;
  return textAnswer(500, body, [...headers, ...hook.responseHeaders]);
}

/** The response if the rule says no. */
function refusalOf(hook: Hook, request: HookRequest, context: HookContext): HookAnswer | undefined {
  const refusal = refuse(hook, request, context);
  if (refusal === undefined) return undefined;
  const { outcome, fault } = refusal.trace;
  // A wrong signature is answered with the hook's own code, where it has one.
  const isOwnCode = fault instanceof SignatureFault && hook.mismatchCode !== 0;
  if (outcome === 'error' && !isOwnCode) {
    return textAnswer(500, 'Error occurred while evaluating hook rules.');
  }
  const status = configuredStatus(hook, hook.mismatchCode, context.log);
  context.log(notSatisfied(hook));
  return textAnswer(status, 'Hook rules were not satisfied.');
}

const notSatisfied = ({ id }: Hook) =>
  `${id} got matched, but didn't get triggered because the trigger rules were not satisfied`;

/** Judges a request. One that is refused is logged and recorded, under `runId`; `undefined`: the hook runs. */
function refuse(
  hook: Hook,
  request: HookRequest,
  { log, logBare: warn, redact, regexes, runs, origin }: JudgingContext,
): { readonly trace: Trace; readonly runId: string } | undefined {
  const { rule, softSignatures } = hook;
  if (rule === undefined) return undefined;
  const trace = judge(rule, request, { nowMs: Date.now(), regexes, softSignatures, warn });
  if (isMet(trace)) return undefined;
  const { outcome, fault } = trace;
  if (outcome === 'missing' && fault !== undefined) log(fault.message);
  else if (fault !== undefined) {
    const isWrong = fault instanceof SignatureFault;
    const why = isWrong ? fault.with(redact) : redact(fault.message);
    log(`error evaluating hook: ${why}`);
  }
  return { trace, runId: runs.refused(hook, request, origin, () => explain(trace, redact)) };
}

/** The answer where too many runs are started or queued already. */
function tooMany(status: 429 | 503, retryMs: number, headers: HookAnswer['headers']): HookAnswer {
  const after = ['Retry-After', String(Math.ceil(retryMs / 1000))] as const;
  const text = status === 429 ? 'Too many requests for this hook.' : 'Too many runs are waiting.';
  return textAnswer(status, text, [...headers, after]);
}

/** The code of a hook where it is one that can be used. */
function configuredStatus(hook: Hook, code: number, log: RunContext['log']): number {
  if (code === 0) return 200;
  if (statusText(code) !== undefined) return code;
  log(
    `${hook.id} got matched, but the configured return code ${code} is unknown - defaulting to 200`,
  );
  return 200;
}

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
  const logBare = (text: string) => log.line(text);
  if (run.state === 'refused') {
    const regexes: CompiledRegexes = new WeakMap();
    const judging = { log: line, logBare, redact, regexes, runs, origin };
    const refusal = refuse(hook, request, judging);
    if (refusal !== undefined) {
      if (refusal.trace.outcome !== 'error') line(notSatisfied(hook));
      return refusal.runId;
    }
  }
  return runs.start(hook, request, origin, {
    log: line,
    logBare,
    redact,
    logOn: log.on,
    maxOutput: log.on ? MAX_LOGGED : 0,
    isFirstUse: () => false,
  }).id;
}

/** A request as `-debug` shows it; target and body have nothing under the names of secrets. */
export function dumpRequest(
  id: string,
  { method, target, version, host, headers }: RequestHead,
  body: string,
  redact: Redact,
): string {
  const named = [...headers].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [
    `${method} ${target} ${version}`,
    `Host: ${host}`,
    ...named.flatMap(([name, values]) =>
      values.map((value) => `${name}: ${redactHeader(name, value, redact)}`),
    ),
    '',
    ...bodyLines(nameToBytes(body), redact),
  ];
  return lines.map((line) => `> [${id}] ${line}\n`).join('');
}

/** An answer as `-debug` shows it: with the headers that were set, without what is added to them. */
export function dumpAnswer(id: string, answer: HookAnswer, redact: Redact): string {
  const head = `${answer.status} ${statusText(answer.status) ?? ''}`;
  const headers = [...sentHeaders({ ...answer, body: NO_BODY })].map(
    ([name, value]) => `${name}: ${redactHeader(name, value, redact)}`,
  );
  const lines = [` ${head}`, ...headers.map((line) => ` ${line}`)];
  const body = bodyLines(answer.body, redact);
  if (body.length > 0) lines.push('');
  for (const line of body) lines.push(` ${line}`);
  return lines.map((line) => `< [${id}]${line}\n`).join('');
}

/** Secrets may have several lines: they are hidden before something stands between these. */
function bodyLines(body: Uint8Array, redact: Redact): string[] {
  if (body.length === 0) return [];
  return shownBytes(body, body.length, redact)
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
}

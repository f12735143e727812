import { expect, test } from 'vitest';
import type { Hook, Rule } from '../../../../src/webhook/hook.ts';
import { HookLog } from '../../../../src/webhook/log/hook-log.ts';
import { parseQuery } from '../../../../src/webhook/payload/parse-body.ts';
import { isMet, judge, type RuleExplanation } from '../../../../src/webhook/rule/judge-rule.ts';
import type { HookRuns } from '../../../../src/webhook/run/hook-runs.ts';
import { answerHook, rerun } from '../../../../src/webhook/server/answer-hook.ts';
import { ALL } from '../../../support/in-part.ts';
import { QUERY, randomRules } from '../../../support/random-rules.ts';

/** Rules of webhook 2.8.0 as Go has them, with errors for what is missing or wrong. */
function modelled(rule: Rule, isSoft: boolean, belowNot = false): boolean {
  const { and, or, not, match: { value, type, parameter: { name = '' } = {} } = {} } = rule;
  if (and !== undefined) return and.every((part) => modelled(part, isSoft, belowNot));
  if (or !== undefined) {
    let missing: unknown;
    for (const part of or) {
      try {
        if (modelled(part, isSoft, belowNot)) return true;
      } catch (thrown) {
        const { message } = thrown as Error;
        if (message === 'missing') missing = thrown;
        else if (message !== 'wrong' || !isSoft) throw thrown;
      }
    }
    // A missing parameter below a `not` triggers nothing: docs/webhook.md, "Differences".
    if (missing !== undefined && belowNot) throw missing;
    return false;
  }
  if (not !== undefined) return !modelled(not, isSoft, true);
  if (type === undefined) return false;
  if (name === 'x') throw new Error('missing');
  if (type === 'regex') throw new Error('bad');
  if (type !== 'value') throw new Error('wrong');
  return name === 'a' && value === '1';
}

const OPPOSITE = new Map([
  ['yes', 'no'],
  ['no', 'yes'],
  ['error', 'error'],
]);

/** Whether each part of an explanation follows from those below it. */
function isSound({ outcome, what, why, parts }: RuleExplanation): boolean {
  const outcomes = parts.map((part) => part.outcome).filter((one) => one !== 'skipped');
  const last = outcomes.pop();
  const goesOn = { and: 'yes', or: 'no' }[what];
  if (what === 'not' && why === undefined && outcome !== OPPOSITE.get(last ?? '')) return false;
  if (what === 'not' && why !== undefined && outcome !== 'no') return false;
  if (goesOn !== undefined && outcome !== (last ?? goesOn)) return false;
  if (outcomes.some((one) => one !== goesOn)) return false;
  return parts.every((part) => part.outcome === 'skipped' || isSound(part));
}

const request = {
  ...{ method: 'GET', remoteAddress: '127.0.0.1:1', headers: new Map(), payload: new Map() },
  ...{ query: parseQuery(QUERY).values, body: Buffer.alloc(0) },
};

/** What a hook with a rule does: its response, its log, whether it runs, and the explanation if it does not. */
interface Outcome {
  status: number;
  lines: string[];
  started: number;
  explanation: RuleExplanation | undefined;
}

/** Sends a request to a hook with a rule, and runs it again if it was refused. */
async function decisions(rule: Rule, softSignatures: boolean): Promise<[Outcome, Outcome]> {
  const outcomeOf = (): Outcome => ({ status: 0, lines: [], started: 0, explanation: undefined });
  const [first, again] = [outcomeOf(), outcomeOf()];
  const runsOf = (outcome: Outcome) => ({
    room: () => undefined,
    refused: (...[, , , explain]: Parameters<HookRuns['refused']>) => {
      outcome.explanation = explain();
      return 'refused';
    },
    start: () => {
      outcome.started++;
      return { id: 'started', outcome: 'accepted' as const, done: Promise.resolve(undefined) };
    },
  });
  const hook = { ...HOOK, rule, softSignatures };
  const { status } = await answerHook(hook, request, {
    ...{ isFirstUse: () => false, logOn: true, nameRuns: false, regexes: new WeakMap() },
    ...{ redact: (text: string) => text, runs: runsOf(first), origin: ORIGIN },
    ...{ log: (line: string) => void first.lines.push(line), logBare: () => {} },
  });
  first.status = status;
  const log = new HookLog((text) => void again.lines.push(text));
  const record = { ...ORIGIN, id: 'r', hook: 'h', method: 'GET', remoteAddress: '', receivedMs: 0 };
  const runs = runsOf(again) as unknown as HookRuns;
  rerun({ ...record, state: 'refused' }, hook, request, { log, runs });
  return [first, again];
}

const ORIGIN = { requestId: '1', target: '/hooks/h' };
const HOOK: Hook = {
  ...{ id: 'h', executeCommand: '/bin/true', workingDirectory: '', responseMessage: '' },
  ...{ responseHeaders: [], successCode: 201, mismatchCode: 0, contentType: '', methods: [] },
  ...{ includeOutput: false, includeOutputOnError: false, arguments: [], environment: [] },
  ...{ files: [], jsonParameters: [], softSignatures: false, streamOutput: false, secrets: [] },
  ...{ extended: false, timeoutMs: 0 },
};

/** Whether a log has the lines of an outcome of a rule. */
function isLogged(lines: readonly string[], expected: string): boolean {
  const text = lines.join('\n');
  const marks = {
    yes: /triggered successfully/,
    no: /the trigger rules were not satisfied/,
    error: /error evaluating hook: /,
  };
  return Object.entries(marks).every(
    ([outcome, mark]) => mark.test(text) === (outcome === expected),
  );
}

const STATUS = new Map([
  ['yes', 201],
  ['no', 200],
  ['error', 500],
]);
/** Rules without soft failures of signatures, and as many with them. */
const COUNT = ALL ? 50_000 : 4_000;

test.each([false, true])(
  'random rules: model, trace, response, log, explanation and rerun agree, soft failures: %s',
  async (softSignatures) => {
    const context = { nowMs: 0, softSignatures, regexes: new WeakMap(), warn: () => {} };
    for (const rule of randomRules(91, COUNT)) {
      let expected: string;
      try {
        expected = modelled(rule, softSignatures) ? 'yes' : 'no';
      } catch (thrown) {
        expected = (thrown as Error).message === 'missing' ? 'no' : 'error';
      }
      const trace = judge(rule, request, context);
      const judged = isMet(trace) ? 'yes' : trace.outcome === 'error' ? 'error' : 'no';
      const [first, again] = await decisions(rule, softSignatures);
      const started = expected === 'yes' ? 1 : 0;
      const { explanation } = first;
      const isRight =
        judged === expected &&
        first.status === STATUS.get(expected) &&
        first.started === started &&
        again.started === started &&
        isLogged(first.lines, expected) &&
        (started === 1 || isLogged(again.lines, expected)) &&
        (explanation === undefined
          ? expected === 'yes'
          : explanation.outcome === expected && isSound(explanation)) &&
        JSON.stringify(again.explanation) === JSON.stringify(explanation);
      if (!isRight) expect({ rule, judged, first, again }).toBe(expected);
    }
  },
);

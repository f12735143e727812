import { alignedRows, harmless } from '../../core/shown-text.ts';
import type { Tone } from '../../terminal/span.ts';
import { localTime, took } from '../../terminal/time-texts.ts';
import type { HookOverview, RunDetails } from '../control/control-client.ts';
import type { RuleExplanation } from '../rule/judge-rule.ts';
import type { RunRecord, RunState } from '../run/run-ledger.ts';

/** Hooks as lines with columns: id, running, waiting, how the last run stands, when that was, command. */
export function hookLines(hooks: readonly HookOverview[]): string[] {
  return table(
    hooks.map(({ id, running, waiting, last, command }) => [
      id,
      `${running} running`,
      `${waiting} waiting`,
      last === undefined ? '-' : stateWord(last)[0],
      last === undefined ? '-' : localTime(last.receivedMs),
      command,
    ]),
  );
}

/** Runs as lines with columns: id, when, hook, how it stands, how long, why. */
export function runLines(runs: readonly RunRecord[], nowMs: number): string[] {
  return table(
    runs.map((run) => [
      run.id,
      localTime(run.receivedMs),
      run.hook,
      stateWord(run)[0],
      tookText(run, nowMs) || '-',
      whyText(run),
    ]),
  );
}

/** Why a run did not go well, in a few words; empty for one that did. */
export function whyText({ failure, explanation }: RunRecord): string {
  return explanation === undefined ? (failure ?? '') : refusalText(explanation);
}

/** All that is known of a run, without its output. */
export function detailLines(
  { run }: Pick<RunDetails, 'run'>,
  nowMs: number,
  marks: RuleMarks = WORD_MARKS,
): string[] {
  const { id, hook, method, target, remoteAddress, requestId, rerunOf, explanation } = run;
  const took = tookText(run, nowMs);
  const facts: readonly (readonly [string, string])[] = [
    ['run', id],
    ['hook', hook],
    ['state', `${stateWord(run)[0]}${run.failure === undefined ? '' : `: ${run.failure}`}`],
    ['received', localTime(run.receivedMs)],
    ['took', took],
    ['request', `${method} ${target} from ${remoteAddress} (${requestId})`],
    ['again', rerunOf === undefined ? '' : `repeats run ${rerunOf}`],
  ];
  const lines = facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => harmless(`${name.padEnd(10)}${value}`));
  if (explanation === undefined) return lines;
  return [...lines, 'rule', ...explanationLines(explanation, 1, marks).map(harmless)];
}

const TONES: Readonly<Record<RunState, Tone>> = {
  running: 'accent',
  waiting: 'dim',
  done: 'good',
  failed: 'bad',
  refused: 'warn',
  dropped: 'warn',
  replaced: 'dim',
};

/** How a run stands, in a word, and in which tone. */
export function stateWord({ state }: Pick<RunRecord, 'state'>): readonly [string, Tone] {
  return [state, TONES[state]];
}

/** How long a run took, or takes already; empty for what never ran. */
export function tookText({ startedMs, endedMs }: RunRecord, nowMs: number): string {
  if (startedMs === undefined) return '';
  return took(Math.max(0, (endedMs ?? nowMs) - startedMs));
}

function table(rows: readonly (readonly string[])[]): string[] {
  return alignedRows(rows.map((row) => row.map(harmless))).map((line) => line.trimEnd());
}

/** What stands before each part of a rule. */
export type RuleMarks = Readonly<Record<RuleExplanation['outcome'], string>>;

/** For terminals without colours or without the characters. */
export const WORD_MARKS: RuleMarks = { yes: 'yes', no: 'no', error: 'error', skipped: '-' };

/** Why a rule said what it said: each part in a line, indented below what it belongs to. */
export function explanationLines(
  explanation: RuleExplanation,
  depth = 0,
  marks: RuleMarks = WORD_MARKS,
): string[] {
  const { outcome, what, why, parts } = explanation;
  const reason = why === undefined ? '' : `: ${why}`;
  const width = Math.max(...Object.values(marks).map(({ length }) => length));
  const line = `${'  '.repeat(depth)}${marks[outcome].padEnd(width)} ${what}${reason}`;
  return [line, ...parts.flatMap((part) => explanationLines(part, depth + 1, marks))];
}

/** The part that decided: the first below all others that says the same as the whole. */
function decidingPart(explanation: RuleExplanation): RuleExplanation {
  const part = explanation.parts.find(({ outcome }) => outcome === explanation.outcome);
  return part === undefined ? explanation : decidingPart(part);
}

/** Why a request was refused, in a few words. */
export function refusalText(explanation: RuleExplanation): string {
  const { what, why = 'is not satisfied' } = decidingPart(explanation);
  return `${what}: ${why}`;
}

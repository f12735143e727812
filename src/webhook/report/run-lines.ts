import { harmless } from '../../core/harmless.ts';
import { localTime } from '../../terminal/time-texts.ts';
import type { HookOverview, RunDetails } from '../control/control-protocol.ts';
import type { RunRecord } from '../run/run-record.ts';
import { explanationLines, type RuleMarks, refusalText, WORD_MARKS } from './explanation-lines.ts';
import { stateWord, table, tookText } from './run-words.ts';

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

/** The text without colours and the like. */
export function withoutSequences(text: string): string {
  return text.replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g, '');
}

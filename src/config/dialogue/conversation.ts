import { isConfirm } from './option-question.ts';
import type { Script, Step } from './step.ts';

/** An answer, or the result of a work. */
type Given =
  | { readonly kind: 'answer'; readonly id: string; readonly text: string }
  | { readonly kind: 'result'; readonly value: unknown };

/** A script with the answers given so far. It is a value: every change makes another one. */
export interface Conversation {
  readonly script: () => Script;
  readonly given: readonly Given[];
  /** The last answer to each question, also where one has gone back since. */
  readonly kept: ReadonlyMap<string, string>;
  /** Why the question is asked again. */
  readonly problem: string;
  readonly step: Step;
}

/** A conversation at its first step. */
export function begin(script: () => Script): Conversation {
  return { script, given: [], kept: new Map(), problem: '', step: run(script, []) };
}

/** Answers the question it stands at. */
export function answer(conversation: Conversation, text: string): Conversation {
  const { step, kept, given } = conversation;
  if (step.kind !== 'ask') return conversation;
  const { id } = step.question;
  const next = { ...conversation, kept: new Map(kept).set(id, text) };
  return goOn(next, [...given, { kind: 'answer', id, text }]);
}

/** Gives the result of the work it stands at. */
export function finishWork(conversation: Conversation, value: unknown): Conversation {
  if (conversation.step.kind !== 'work') return conversation;
  return goOn(conversation, [...conversation.given, { kind: 'result', value }]);
}

/** Goes back to another question before; `undefined` where there is none. */
export function back(conversation: Conversation, problem = ''): Conversation | undefined {
  const { given, step } = conversation;
  const now = step.kind === 'ask' ? step.question.id : undefined;
  const at = given.findLastIndex((one) => one.kind === 'answer' && one.id !== now);
  if (at < 0) return undefined;
  return { ...goOn(conversation, given.slice(0, at)), problem };
}

/** Whether the questions now come from the form of a remote, which is the last question about it. */
export function isInForm({ given }: Conversation): boolean {
  return given.some((one) => one.kind === 'answer' && isConfirm(one));
}

/** The ids of the questions so far and of those to come by default; more may follow unless `isExact`. */
export function questionIds(conversation: Conversation) {
  const answered = conversation.given.flatMap((one) => (one.kind === 'answer' ? [one.id] : []));
  const ids = new Set(answered);
  let now = conversation;
  for (let count = 0; ; count++) {
    const { step } = now;
    if (step.kind !== 'ask' || count > 100) return { ids: [...ids], isExact: step.kind === 'end' };
    const { question } = step;
    ids.add(question.id);
    if (isConfirm(question)) return { ids: [...ids], isExact: true };
    now = answer(now, question.preset || question.default);
  }
}

function goOn(conversation: Conversation, given: readonly Given[]): Conversation {
  return { ...conversation, given, problem: '', step: run(conversation.script, given) };
}

function run(script: () => Script, given: readonly Given[]): Step {
  const running = script();
  let now = running.next();
  for (const one of given) {
    if (now.done === true) break;
    now = running.next(one.kind === 'answer' ? one.text : one.value);
  }
  return now.done === true ? { kind: 'end', outcome: now.value } : now.value;
}

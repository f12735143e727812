import type { Choice, Question } from './step.ts';

/** The choices with a number, in their order. */
export function numbered(choices: readonly Choice[]): readonly Choice[] {
  return choices.filter(({ key, isEmpty }) => key === undefined && isEmpty !== true);
}

/** The choice that a text means: by its letter, its number, or itself. */
function choiceOf({ choices }: Question, text: string): Choice | undefined {
  const typed = text.trim();
  if (typed === '') return undefined;
  const same = (other: string) => other.toLowerCase() === typed.toLowerCase();
  return (
    choices.find(({ value }) => value === typed) ??
    choices.find(({ key }) => key !== undefined && same(key)) ??
    nth(choices, typed) ??
    choices.find(({ value, label, aliases = [] }) => [value, label, ...aliases].some(same))
  );
}

/** Whether a line asks to go back: Esc or `back`; `b` in closed lists without such a choice. A secret may be any word. */
export function isBack(asked: Question, line: string): boolean {
  const word = line.trim().toLowerCase();
  if (word === '\x1b') return true;
  if (asked.secret || choiceOf(asked, line) !== undefined) return false;
  return word === 'back' || (asked.exclusive && word === 'b');
}

/** Whether a line asks for the question once more. */
export function isHelp({ secret }: Question, line: string): boolean {
  return !secret && line.trim() === '?';
}

/** What a line that was typed answers: the answer, or why it is none. */
export function answerOf(
  asked: Question,
  line: string,
): { readonly text: string } | { readonly wrong: string } {
  const given = line === '""' ? '' : line === '' ? asked.preset || asked.default : line;
  const choice = choiceOf(asked, given);
  if (asked.exclusive && choice === undefined) {
    const all = asked.choices.map(({ key, target, label, value }) =>
      key === undefined && target !== undefined ? label : (key ?? value),
    );
    return { wrong: `This value must be one of: ${all.join(', ')}; back goes back, ? asks again.` };
  }
  const text = choice?.value ?? given;
  const wrong = asked.check(text);
  return wrong === undefined ? { text } : { wrong };
}

/** By its number; where all choices have letters, as they stand. */
function nth(choices: readonly Choice[], typed: string): Choice | undefined {
  if (!/^\d+$/.test(typed)) return undefined;
  const list = numbered(choices);
  return (list.length === 0 ? choices : list)[Number(typed) - 1];
}

import type { Draft } from './draft.ts';
import type { Outcome, Work } from './work.ts';

/** One of the answers a question offers. */
export interface Choice {
  /** The answer. */
  readonly value: string;
  readonly label: string;
  /** What it means. */
  readonly help?: string;
  /** The letter that takes it at once. Choices without a letter are numbered from 1. */
  readonly key?: string;
  /** Only its letter takes it, Enter does not: it deletes or replaces something. */
  readonly needsKey?: boolean;
  /** It has no number: what Enter alone would do. */
  readonly isEmpty?: boolean;
  /** Other ways to type it. */
  readonly aliases?: readonly string[];
  /** On screens: the heading of its group. */
  readonly group?: string;
  /** The remote it stands for; a letter pressed on it is about that remote. */
  readonly target?: string;
}

/** A question of the wizard. */
export interface Question {
  /** The same question has the same id when it is asked again. */
  readonly id: string;
  /**
   * How it is answered: a text; an item of a list, or a text unless `exclusive`; a letter; a pasted login; on screens
   * the values of all choices with a tick, a line each.
   */
  readonly kind: 'text' | 'list' | 'letters' | 'token' | 'ticks';
  /** Before the answer: `client_id`. */
  readonly title: string;
  /** What is asked, for people; may have several lines. */
  readonly about: string;
  /** The same with the secrets in it; `''` where there are none. */
  readonly aboutInClear: string;
  readonly example: string;
  /** What an empty answer means; `''`: nothing is set. */
  readonly default: string;
  /** What stands there to begin with, as it was before. */
  readonly preset: string;
  readonly choices: readonly Choice[];
  readonly exclusive: boolean;
  readonly secret: boolean;
  /** What is wrong with an answer, in a sentence; `undefined` where nothing is. */
  readonly check: (text: string) => string | undefined;
  /** What an answer deletes or replaces, in lines; `''` for nothing. */
  readonly warning: string;
  /** What is to be said of an answer that is accepted; `undefined` for nothing. */
  readonly remark: (text: string) => string | undefined;
  /** Why it has to be asked; `''` for nothing. */
  readonly problem: string;
}

/** Where the wizard stands: it asks, waits for something, or has ended. */
export type Step =
  | { readonly kind: 'ask'; readonly question: Question; readonly draft: Draft | undefined }
  | { readonly kind: 'work'; readonly work: Work; readonly draft: Draft | undefined }
  | { readonly kind: 'end'; readonly outcome: Outcome };

/** A dialogue as a generator of questions. It runs again for each step, so it must be deterministic. */
export type Script<Result = Outcome> = Generator<
  Exclude<Step, { readonly kind: 'end' }>,
  Result,
  unknown
>;

/** The essential parts of a question; the rest has defaults. */
type Told = Pick<Question, 'id' | 'title' | 'about'> & Partial<Question>;

/** A question from its essential parts. */
export function question(told: Told): Question {
  return {
    kind: 'text',
    example: '',
    aboutInClear: '',
    default: '',
    preset: '',
    choices: [],
    exclusive: false,
    secret: false,
    check: () => undefined,
    warning: '',
    remark: () => undefined,
    problem: '',
    ...told,
  };
}

/** Asks, within a script. */
export function* ask(asked: Question, draft?: Draft): Script<string> {
  return (yield { kind: 'ask', question: asked, draft }) as string;
}

/** Waits for something, within a script. A failure goes back to the question before. */
export function* awaitWork<Result>(work: Work, draft?: Draft): Script<Result> {
  return (yield { kind: 'work', work, draft }) as Result;
}

/** Asks for one of several letters; the first is the default unless `preset` names another. */
export function letters(told: Told): Question {
  const first = told.choices?.[0]?.value ?? '';
  return question({ kind: 'letters', exclusive: true, default: first, ...told });
}

/** A choice that is its letter. */
export function letter(key: string, label: string, help?: string): Choice {
  return { value: key, key, label, ...(help === undefined ? {} : { help }) };
}

const YES: Choice = { value: 'true', key: 'y', label: 'Yes' };
const NO: Choice = { value: 'false', key: 'n', label: 'No' };

/** Yes or no. */
export function yesNo(told: Told): Question {
  return letters({ choices: [YES, NO], ...told });
}

/** Whether to delete or replace something: No is the default, and only the letter means Yes. */
export function sureQuestion(id: string, about: string): Question {
  const choices = [{ ...YES, needsKey: true }, NO];
  return letters({ id, title: 'y/n', about, default: 'false', choices });
}

/** The choices with a number, in their order. */
export function numbered(choices: readonly Choice[]): readonly Choice[] {
  return choices.filter(({ key, isEmpty }) => key === undefined && isEmpty !== true);
}

/** The choice that a text means: by its letter, its number, or itself. */
function choiceOf({ choices }: Question, text: string): Choice | undefined {
  const typed = text.trim();
  if (typed === '') return undefined;
  const same = (other: string) => other.toLowerCase() === typed.toLowerCase();
  // Where all choices have letters, as they stand.
  const list = numbered(choices);
  const counted = list.length === 0 ? choices : list;
  return (
    choices.find(({ value }) => value === typed) ??
    choices.find(({ key }) => key !== undefined && same(key)) ??
    (/^\d+$/.test(typed) ? counted[Number(typed) - 1] : undefined) ??
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

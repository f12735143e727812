import type { SetUpAnswer, SetUpInput } from '../../core/options.ts';
import type { ImportedRemote } from '../import-remotes.ts';
import type { ConfigSections } from '../ini-lines.ts';
import type { Draft, WizardKind } from './draft.ts';
import type { RemoteSummary } from './remote-summary.ts';

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

export interface Question {
  /** The same question has the same id when it is asked again. */
  readonly id: string;
  /** How it is answered; a `list` also by a text unless `exclusive`, `ticks` by the values with a tick, a line each. */
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

export const yesNo = (told: Told): Question => letters({ choices: [YES, NO], ...told });

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
export function answerOf(asked: Question, line: string) {
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

/** Work that takes time; the dialogue continues with its result. */
export type Work =
  /** Results in the text of a token. */
  | { readonly type: 'login'; readonly how: 'browser' | 'device'; readonly draft: Draft }
  /** Results in a `SetUpAnswer`. */
  | { readonly type: 'set-up'; readonly draft: Draft; readonly input: SetUpInput }
  /** Results in a `Found`. */
  | { readonly type: 'read-import'; readonly path: string; readonly password: string | undefined };

/** What a foreign configuration holds. */
export interface Found {
  /** It is encrypted, and the password was missing or wrong. */
  readonly isLocked: boolean;
  /** What would become of each of its remotes, where those of the same name are kept. */
  readonly remotes: readonly ImportedRemote[];
}

/** What a test of a remote found. */
export interface TestResult {
  /** How many entries its root has, at least. */
  readonly entries: number;
  readonly hasMore: boolean;
  /** The first names. */
  readonly names: readonly string[];
}

/** What the wizard can have done. Everything may reject with a `SyncerError`. */
export interface WizardWorks {
  login(
    how: 'browser' | 'device',
    draft: Draft,
    tell: (text: string) => void,
    signal: AbortSignal,
  ): Promise<string>;
  /** `tell` gets what the user must do for it: open a link. */
  setUp(
    draft: Draft,
    input: SetUpInput,
    signal: AbortSignal,
    tell: (text: string) => void,
  ): Promise<SetUpAnswer>;
  readImport(path: string, password: string | undefined): Promise<Found>;
  /** Lists the root. Nothing is written. */
  test(draft: Draft, signal: AbortSignal): Promise<TestResult>;
}

/** Does a work; resolves to its result. */
export function doWork(
  works: WizardWorks,
  work: Work,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<unknown> {
  switch (work.type) {
    case 'login':
      return works.login(work.how, work.draft, tell, signal);
    case 'set-up':
      return works.setUp(work.draft, work.input, signal, tell);
    case 'read-import':
      return works.readImport(work.path, work.password);
  }
}

/** What a test that worked has found, in a line. */
export function testResultText({ entries, hasMore, names }: TestResult, ellipsis = '...'): string {
  const rest = hasMore || entries > names.length ? `, ${ellipsis}` : '';
  const list = names.length === 0 ? '' : `: ${names.join(', ')}${rest}`;
  const count = hasMore ? `more than ${entries}` : entries === 0 ? 'no' : String(entries);
  return `Test passed: ${count} ${entries === 1 && !hasMore ? 'entry' : 'entries'}${list}`;
}

/** What a dialogue comes to. Nothing is written before it. */
export type Outcome =
  | { readonly type: 'save'; readonly draft: Draft }
  | { readonly type: 'rename'; readonly from: string; readonly to: string }
  | { readonly type: 'copy'; readonly from: string; readonly to: string }
  | { readonly type: 'delete'; readonly name: string }
  | {
      readonly type: 'import';
      readonly path: string;
      readonly password: string | undefined;
      /** Remotes of the same name are replaced. */
      readonly force: boolean;
      /** Only these; absent: all. */
      readonly names?: readonly string[];
    }
  /** `undefined`: the file is no longer encrypted. */
  | { readonly type: 'password'; readonly password: string | undefined }
  /** What the configuration held before its last change is put back, if it is still what the question showed. */
  | { readonly type: 'undo'; readonly shown: ConfigSections }
  /** Back to the menu, nothing done. */
  | { readonly type: 'nothing' }
  | { readonly type: 'quit' };

/** What a wizard is made of, on a terminal and as lines of text. */
export interface WizardParts {
  /** Reads the current state before each turn. */
  readonly look: () => Promise<WizardWorld>;
  readonly script: (world: WizardWorld) => Script;
  /** It begins again after each turn, until `quit`. */
  readonly repeats: boolean;
  readonly works: WizardWorks;
  /** Does what a dialogue came to; resolves to a line that says so. Rejects with a `SyncerError`. */
  readonly carryOut: (outcome: Outcome) => Promise<string>;
  readonly signal: AbortSignal;
}

/** Expands `~` and variables in a path. Throws `usage`. */
export type Expand = (typed: string) => string;

/** What the wizard knows when a dialogue begins. */
export interface WizardWorld {
  /** In the order of the file. */
  readonly remotes: readonly RemoteSummary[];
  readonly kinds: readonly WizardKind[];
  /** What the configuration held before its last change by the wizard; `undefined`: that is not kept. */
  readonly former: ConfigSections | undefined;
  /** Where the configuration is; `undefined`: in memory only. */
  readonly configPath: string | undefined;
  readonly isEncrypted: boolean;
  /** The configuration that rclone itself would use; `undefined` where there is none. */
  readonly rclonePath: string | undefined;
  readonly expand: Expand;
  /** The jobs that use a remote, in a sentence; `''` if there are none. */
  readonly usedBy: (name: string) => string;
  /** The dialogue is on screens, which have a form and undo; the lines of text are those of rclone. */
  readonly isScreen?: boolean;
  /** In milliseconds since the epoch. */
  readonly nowMs: number;
}

import { SyncerError } from '../core/errors.ts';
import type { Json } from '../go/go-json.ts';
import { ADVANCED_QUESTION, type BackendKind, optionList, shownValue } from './option-sources.ts';
import { optionRecord, questionRecord } from './provider-record.ts';

/** The dialogue of `rclone config create --non-interactive --all`, with rclone's states: a question by each call. */

/** The state of the dialogue, and the answer to its last question. */
export interface QuestionInput {
  /** `''` at first: asks nothing. `*all`: asks every option. */
  readonly state: string;
  readonly result: string;
}

/** The next question, or the end. */
export interface ConfigQuestion {
  /** To be passed with the answer; `''` at the end. */
  readonly state: string;
  /** The question as rclone's record of an option; `undefined` at the end. */
  readonly option: { readonly [key: string]: Json } | undefined;
}

/** The state that asks every option. */
const ASK_ALL = '*all';

const END: ConfigQuestion = { state: '', option: undefined };
const ADVANCED = '*all-advanced';

/**
 * Continues until a question that `choices` does not answer; returns it with the new values of the section.
 *
 * @param values the current section
 * @param choices answers given in advance, by option name
 * @param takeDefaults answer every question with its default
 * @throws SyncerError `usage` for an invalid state
 */
export function nextQuestion(
  kind: BackendKind,
  values: ReadonlyMap<string, string>,
  input: QuestionInput,
  choices: ReadonlyMap<string, string>,
  takeDefaults: boolean,
): { readonly question: ConfigQuestion; readonly values: ReadonlyMap<string, string> } {
  const section = new Map(values);
  let now = input;
  for (;;) {
    const question = step(kind, section, now);
    if (question.state === '') return { question, values: section };
    let answer = '';
    if (question.option !== undefined) {
      const chosen = choices.get(String(question.option['Name']));
      if (chosen === undefined && !takeDefaults) return { question, values: section };
      answer = chosen ?? String(question.option['DefaultStr']);
    }
    now = { state: question.state, result: answer };
  }
}

/** One transition; stores the answer in `section`. A question without an option is skipped. */
function step(kind: BackendKind, section: Map<string, string>, { state, result }: QuestionInput) {
  if (state === '') return END;
  const [action = '', number = '', flag = ''] = state.split(',');
  const advanced = flag === 'true';
  if (action === ADVANCED) return result === 'true' ? goTo(ASK_ALL, 0, true) : END;
  const { options } = kind;
  const index = /^\d*$/.test(number) ? Number(number) : -1;
  const option = options[index];
  const isSet = action === `${ASK_ALL}-set`;
  if (index !== options.length && (option === undefined || (action !== ASK_ALL && !isSet))) {
    throw new SyncerError('command-line', `invalid configuration state "${state}"`);
  }
  if (isSet && option !== undefined) {
    const shown = shownValue(option, section);
    // An option of three states is shown as `unset`, which is its default.
    const { DefaultStr: asked } = optionRecord(option, shown, section.get('provider') ?? '');
    if (result !== shown && result !== asked) section.set(option.name, result);
    return goTo(ASK_ALL, index + 1, advanced);
  }
  const next = optionList(kind, advanced).find((one) => options.indexOf(one) >= index);
  if (next !== undefined) {
    const shown = shownValue(next, section);
    const record = optionRecord(next, shown, section.get('provider') ?? '');
    return { ...goTo(`${ASK_ALL}-set`, options.indexOf(next), advanced), option: record };
  }
  if (advanced || optionList(kind, true).length === 0) return END;
  return { state: ADVANCED, option: questionRecord(ADVANCED_QUESTION) };
}

function goTo(action: string, index: number, advanced: boolean): ConfigQuestion {
  return { state: `${action},${index},${advanced}`, option: undefined };
}

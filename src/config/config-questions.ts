import { SyncerError } from '../core/errors.ts';
import type { BackendOption } from '../core/options.ts';
import type { Json } from './go-json.ts';
import type { BackendKind } from './option-sources.ts';
import { optionRecord } from './provider-record.ts';

/**
 * The dialogue of `rclone config create --non-interactive --all`, driven by a program: each call takes the answer to
 * the last question and returns the next one. The states are rclone's.
 */

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

/** The result of a step. */
export interface Answered {
  readonly question: ConfigQuestion;
  /** The new values of the section. */
  readonly values: ReadonlyMap<string, string>;
}

/** The state that asks every option. */
const ASK_ALL = '*all';

const END: ConfigQuestion = { state: '', option: undefined };
const ADVANCED = '*all-advanced';

/**
 * Continues until a question that `choices` does not answer.
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
): Answered {
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
function step(
  kind: BackendKind,
  section: Map<string, string>,
  input: QuestionInput,
): ConfigQuestion {
  if (input.state === '') return END;
  const [action = '', number = '', flag = ''] = input.state.split(',');
  const advanced = flag === 'true';
  const index = /^\d*$/.test(number) ? Number(number) : -1;
  const { options } = kind;
  if (action === ADVANCED) return input.result === 'true' ? goTo(ASK_ALL, 0, true) : END;
  if (index === options.length) {
    return !advanced && options.some((option) => option.advanced) ? askAdvanced() : END;
  }
  const option = options[index];
  if (option === undefined || (action !== ASK_ALL && action !== `${ASK_ALL}-set`)) {
    throw new SyncerError('usage', `invalid configuration state "${input.state}"`);
  }
  if (action === ASK_ALL) {
    if ((option.advanced === true) !== advanced) return goTo(ASK_ALL, index + 1, advanced);
    const current = currentValue(option, section);
    const record = optionRecord(option, current, section.get('provider') ?? '');
    return { ...goTo(`${ASK_ALL}-set`, index, advanced), option: record };
  }
  if (input.result !== currentValue(option, section)) section.set(option.name, input.result);
  return goTo(ASK_ALL, index + 1, advanced);
}

function currentValue(option: BackendOption, section: ReadonlyMap<string, string>): string {
  return section.get(option.name) ?? option.default ?? '';
}

function goTo(action: string, index: number, advanced: boolean): ConfigQuestion {
  return { state: `${action},${index},${advanced}`, option: undefined };
}

function askAdvanced(): ConfigQuestion {
  const option: BackendOption = {
    name: 'config_fs_advanced',
    type: 'bool',
    default: 'false',
    help: 'Edit advanced config?',
    examples: [
      { value: 'true', help: 'Yes' },
      { value: 'false', help: 'No' },
    ],
  };
  return { state: ADVANCED, option: { ...optionRecord(option), Exclusive: true } };
}

import type { BackendOption, OptionExample, SetUpQuestion } from '../core/options.ts';
import type { BackendKind } from './option-sources.ts';

/** The options that a dialogue asks for, in their order: the plain ones first, the advanced ones where they are wanted. */
export function optionList({ options }: BackendKind, advanced: boolean): readonly BackendOption[] {
  return options.filter((option) => (option.advanced === true) === advanced);
}

/** The value of an option that a dialogue shows as it is: what is stored, or the default. */
export function shownValue(option: BackendOption, values: ReadonlyMap<string, string>): string {
  return values.get(option.name) ?? option.default ?? '';
}

/** The examples of an option for a value of the option `provider`; `''`: all of them. */
export function examplesFor(
  { examples = [] }: BackendOption,
  provider: string,
): readonly OptionExample[] {
  return examples.filter(
    (one) => provider === '' || one.provider === undefined || one.provider.includes(provider),
  );
}

/** A question for true or false. */
export function yesNoQuestion(name: string, help: string, ifUnset: string): SetUpQuestion {
  const examples = [
    { value: 'true', help: 'Yes' },
    { value: 'false', help: 'No' },
  ];
  return { name, type: 'bool', default: ifUnset, help, exclusive: true, examples };
}

/** Whether the advanced options are wanted. */
export const ADVANCED_QUESTION = yesNoQuestion(
  'config_fs_advanced',
  'Edit advanced config?',
  'false',
);

/** Whether a remote that has a login gets another one. */
export const REFRESH_QUESTION = yesNoQuestion(
  'config_refresh_token',
  'Already have a token - refresh?',
  'true',
);

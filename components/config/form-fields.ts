import { type Draft, firstOptions, isHidden, isOfLogin } from '../../src/config/dialogue/draft.ts';
import { unneededOf, wrongWith } from '../../src/config/dialogue/option-question.ts';
import type { BackendOption } from '../../src/core/options.ts';

/** A setting of a remote in its form. */
export interface FormField {
  readonly option: BackendOption;
  readonly name: string;
  readonly value: string;
  /** Shown as dots. */
  readonly isHidden: boolean;
  /** What saving does to the stored value; `''`: nothing. */
  readonly change: '' | 'new' | 'changed' | 'deleted';
  /** What is wrong with the value, in a sentence; `''` for nothing. */
  readonly wrong: string;
  /** It is stored, but another setting makes it unneeded. */
  readonly isUnneeded: boolean;
}

/** The fields of a remote, and how many more there are that have no value: the advanced ones. */
export function formFields(
  draft: Draft,
  isOpen: boolean,
): { readonly fields: readonly FormField[]; readonly folded: number } {
  const { kind, values, original } = draft;
  const isStored = (name: string) => values.has(name) || original?.has(name) === true;
  const first = firstOptions(kind).flatMap(({ name, where }) => {
    const isAsked = where === undefined || where.is.includes(values.get(where.option) ?? '');
    return isAsked || isStored(name) ? [name] : [];
  });
  const login = kind.login === undefined ? [] : ['token', ...kind.login.finds];
  const plain = new Set([...first, ...login]);
  const named = (name: string) => kind.options.filter((option) => option.name === name);
  const hidden = new Set(firstOptions(kind).map(({ name }) => name));
  const others = kind.options.filter(
    ({ name, isAsked }) =>
      !plain.has(name) && !hidden.has(name) && (isAsked !== false || isStored(name)),
  );
  const shown = others.filter(({ name }) => isOpen || isStored(name));
  const unneeded = unneededOf(draft);
  const fields = [...[...plain].flatMap(named), ...shown].map((option): FormField => {
    const { name } = option;
    const value = values.get(name) ?? '';
    const before = original?.get(name) ?? '';
    let change: FormField['change'] = '';
    if (original !== undefined && before !== value) {
      change = value === '' ? 'deleted' : before === '' ? 'new' : 'changed';
    }
    let wrong = '';
    if (!isOfLogin(kind, name)) wrong = wrongWith(option, value) ?? '';
    else if (name === 'token' && value === '') wrong = 'Log in first.';
    else if (name === 'token' && draft.needsLogin === true) wrong = 'The login has expired.';
    return {
      option,
      name,
      value,
      wrong,
      isHidden: isHidden(kind, name, value),
      change,
      isUnneeded: unneeded.includes(name),
    };
  });
  return { fields, folded: others.length - shown.length };
}

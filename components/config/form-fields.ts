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
    const isLogin = isOfLogin(kind, name);
    const wrong = isLogin ? wrongWithLogin(draft, name, value) : (wrongWith(option, value) ?? '');
    return {
      option,
      name,
      value,
      wrong,
      isHidden: isHidden(kind, name, value),
      change: changeOf(draft, name),
      isUnneeded: unneeded.includes(name),
    };
  });
  return { fields, folded: others.length - shown.length };
}

/** Whether leaving the form would lose an answer. */
export function isTouched({ values, original }: Draft): boolean {
  if (original === undefined) return true;
  return (
    values.size !== original.size || [...values].some(([key, text]) => original.get(key) !== text)
  );
}

function changeOf({ values, original }: Draft, name: string): FormField['change'] {
  const [before = '', now = ''] = [original?.get(name), values.get(name)];
  if (original === undefined || before === now) return '';
  if (now === '') return 'deleted';
  return before === '' ? 'new' : 'changed';
}

function wrongWithLogin({ needsLogin }: Draft, name: string, token: string): string {
  if (name !== 'token') return '';
  if (token === '') return 'Log in first.';
  return needsLogin === true ? 'The login has expired.' : '';
}

import type { Backend, FirstOption } from '../../backends/backend.ts';
import { isReference } from '../../system/secret-reference.ts';
import { shellWord } from '../../system/shell-words.ts';
import { optionList } from '../option-sources.ts';
import type { DescribedKind } from '../provider-record.ts';

/** A backend, as the wizard asks for it. */
export interface WizardKind extends DescribedKind {
  readonly firstOptions?: readonly FirstOption[];
  readonly login?: Backend['login'];
}

/** A remote that is being made or changed. Passwords are in clear. */
export interface Draft {
  readonly name: string;
  readonly kind: WizardKind;
  /** Without `type`. */
  readonly values: ReadonlyMap<string, string>;
  /** The values it has in the file; `undefined` for a new one. */
  readonly original: ReadonlyMap<string, string> | undefined;
  /** A remote of the same name gives way to it. */
  readonly replaces?: boolean;
  /** Its login has ended. */
  readonly needsLogin?: boolean;
}

/** The draft with a value; an empty one is taken away. */
export function withValue(draft: Draft, key: string, value: string): Draft {
  const values = new Map(draft.values);
  if (value === '') values.delete(key);
  else values.set(key, value);
  return { ...draft, values };
}

/** The draft with several values. */
export function withValues(draft: Draft, values: Readonly<Record<string, string>>): Draft {
  return Object.entries(values).reduce((now, [key, value]) => withValue(now, key, value), draft);
}

/** Whether the login of a remote has found out what it stands for. */
export function hasPlace({ kind, values }: Draft): boolean {
  return kind.login?.finds.some((key) => (values.get(key) ?? '') !== '') === true;
}

/** Whether a type is one of rclone's, and there was no rclone to ask for its options. */
export function lacksRclone({ isOfRclone, record }: WizardKind): boolean {
  return isOfRclone === true && record === undefined;
}

/** The options that are asked first, in this order. */
export function firstOptions(kind: WizardKind): readonly FirstOption[] {
  return kind.firstOptions ?? optionList(kind, false);
}

/** The login and what it finds out have questions of their own. */
export function isOfLogin({ login }: WizardKind, name: string): boolean {
  return login !== undefined && (name === 'token' || login.finds.includes(name));
}

/** Whether a value must not be seen: a secret that is there, and no reference to one. */
export function isHidden(kind: WizardKind, key: string, value: string): boolean {
  if (value === '' || isReference(value)) return false;
  const option = kind.options.find(({ name }) => name === key);
  // Keys that the kind does not know may hold anything.
  if (option === undefined) return /pass|secret|token|key/i.test(key);
  return option.secret === true || option.obscured === true;
}

/** Told as words of their own. */
const WORDS = ['client_id', 'client_secret'];

/** The command that logs in on another machine, with the options chosen here; secrets are shown unless `masked`. */
export function authorizeLine({ kind, values }: Draft, masked: boolean): string {
  const shown = (key: string) => {
    const value = values.get(key) ?? '';
    return masked && isHidden(kind, key, value) ? '***' : shellWord(value);
  };
  const words = WORDS.map(shown);
  const empty = shellWord('');
  while (words.at(-1) === empty) words.pop();
  // What the login is to find out is not for the other machine.
  const leftOut = new Set([...WORDS, 'token', ...(kind.login?.finds ?? [])]);
  const options = kind.options
    .filter(({ name, default: ifUnset = '' }) => {
      const value = values.get(name) ?? '';
      return !leftOut.has(name) && value !== '' && value !== ifUnset;
    })
    .map(({ name }) => `--${kind.type}-${name}`.replaceAll('_', '-').concat(' ', shown(name)));
  return ['syncer authorize', kind.type, ...words, ...options].join(' ');
}

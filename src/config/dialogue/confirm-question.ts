import type { Draft } from './draft.ts';
import { wrongWith } from './option-question.ts';
import { type Choice, letters, type Question } from './step.ts';

/** What saving a draft does to what is stored, by names of options. */
export interface DraftChanges {
  readonly deleted: readonly string[];
  readonly replaced: readonly string[];
  /** There is something to write. */
  readonly isChanged: boolean;
}

/** What saving a draft does to the remote as it is stored. */
export function changesOf({ values, original, needsLogin }: Draft): DraftChanges {
  if (original === undefined) return { deleted: [], replaced: [], isChanged: true };
  const deleted = [...original.keys()].filter((key) => !values.has(key));
  const other = [...values].filter(([key, value]) => original.get(key) !== value);
  const replaced = other.flatMap(([key]) => ((original.get(key) ?? '') === '' ? [] : [key]));
  return { deleted, replaced, isChanged: deleted.length + other.length > 0 || needsLogin === true };
}

/** Stored options that other answers make unneeded: they are kept until their deletion is confirmed. */
export function unneededOf({ kind, values, original }: Draft): readonly string[] {
  return (kind.firstOptions ?? []).flatMap(({ name, where }) => {
    const isAsked = where === undefined || where.is.includes(values.get(where.option) ?? '');
    return isAsked || original?.has(name) !== true || !values.has(name) ? [] : [name];
  });
}

/** The last question about a remote: its answers, and what of the stored remote is lost by saving. */
export function confirmQuestion(draft: Draft, id: string): Question {
  const { name, kind, values } = draft;
  const problems = kind.options.flatMap((option) => {
    const wrong = wrongWith(option, values.get(option.name) ?? '');
    return wrong === undefined ? [] : [`${option.name}: ${wrong}`];
  });
  const { deleted, replaced } = changesOf(draft);
  const unneeded = unneededOf(draft);
  const losses = [
    ...(draft.replaces === true ? [`Saving replaces the existing remote "${name}".`] : []),
    ...(deleted.length === 0 ? [] : [`Saving deletes the stored ${listed(deleted)}.`]),
    ...(replaced.length === 0 ? [] : [`Saving replaces the stored ${listed(replaced)}.`]),
  ];
  const kept = `The stored ${listed(unneeded)} ${unneeded.length === 1 ? 'is' : 'are'} kept and used first; x deletes.`;
  const save: Choice = {
    value: 'y',
    key: 'y',
    label: 'Yes this is OK',
    help: 'save it to the configuration',
    ...(losses.length === 0 ? {} : { needsKey: true }),
  };
  return letters({
    id: `${id}/confirm`,
    title: 'y/e/d/t',
    about: [`Keep this "${name}" remote?`, ...problems].join(' '),
    warning: [...losses, ...(unneeded.length === 0 ? [] : [kept])].join('\n'),
    default: losses.length === 0 ? 'y' : '',
    choices: [
      save,
      { value: 'e', key: 'e', label: 'Edit this remote', help: 'change the answers' },
      { value: 'd', key: 'd', label: 'Discard', help: 'back to the menu, nothing is saved' },
      {
        value: 't',
        key: 't',
        label: 'Test the connection',
        help: 'list the root; writes nothing',
      },
      ...(unneeded.length === 0
        ? []
        : [{ value: 'x', key: 'x', label: 'Delete them', help: 'asks first' }]),
    ],
  });
}

/** The question that confirms a remote. */
export function isConfirm({ id }: Question): boolean {
  return id.endsWith('/confirm');
}

/** Names in a sentence, so few that they are seen on a small screen. */
export function listed(names: readonly string[]): string {
  const shown = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names;
  return new Intl.ListFormat('en-GB').format(shown);
}

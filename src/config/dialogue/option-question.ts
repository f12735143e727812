import { toSyncerError } from '../../core/errors.ts';
import type { BackendOption, OptionType, SetUpQuestion } from '../../core/options.ts';
import { parseByteSize, parseDuration } from '../../go/quantities.ts';
import { isReference } from '../../system/secret-reference.ts';
import { shellWord } from '../../system/shell-words.ts';
import { examplesFor } from '../option-sources.ts';
import { type Draft, isHidden, withValue } from './draft.ts';
import { type Choice, letter, letters, type Question, question, type Step } from './step.ts';

/** The question for an option. `preset` is what the remote has now; `provider` leaves out the examples of others. */
export function optionQuestion(option: SetUpQuestion, preset: string, provider = ''): Question {
  const { name, help, secret, obscured, exclusive = false } = option;
  const choices = choicesOf(option, provider);
  const isBool = option.type === 'bool' && option.default !== undefined;
  const mayBeEmpty = (option.default ?? '') === '' && option.required !== true && !exclusive;
  const empty: Choice = { value: '', label: '(leave empty)', isEmpty: true };
  return question({
    id: name,
    kind: choices.length === 0 ? 'text' : isBool ? 'letters' : 'list',
    title: name,
    about: help,
    example: choices.length === 0 ? (option.example ?? TYPES[option.type].example) : '',
    default: option.default ?? '',
    preset,
    choices: mayBeEmpty && choices.length > 0 ? [empty, ...choices] : choices,
    exclusive: exclusive || isBool,
    secret: secret === true || obscured === true,
    remark: (text) => remarkOn(option, text),
    check: (text) => wrongWith(option, text),
  });
}

/** What is wrong with a value of an option, in a sentence; `undefined` where nothing is. */
export function wrongWith(option: BackendOption, text: string): string | undefined {
  if (text.trim() === '') return option.required === true ? 'A value is required.' : undefined;
  if (/[\r\n]/.test(text)) return 'The value must be on one line.';
  if (isReference(text.trim())) return undefined;
  return option.check?.(text.trim()) ?? TYPES[option.type].check?.(text.trim());
}

/** No file keeps blanks at the ends. Other providers are possible, but more often it is a slip; a login can be pasted without the application's ID. */
function remarkOn({ name, examples = [] }: SetUpQuestion, text: string): string | undefined {
  if (text.trim() !== '' && text.trim() !== text) return 'Blanks at its ends are not stored.';
  if (name === 'client_id' && text.trim() === '')
    return 'It is needed to log in, and to renew a login.';
  const isKnown = text === '' || examples.some(({ value }) => value === text);
  if (name !== 'provider' || isKnown) return undefined;
  return `"${text}" is not a provider that syncer knows: it is treated as Other.`;
}

function choicesOf(option: SetUpQuestion, provider: string): readonly Choice[] {
  const examples = examplesFor(option, provider);
  const { type, default: ifUnset } = option;
  if (type === 'bool') {
    const choice = (value: string, key: string): Choice => {
      const help = examples.find((example) => example.value === value)?.help;
      return {
        value,
        label: value,
        ...(help === undefined ? {} : { help }),
        ...(ifUnset === undefined ? {} : { key }),
      };
    };
    const both = [choice('true', 'y'), choice('false', 'n')];
    return ifUnset === undefined || examples[0]?.value !== 'false' ? both : both.reverse();
  }
  return examples.map(({ value, help }) => ({
    value,
    label: value,
    help: help.replaceAll('\n', ' '),
  }));
}

const whole = (text: string) =>
  /^\d+$/.test(text) ? undefined : 'The value must be a whole number.';
const parsed = (parse: (text: string) => unknown) => (text: string) => {
  try {
    parse(text);
    return undefined;
  } catch (thrown) {
    return `${toSyncerError(thrown).message}.`;
  }
};

/** An example of a value, and what is wrong with one. */
const TYPES: Readonly<
  Record<OptionType, { example: string; check?: (text: string) => string | undefined }>
> = {
  bool: {
    example: 'true',
    check: (text) =>
      /^(true|false)$/i.test(text) ? undefined : 'The value must be true or false.',
  },
  string: { example: '' },
  int: { example: '4', check: whole },
  count: { example: '1', check: whole },
  float: {
    example: '0.5',
    check: (text) => (Number.isFinite(Number(text)) ? undefined : 'The value must be a number.'),
  },
  size: { example: '16Mi', check: parsed(parseByteSize) },
  duration: { example: '1h30m', check: parsed((text) => parseDuration(text, 0)) },
  list: { example: 'one,two' },
};

/** What saving a draft does to the remote as it is stored, by names of options; `isChanged`: there is something to write. */
export function changesOf({ values, original, needsLogin }: Draft) {
  const deleted = [...(original?.keys() ?? [])].filter((key) => !values.has(key));
  const changed = [...values].filter(([key, value]) => original?.get(key) !== value);
  const replaced = changed.flatMap(([key]) => (original?.get(key) ? [key] : []));
  const isDifferent = original === undefined || deleted.length + changed.length > 0;
  return { deleted, changed, replaced, isChanged: isDifferent || needsLogin === true };
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
  const save = letter('y', 'Yes this is OK', 'save it to the configuration');
  return letters({
    id: `${id}/confirm`,
    title: 'y/e/d/t',
    about: [`Keep this "${name}" remote?`, ...problems].join(' '),
    warning: [...losses, ...(unneeded.length === 0 ? [] : [kept])].join('\n'),
    default: losses.length === 0 ? 'y' : '',
    choices: [
      losses.length === 0 ? save : { ...save, needsKey: true },
      letter('e', 'Edit this remote', 'change the answers'),
      letter('d', 'Discard', 'back to the menu, nothing is saved'),
      letter('t', 'Test the connection', 'list the root; writes nothing'),
      ...(unneeded.length === 0 ? [] : [letter('x', 'Delete them', 'asks first')]),
    ],
  });
}

/** The question that confirms a remote. */
export const isConfirm = ({ id }: Pick<Question, 'id'>): boolean => id.endsWith('/confirm');

/** Names in a sentence, so few that they are seen on a small screen. */
export function listed(names: readonly string[]): string {
  const shown = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names;
  return new Intl.ListFormat('en-GB').format(shown);
}

/** What stands where a secret would. */
export const MASK = '***';

/** The remote as it would be with what is typed now; `undefined` where the dialogue makes none. */
export function draftWith(step: Step, typed: string): Draft | undefined {
  if (step.kind === 'end' || step.draft === undefined) return undefined;
  const { draft } = step;
  const key = step.kind === 'ask' ? optionOf(step.question, draft) : undefined;
  if (key === undefined) return draft;
  const text = typed.trim();
  // Pasted lines are no value; those of a login become one.
  const isText = step.kind === 'ask' && step.question.kind !== 'token';
  return isText && /[\r\n]/.test(text) ? draft : withValue(draft, key, text);
}

/** The option of the draft that a question is about. */
function optionOf({ id, title }: Question, { kind }: Draft): string | undefined {
  if (id.endsWith('/config_token')) return 'token';
  const isOption = kind.options.some(({ name }) => name === title);
  return isOption && id.endsWith(`/${title}`) ? title : undefined;
}

/** The lines of the section as written, secrets masked unless `reveals`. `isCurrent`: the current question sets it. */
export function previewLines(draft: Draft, step: Step | undefined, reveals: boolean) {
  const current = step?.kind === 'ask' ? optionOf(step.question, draft) : undefined;
  const shown = (key: string, value: string) =>
    !reveals && isHidden(draft.kind, key, value) ? MASK : value.replaceAll('\n', ' ');
  return [
    { text: `[${draft.name}]`, isCurrent: false },
    { text: `type = ${draft.kind.type}`, isCurrent: false },
    ...[...draft.values].map(([key, value]) => ({
      text: `${key} = ${shown(key, value)}`,
      isCurrent: key === current,
    })),
  ];
}

/** The command that makes the same remote, or the same change. Secrets are masked unless `reveals`. */
export function commandLine(draft: Draft, reveals: boolean): string {
  const { name, kind, original } = draft;
  const pair = (key: string, value: string) =>
    !reveals && isHidden(kind, key, value) ? `${key}=${MASK}` : shellWord(`${key}=${value}`);
  const { changed, deleted } = changesOf(draft);
  const pairs = [
    ...changed.map(([key, value]) => pair(key, value)),
    ...deleted.map((key) => `${key}=`),
  ];
  const words = original === undefined ? ['create', name, kind.type] : ['update', name];
  return ['syncer', 'config', ...words.map(shellWord), ...pairs].join(' ');
}

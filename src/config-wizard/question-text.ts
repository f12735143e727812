import type { Choice, Question } from './step.ts';
import { numbered } from './typed-answer.ts';

/** A question as lines of text that can be read aloud: what it is, its choices, its default. */
export function questionText(asked: Question): string {
  const { example, kind, title, choices } = asked;
  const about = asked.aboutInClear || asked.about;
  const head = kind === 'letters' ? about : `Option ${title}.\n${about}`;
  const remotes = choices.filter(({ target }) => target !== undefined);
  const lines = [
    `\n${head}`,
    ...(example === '' ? [] : [`Example: ${example}`]),
    ...(kind === 'letters'
      ? [...remotes.map(remoteLine), ...choices.flatMap((choice) => letterLine(choice, asked))]
      : listLines(asked)),
  ];
  return `${lines.join('\n')}\n`;
}

function remoteLine({ label, help = '' }: Choice): string {
  return `  ${label}: ${help}`;
}

function letterLine({ key, label, help, value }: Choice, { preset, default: ifUnset }: Question) {
  if (key === undefined) return [];
  const isDefault = value === (preset || ifUnset);
  return [
    `${key}) ${label}${help === undefined ? '' : `: ${help}`}${isDefault ? ' (default)' : ''}`,
  ];
}

function listLines({
  choices,
  exclusive,
  default: ifUnset,
  preset,
  secret,
  check,
}: Question): string[] {
  const list = numbered(choices);
  const how = exclusive ? '.' : ', or type in your own value.';
  const enter = preset === '' ? ifUnset : secret ? 'what is there' : preset;
  const optional =
    enter === '' && (exclusive || check('') !== undefined)
      ? []
      : [`Press Enter ${enter === '' ? 'to leave empty' : `for the default (${enter})`}.`];
  return [
    ...(list.length === 0 ? [] : [`Choose a number from below${how}`]),
    ...optional,
    ...list.flatMap(({ label, help = '' }, at) => [` ${at + 1} / ${help}`, `   (${label})`]),
  ];
}

import { shellWord } from '../../system/shell-words.ts';
import { type Draft, isHidden, withValue } from './draft.ts';
import { changesOf } from './option-question.ts';
import type { Question, Step } from './step.ts';

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

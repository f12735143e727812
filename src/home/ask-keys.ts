import { toSyncerError } from '../core/errors.ts';
import { row } from '../screen/key-table.ts';
import { stepTo } from '../screen/state-screen.ts';
import { commonStart, editByKey, editText } from '../screen/text-edit.ts';
import { actionsFor, commandOf } from './home-actions.ts';
import type { HomeCommand, HomeContents } from './home-entry.ts';
import type { AskView, HomeRule, HomeStep, HomeView } from './home-view.ts';

/** The keys of the form that asks for the texts of an action. */
export function askKeys(
  contents: HomeContents,
  view: AskView,
  help: HomeRule,
): readonly HomeRule[] {
  const { remote, action, fields, field } = view;
  const go = (step: number) =>
    stepTo({ ...quiet(view), field: (field + step + fields.length) % fields.length });
  const item = { kind: 'remote', remote } as const;
  const cursor = actionsFor(item).indexOf(action);
  return [
    row('Enter', 'next, then run', '', () => next(contents, view)),
    row('Esc', 'back', 'go back', () => stepTo({ at: 'actions', item, cursor })),
    row(
      'Tab',
      'other field',
      'go to the other field; also Shift-Tab, ↑ and ↓',
      (name) => go(name === '↑' || name === 'Shift-Tab' ? -1 : 1),
      { also: 'Shift-Tab ↑↓' },
    ),
    row('^N', 'complete', 'complete the path; a second time show what matches', () =>
      stepTo(view, {
        type: 'complete',
        words: [action.verb, ...fields.slice(0, field).map(({ text }) => typed(text) || '.')],
        typed: fields[field]?.text ?? '',
      } as const),
    ),
    row('^T', 'swap', 'swap the two paths', () => stepTo(swapped(view))),
    { ...help, keys: '^G', short: '' },
    row('any key', '', '', (_, key) => {
      const edited = editByKey(fields[field] ?? editText(''), key);
      if (edited === undefined) return stepTo(view);
      return stepTo({ ...quiet(view), fields: fields.with(field, edited) });
    }),
  ];
}

/** The command that the form makes; paths that cannot be expanded stay as they were typed. */
export function shownCommand(contents: HomeContents, view: AskView, empty: string): HomeCommand {
  const { action, remote, fields } = view;
  const answers = fields.map(({ text }) => {
    try {
      return contents.expand(typed(text)) || empty;
    } catch {
      return typed(text);
    }
  });
  return commandOf(action, remote.name, answers, contents);
}

/** Takes the completions of a text: what they have in common is typed, and they are shown. */
export function takeMatches(view: HomeView, typed: string, matches: readonly string[]): HomeView {
  if (view.at !== 'ask' || view.fields[view.field]?.text !== typed) return view;
  const common = commonStart(matches);
  const text = common.length > typed.length ? common : typed;
  const fields = view.fields.with(view.field, editText(text));
  if (matches.length === 0) return { ...quiet(view), complaint: `nothing starts with "${typed}"` };
  return { ...quiet(view), fields, ...(text === typed ? { matches } : {}) };
}

/** Goes to the first field without an answer, or runs the command. */
function next(contents: HomeContents, view: AskView): HomeStep {
  const { remote, action, fields, field } = view;
  const empty = fields.findIndex(({ text }, index) => index <= field && typed(text) === '');
  if (empty >= 0) {
    const { label = '', example = '' } = action.asks[empty] ?? {};
    return stepTo({
      ...quiet(view),
      field: empty,
      complaint: `enter "${label}", such as ${example}`,
    });
  }
  if (field < fields.length - 1) return stepTo({ ...quiet(view), field: field + 1 });
  const answers: string[] = [];
  for (const { text } of fields) {
    try {
      answers.push(contents.expand(typed(text)));
    } catch (thrown) {
      const complaint = toSyncerError(thrown).message;
      return stepTo({ ...quiet(view), field: answers.length, complaint });
    }
  }
  const command = commandOf(action, remote.name, answers, contents);
  return stepTo(view, { type: 'end', command });
}

function swapped(view: AskView): AskView {
  const [from, to, ...rest] = view.fields;
  if (from === undefined || to === undefined || rest.length > 0) return view;
  return { ...quiet(view), fields: [to, from] };
}

/** A path that was pasted with the end of its line is the path. */
function typed(text: string): string {
  return text.replaceAll('\n', '').trim();
}

function quiet({ complaint: _, matches: __, ...view }: AskView): AskView {
  return view;
}

import { isDeepStrictEqual } from 'node:util';
import type { Draft } from '../../src/config/dialogue/draft.ts';
import { EDIT_ONE } from '../../src/config/dialogue/remote-script.ts';
import type { Question } from '../../src/config/dialogue/step.ts';
import { wrap } from '../../src/terminal/cells.ts';
import { moveCursor } from '../../src/terminal/cursor-list.ts';
import { ENOUGH_LINES } from '../../src/terminal/drawn-question.ts';
import { type KeyRule, row } from '../../src/terminal/key-table.ts';
import { MOVE, SCROLL_QUESTION, stepOf } from '../../src/terminal/list-keys.ts';
import { stepTo } from '../../src/terminal/state-screen.ts';
import { type FormField, formFields } from './form-fields.ts';
import type { WizardState, WizardStep } from './wizard-state.ts';
import { take, testAgain } from './wizard-steps.ts';

type FormRule = KeyRule<(name: string) => WizardStep>;

const PAGE = 10;

/** The form of a remote: its fields, and the place of the cursor among them. */
export function shownForm(draft: Draft, { form }: Pick<WizardState, 'form'>) {
  const { fields, folded } = formFields(draft, form.isOpen);
  const at = fields.findIndex(({ name }) => name === form.at);
  const cursor = Math.max(0, at);
  return { fields, folded, cursor, field: fields[cursor] as FormField | undefined };
}

/** The keys of the form; `question` is the last one about the remote, which they answer. */
export function formKeys(
  state: WizardState,
  question: Question,
  draft: Draft,
): readonly FormRule[] {
  const { fields, folded, cursor, field } = shownForm(draft, state);
  const { form } = state;
  const move: FormRule['run'] = (name) => {
    const at = fields[moveCursor(cursor, stepOf(name, PAGE), fields.length)]?.name ?? '';
    return stepTo({ ...state, form: { ...form, at } });
  };
  const edit = () =>
    field === undefined ? stepTo(state) : take(state, question, `${EDIT_ONE}${field.name}`);
  // Saving deletes or replaces something.
  const isLoss = question.choices.some(({ value, needsKey }) => value === 'y' && needsKey === true);
  const isAsked = isLoss || fields.some(({ wrong }) => wrong !== '');
  const save = () =>
    isAsked ? stepTo({ ...state, page: 'save', first: 0 } as const) : take(state, question, 'y');
  const leave = () =>
    // It would lose an answer.
    !isDeepStrictEqual(draft.values, draft.original)
      ? stepTo({ ...state, page: 'leave', first: 0 } as const)
      : take(state, question, 'd');
  const fold = () => stepTo({ ...state, form: { ...form, isOpen: !form.isOpen } });
  const canFold = folded > 0 || form.isOpen;
  const remove = () => take(state, question, 'x');
  const unneededHelp = 'delete stored keys that are not needed (asks first)';
  const unneeded = fields.some(({ isUnneeded }) => isUnneeded);
  return [
    row('Enter', 'edit', 'edit the field at the cursor; also → and l', edit, { also: '→ l' }),
    { ...MOVE, run: move },
    row('s', 'save', 'save; asks before it deletes or replaces a stored value', save),
    row('t', 'test', 'list the root; writes nothing', () => testAgain(state)),
    ...(canFold ? [row('a', 'advanced', 'show or hide the advanced fields', fold)] : []),
    ...(unneeded ? [row('x', 'delete unneeded', unneededHelp, remove)] : []),
    row('Esc', 'back', 'leave without saving, asks if something changed; also ←, h and q', leave, {
      also: '← h q',
    }),
  ];
}

/** The keys of the question whether to save, or to leave; Enter is No: it may still be held down. */
export function formQuestionKeys(state: WizardState, question: Question): readonly FormRule[] {
  const isSave = state.page === 'save';
  const back = () => stepTo({ ...state, page: 'question', first: 0 } as const);
  const yes = () => take({ ...state, page: 'question' }, question, isSave ? 'y' : 'd');
  return [
    row('y', isSave ? 'save' : 'discard', '', yes, { confirms: true }),
    row('n', 'cancel', 'back to the form; also Esc, Enter and q', back, { also: 'Esc Enter q' }),
    ...scrollKeys(state, question),
  ];
}

/** The keys that scroll a question which may have more lines than a window; the view ends it at its last line. */
export function scrollKeys(state: WizardState, { about, warning }: Question): readonly FormRule[] {
  // In the narrowest window.
  const lines = wrap(`${about}\n${warning}`, 40).length;
  if (lines <= ENOUGH_LINES) return [];
  const scroll: FormRule['run'] = (name) =>
    stepTo({ ...state, first: moveCursor(state.first, stepOf(name, PAGE), lines) });
  return [{ ...SCROLL_QUESTION, run: scroll }];
}

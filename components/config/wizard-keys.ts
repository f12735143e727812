import { isDeepStrictEqual } from 'node:util';
import { type Draft, firstOptions, isHidden, isOfLogin } from '../../src/config/dialogue/draft.ts';
import { MENU_ID } from '../../src/config/dialogue/menu-script.ts';
import { isConfirm, unneededOf, wrongWith } from '../../src/config/dialogue/option-question.ts';
import { EDIT_ONE } from '../../src/config/dialogue/remote-script.ts';
import type { Question } from '../../src/config/dialogue/step.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { BackendOption } from '../../src/core/options.ts';
import { wrap } from '../../src/terminal/cells.ts';
import { moveCursor } from '../../src/terminal/cursor-list.ts';
import { ENOUGH_LINES } from '../../src/terminal/drawn-question.ts';
import type { Key } from '../../src/terminal/key.ts';
import { ACTIONS, HELP, type KeyRule, row } from '../../src/terminal/key-table.ts';
import { MOVE, SCROLL_QUESTION, stepOf } from '../../src/terminal/list-keys.ts';
import { stepTo } from '../../src/terminal/state-screen.ts';
import { entryKeys, isShortList } from './entry.ts';
import {
  askedIn,
  goBack,
  take,
  takeEntered,
  testAgain,
  type WizardState,
  type WizardStep,
} from './wizard-steps.ts';

type WizardRule = KeyRule<(name: string, key: Key) => WizardStep>;

/** The keys that work now, the most important first. */
export function wizardKeys(state: WizardState): readonly WizardRule[] {
  const cancelled = () =>
    new SyncerError('interrupted', 'cancelled by Ctrl-C: unconfirmed changes were discarded');
  const leave: WizardRule = row(
    '^C',
    'quit',
    'quit immediately; unconfirmed changes are discarded',
    () => stepTo(state, { type: 'fail', error: cancelled() }),
  );
  if (state.isWriting) return [leave];
  const question = askedIn(state);
  if (question !== undefined && (state.page === 'save' || state.page === 'leave'))
    return [...formQuestionKeys(state, question), { ...leave, short: '' }];
  if (state.page === 'question') return [...questionKeys(state), leave];
  // The section that will be written.
  const close = () => stepTo({ ...state, page: 'question', first: 0 } as const);
  const scroll: WizardRule['run'] = (name) =>
    stepTo({ ...state, first: Math.max(0, state.first + stepOf(name, 1)) });
  return [
    row('↑↓', 'scroll', 'scroll; also j and k', scroll, { also: 'j k' }),
    revealKey(state, true),
    row('Tab', 'back', '', close),
    row('any key', '', '', close),
    { ...leave, short: '' },
  ];
}

function questionKeys(state: WizardState): readonly WizardRule[] {
  const { step } = state.conversation;
  const question = askedIn(state);
  const draft = step.kind === 'end' ? undefined : step.draft;
  const back: WizardRule = row(
    'Esc',
    question === undefined ? 'cancel' : 'back',
    'go back one question; answers are kept',
    () => goBack(state),
    { short: question?.id === MENU_ID ? '' : 'Esc' },
  );
  const hasSection = draft !== undefined && question !== undefined && question.kind !== 'token';
  const section: WizardRule = row(
    'Tab',
    'preview',
    'preview the section to be written, and the equivalent command',
    () => stepTo({ ...state, page: 'section', first: 0 }),
    { short: hasSection ? 'Tab' : '' },
  );
  const help: WizardRule = { ...HELP, keys: '? ^G', short: question === undefined ? '' : '?' };
  const isText = question?.kind === 'text' || question?.kind === 'token';
  const reveal = revealKey(state, isText && (question.secret || draft !== undefined));
  if (question === undefined) return [back, section, reveal, help];
  if (isConfirm(question) && draft !== undefined)
    return [...formKeys(state, question, draft), help, section, reveal, ACTIONS];
  const entry = entryKeys(question, state.entry, state.reveals).map(
    (rule): WizardRule => ({
      ...rule,
      run: (name, key) => takeEntered(state, question, rule.run(name, key)),
    }),
  );
  if (state.entry.isFiltering) return entry;
  const more = question.id === MENU_ID ? [ACTIONS] : [];
  const scroll = isShortList(question) ? scrollKeys(state, question) : [];
  const leave = state.entry.filter === undefined ? [back] : [];
  const isTyped = entry.some(({ types }) => types === true);
  const helpOf = isTyped ? { ...help, keys: '^G', short: '^G' } : help;
  return [...entry, ...scroll, ...leave, section, reveal, helpOf, ...more];
}

function revealKey(state: WizardState, isInFooter: boolean): WizardRule {
  return row(
    '^R',
    'secrets',
    'show or hide secrets',
    () => stepTo({ ...state, reveals: !state.reveals }),
    { short: isInFooter ? '^R' : '' },
  );
}

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
function formKeys(state: WizardState, question: Question, draft: Draft): readonly FormRule[] {
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
function formQuestionKeys(state: WizardState, question: Question): readonly FormRule[] {
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
function scrollKeys(state: WizardState, { about, warning }: Question): readonly FormRule[] {
  // In the narrowest window.
  const lines = wrap(`${about}\n${warning}`, 40).length;
  if (lines <= ENOUGH_LINES) return [];
  const scroll: FormRule['run'] = (name) =>
    stepTo({ ...state, first: moveCursor(state.first, stepOf(name, PAGE), lines) });
  return [{ ...SCROLL_QUESTION, run: scroll }];
}

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
function formFields(draft: Draft, isOpen: boolean) {
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

import { entryKeys, isShortList } from '../../src/config/dialogue/entry.ts';
import { MENU_ID } from '../../src/config/dialogue/menu-script.ts';
import { isConfirm } from '../../src/config/dialogue/option-question.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Key } from '../../src/terminal/key.ts';
import { ACTIONS, HELP, type KeyRule, row } from '../../src/terminal/key-table.ts';
import { stepOf } from '../../src/terminal/list-keys.ts';
import { stepTo } from '../../src/terminal/state-screen.ts';
import { formKeys, formQuestionKeys, scrollKeys } from './form-keys.ts';
import type { WizardState, WizardStep } from './wizard-state.ts';
import { askedIn, goBack, takeEntered } from './wizard-steps.ts';

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

import {
  answer,
  back,
  type Conversation,
  finishWork,
  isInForm,
} from '../../src/config/dialogue/conversation.ts';
import type { Diagnosis } from '../../src/config/dialogue/diagnosis.ts';
import type { Draft } from '../../src/config/dialogue/draft.ts';
import { MENU_ID } from '../../src/config/dialogue/menu-script.ts';
import { isConfirm } from '../../src/config/dialogue/option-question.ts';
import { EDIT_ONE } from '../../src/config/dialogue/remote-script.ts';
import type {
  Outcome,
  Question,
  TestResult,
  WizardWorld,
  Work,
} from '../../src/config/dialogue/step.ts';
import { toSyncerError } from '../../src/core/errors.ts';
import { type ScreenStep, stepTo } from '../../src/terminal/state-screen.ts';
import { editText } from '../../src/terminal/text-edit.ts';
import { beginEntry, type Entered, enteredValue, isMasked, type WizardEntry } from './entry.ts';

const NO_ENTRY: WizardEntry = { field: editText(''), cursor: 0 };

/** The wizard before its first step. */
export function firstState(world: WizardWorld, conversation: Conversation): WizardState {
  return {
    world,
    conversation,
    entry: NO_ENTRY,
    wrong: '',
    reveals: false,
    told: [],
    isWriting: false,
    test: { is: 'none' },
    notice: undefined,
    page: 'question',
    first: 0,
    form: { at: '', isOpen: false },
  };
}

/** The question that is asked now. */
export function askedIn({ conversation: { step } }: WizardState): Question | undefined {
  return step.kind === 'ask' ? step.question : undefined;
}

/** Goes to the step of `conversation`. */
export function enter(before: WizardState, conversation: Conversation): WizardStep {
  const { step, given, kept } = conversation;
  let entry = NO_ENTRY;
  if (step.kind === 'ask') {
    const { id, secret } = step.question;
    const last = given.at(-1);
    // A field of the form begins with its value, not with what was typed there and cancelled; a
    // secret that is asked again is entered again.
    const isField = last?.kind === 'answer' && last.text.startsWith(EDIT_ONE);
    const isAgain = secret && given.some((one) => one.kind === 'answer' && one.id === id);
    entry = beginEntry(step.question, isField || isAgain ? undefined : kept.get(id));
  }
  const state: WizardState = {
    ...firstState(before.world, conversation),
    entry,
    reveals: before.reveals,
    notice: before.notice,
    form: before.form,
    test: isInForm(conversation) ? before.test : { is: 'none' },
  };
  if (step.kind === 'work') return stepTo(state, { type: 'work', work: step.work });
  if (step.kind === 'ask') {
    if (!isConfirm(step.question)) return stepTo(state, { type: 'stop' });
    const tests = step.draft?.original === undefined || state.test.is !== 'none';
    return tests ? testAgain(state) : stepTo(state, { type: 'stop' });
  }
  const { outcome } = step;
  if (outcome.type === 'quit') return stepTo(state, { type: 'end' });
  if (outcome.type === 'nothing') return stepTo(state, { type: 'turn', said: undefined });
  return stepTo({ ...state, isWriting: true }, { type: 'write', outcome });
}

/** Goes back one question; what is entered is kept. */
export function goBack(state: WizardState): WizardStep {
  const { conversation, entry } = state;
  const question = askedIn(state);
  let kept = conversation;
  if (question !== undefined) {
    const answers = new Map(conversation.kept).set(question.id, enteredValue(question, entry));
    kept = { ...conversation, kept: answers };
  }
  const before = back(kept);
  if (before !== undefined) return enter(state, before);
  // A dialogue without the menu ends.
  if (question !== undefined && question.id !== MENU_ID)
    return stepTo(state, { type: 'turn', said: undefined });
  const notice = { text: 'q quits the wizard.', isBad: false };
  return stepTo({ ...state, conversation: kept, notice });
}

/** What a key of the entry makes of the wizard. */
export function takeEntered(state: WizardState, question: Question, entered: Entered): WizardStep {
  if (entered === undefined) return stepTo(state);
  if ('answer' in entered) return take(state, question, entered.answer);
  const text = enteredValue(question, entered.entry);
  const isTyped = question.kind === 'text' || question.kind === 'list';
  const wrong = isTyped && text !== '' ? (question.check(text) ?? '') : '';
  return stepTo({ ...state, entry: entered.entry, wrong });
}

/** What an event makes of the wizard. */
export function takeWizardEvent(state: WizardState, event: WizardEvent): WizardStep {
  switch (event.type) {
    case 'told':
      return stepTo({ ...state, told: [...state.told, ...event.text.split('\n')] });
    case 'worked':
      return enter(state, finishWork(state.conversation, event.value));
    case 'tested': {
      const { test } = event;
      // After a failed test the cursor is on the field that is wrong.
      const { field: at = state.form.at } = test.is === 'bad' ? test.diagnosis : {};
      return stepTo({ ...state, test, form: { ...state.form, at } });
    }
    case 'failed': {
      const { error } = event;
      const before = back(state.conversation, toSyncerError(error).message);
      if (before !== undefined) return enter(state, before);
      return stepTo({ ...state, isWriting: false }, { type: 'fail', error });
    }
    case 'began': {
      const { world, conversation, said } = event;
      const notice = said === undefined ? undefined : { text: said, isBad: false };
      const { form } = firstState(world, conversation);
      return enter({ ...state, world, notice, form, reveals: false }, conversation);
    }
  }
}

/** Answers a question, if nothing is wrong with the answer. */
export function take(state: WizardState, question: Question, text: string): WizardStep {
  const wrong = question.check(text);
  if (wrong !== undefined) {
    const { entry, reveals } = state;
    // Dots do not show what to correct.
    const isHidden = isMasked(question, entry, reveals);
    return stepTo({ ...state, wrong, entry: isHidden ? beginEntry(question, '') : entry });
  }
  return enter({ ...state, notice: undefined }, answer(state.conversation, text));
}

/** Tests the remote as it is now. */
export function testAgain(state: WizardState): WizardStep {
  const { step } = state.conversation;
  const draft = step.kind === 'ask' ? step.draft : undefined;
  if (draft === undefined) return stepTo(state, { type: 'stop' });
  return stepTo({ ...state, test: { is: 'running' } }, { type: 'test', draft });
}

/** How the test of a remote stands. */
export type TestState =
  | { readonly is: 'none' }
  | { readonly is: 'running' }
  | { readonly is: 'good'; readonly result: TestResult }
  | { readonly is: 'bad'; readonly diagnosis: Diagnosis };

/** Everything the screens of the wizard show. */
export interface WizardState {
  readonly world: WizardWorld;
  readonly conversation: Conversation;
  readonly entry: WizardEntry;
  /** What is wrong with what is entered; shown while typing where it can only be wrong, else at Enter. */
  readonly wrong: string;
  /** Secrets are shown. */
  readonly reveals: boolean;
  /** What a work has reported so far. */
  readonly told: readonly string[];
  readonly isWriting: boolean;
  readonly test: TestState;
  /** A line about what was done last. */
  readonly notice: { readonly text: string; readonly isBad: boolean } | undefined;
  /** The form of a remote: the field with the cursor, else the first; `isOpen`: the advanced fields are shown. */
  readonly form: { readonly at: string; readonly isOpen: boolean };
  /** Instead of the question: the section that will be written, or whether to save or to leave the form. */
  readonly page: 'question' | 'section' | 'save' | 'leave';
  /** The first line shown of that page. */
  readonly first: number;
}

/** What is to be done besides showing. Each ends what was under way before. */
export type WizardEffect =
  | { readonly type: 'stop' }
  | { readonly type: 'work'; readonly work: Work }
  | { readonly type: 'test'; readonly draft: Draft }
  | { readonly type: 'write'; readonly outcome: Outcome }
  /** The next turn starts, or the wizard ends; `said`: what was done. */
  | { readonly type: 'turn'; readonly said: string | undefined }
  | { readonly type: 'end' }
  | { readonly type: 'fail'; readonly error: unknown };

export type WizardEvent =
  | { readonly type: 'told'; readonly text: string }
  | { readonly type: 'worked'; readonly value: unknown }
  | { readonly type: 'tested'; readonly test: TestState }
  /** A work or the writing failed. */
  | { readonly type: 'failed'; readonly error: unknown }
  /** A turn starts. */
  | {
      readonly type: 'began';
      readonly world: WizardWorld;
      readonly conversation: Conversation;
      readonly said: string | undefined;
    };

/** What came of a key or an event. */
export type WizardStep = ScreenStep<WizardState, WizardEffect>;

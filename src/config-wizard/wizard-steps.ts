import { toSyncerError } from '../core/errors.ts';
import { stepTo } from '../screen/state-screen.ts';
import { editText } from '../screen/text-edit.ts';
import { isConfirm } from './confirm-question.ts';
import { answer, back, type Conversation, finishWork, keep } from './conversation.ts';
import { beginEntry, type Entered, enteredValue, keptOf, type WizardEntry } from './entry.ts';
import { EDIT_ONE } from './remote-script.ts';
import type { Question } from './step.ts';
import type { WizardEvent, WizardState, WizardStep } from './wizard-state.ts';
import type { WizardWorld } from './wizard-world.ts';

const NO_ENTRY: WizardEntry = { field: editText(''), cursor: 0 };

/** The wizard before its first step. */
export function firstState(world: WizardWorld, conversation: Conversation): WizardState {
  return {
    ...{ world, conversation, entry: NO_ENTRY, wrong: '', reveals: false, told: [] },
    ...{ isWriting: false, test: { is: 'none' }, notice: undefined, page: 'question', first: 0 },
  };
}

/** The question that is asked now. */
export function askedIn({ conversation: { step } }: WizardState): Question | undefined {
  return step.kind === 'ask' ? step.question : undefined;
}

/** Goes to the step of `conversation`. */
export function enter(before: WizardState, conversation: Conversation): WizardStep {
  const { step, kept } = conversation;
  const isAsked = step.kind === 'ask';
  const state: WizardState = {
    ...firstState(before.world, conversation),
    entry: isAsked ? beginEntry(step.question, keptFor(step.question, kept)) : NO_ENTRY,
    reveals: before.reveals,
    notice: before.notice,
  };
  if (step.kind === 'work') return stepTo(state, { type: 'work', work: step.work });
  if (step.kind === 'ask') {
    return isConfirm(step.question) ? testAgain(state) : stepTo(state, { type: 'stop' });
  }
  const { outcome } = step;
  if (outcome.type === 'quit') return stepTo(state, { type: 'end' });
  if (outcome.type === 'nothing') return stepTo(state, { type: 'turn', said: undefined });
  return stepTo({ ...state, isWriting: true }, { type: 'write', outcome });
}

/** The last question starts at its first answer, whatever was chosen there before. */
function keptFor(asked: Question, kept: ReadonlyMap<string, string>): string | undefined {
  return isConfirm(asked) ? undefined : kept.get(asked.id);
}

/** Goes back one question; what is entered is kept. */
export function goBack(state: WizardState): WizardStep {
  const { conversation, entry } = state;
  const question = askedIn(state);
  const kept =
    question === undefined
      ? conversation
      : keep(conversation, question.id, keptOf(question, entry));
  const before = back(kept);
  if (before !== undefined) return enter(state, before);
  const notice = { text: 'q quits the wizard.', isBad: false };
  return stepTo({ ...state, conversation: kept, notice });
}

/** What a key of the entry makes of the wizard. */
export function takeEntered(state: WizardState, question: Question, entered: Entered): WizardStep {
  if (entered === undefined) return stepTo(state);
  if ('answer' in entered) {
    const { answer: text, isByEnter = false } = entered;
    const isEarly = isByEnter && isConfirm(question) && text === 'y' && state.test.is === 'running';
    // Enter may still be held down from the question before.
    if (isEarly)
      return stepTo({ ...state, wrong: 'Press y to save without waiting for the test.' });
    return take(state, question, text);
  }
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
    case 'tested':
      return stepTo({ ...state, test: event.test, wrong: '', entry: entryAfterTest(state, event) });
    case 'failed': {
      const { error } = event;
      const before = back(state.conversation, toSyncerError(error).message);
      if (before !== undefined) return enter(state, before);
      return stepTo({ ...state, isWriting: false }, { type: 'fail', error });
    }
    case 'began': {
      const { world, conversation, said } = event;
      const notice = said === undefined ? undefined : { text: said, isBad: false };
      return enter({ ...state, world, notice, reveals: false }, conversation);
    }
  }
}

/** After a failed test the cursor is on Edit, after a passed one on Save, unless it was moved. */
function entryAfterTest(
  { entry, conversation: { step } }: WizardState,
  { test }: WizardEvent & { type: 'tested' },
): WizardEntry {
  if (step.kind !== 'ask' || entry.cursor > 1) return entry;
  const wanted = test.is === 'bad' ? 'e' : 'y';
  const cursor = step.question.choices.findIndex(({ value }) => value === wanted);
  return { ...entry, cursor: Math.max(0, cursor) };
}

/** On screens, Edit opens the option that the test found wrong, or the list of options. */
function editAnswer({ test }: WizardState): string {
  return `${EDIT_ONE}${(test.is === 'bad' ? test.diagnosis.field : undefined) ?? ''}`;
}

function take(state: WizardState, question: Question, text: string): WizardStep {
  if (isConfirm(question) && text === 't') {
    return testAgain({ ...state, entry: beginEntry(question, undefined) });
  }
  const wrong = question.check(text);
  if (wrong !== undefined) return stepTo({ ...state, wrong });
  const given = isConfirm(question) && text === 'e' ? editAnswer(state) : text;
  return enter({ ...state, notice: undefined }, answer(state.conversation, given));
}

function testAgain(state: WizardState): WizardStep {
  const { step } = state.conversation;
  const draft = step.kind === 'ask' ? step.draft : undefined;
  if (draft === undefined) return stepTo(state, { type: 'stop' });
  return stepTo({ ...state, test: { is: 'running' } }, { type: 'test', draft });
}

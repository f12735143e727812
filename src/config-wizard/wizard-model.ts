import { SyncerError, toSyncerError } from '../core/errors.ts';
import { startChanges } from '../screen/changes.ts';
import { isCtrl, type Key, typed } from '../screen/key.ts';
import type { ScreenModel } from '../screen/screen-model.ts';
import { editText } from '../screen/text-edit.ts';
import { answer, back, begin, type Conversation, finishWork, keep } from './conversation.ts';
import { diagnose } from './diagnosis.ts';
import { beginEntry, enteredValue, enterKey, keptOf, type WizardEntry } from './entry.ts';
import type { Outcome } from './outcome.ts';
import { isConfirm } from './remote-script.ts';
import type { Question } from './step.ts';
import type { WizardParts } from './wizard-parts.ts';
import type { WizardState } from './wizard-state.ts';
import type { WizardWorld } from './wizard-world.ts';
import { doWork } from './work.ts';

/** The wizard without its drawing; its result is what was done last, in a line, or `''`. */
export interface WizardModel extends ScreenModel<string> {
  readonly state: WizardState;
}

const NO_ENTRY: WizardEntry = { field: editText(''), cursor: 0 };

/** The wizard at its first question. `world` is what `look` gave. */
export function createWizardModel(parts: WizardParts, world: WizardWorld): WizardModel {
  const changes = startChanges();
  const result = Promise.withResolvers<string>();
  /** Of what is under way: a work, or a test. */
  let running = new AbortController();
  let state: WizardState = {
    world,
    conversation: begin(() => parts.script(world)),
    entry: NO_ENTRY,
    wrong: '',
    reveals: false,
    told: [],
    isWriting: false,
    test: { is: 'none' },
    notice: undefined,
    page: 'question',
    first: 0,
  };

  const set = (news: Partial<WizardState>) => {
    state = { ...state, ...news };
    changes.tell();
  };
  const asked = (): Question | undefined => {
    const { step } = state.conversation;
    return step.kind === 'ask' ? step.question : undefined;
  };

  /** Goes on at the step of `conversation`: what was under way there before is over. */
  const enter = (conversation: Conversation) => {
    running.abort();
    running = new AbortController();
    const { step, kept } = conversation;
    const isAsked = step.kind === 'ask';
    const entry = isAsked ? beginEntry(step.question, kept.get(step.question.id)) : NO_ENTRY;
    const blank = {
      wrong: '',
      told: [],
      test: { is: 'none' },
      page: 'question',
      first: 0,
    } as const;
    set({ conversation, entry, ...blank });
    if (step.kind === 'work') void work();
    if (step.kind === 'end') void end(step.outcome);
    if (isAsked && isConfirm(step.question)) void test();
  };

  const work = async () => {
    const { conversation } = state;
    const { signal } = running;
    const { step } = conversation;
    if (step.kind !== 'work') return;
    const tell = (text: string) => {
      if (!signal.aborted) set({ told: [...state.told, ...text.split('\n')] });
    };
    try {
      const value = await doWork(parts.works, step.work, tell, signal);
      if (!signal.aborted) enter(finishWork(conversation, value));
    } catch (thrown) {
      if (signal.aborted) return;
      const problem = toSyncerError(thrown).message;
      const before = back(conversation, problem);
      if (before === undefined) result.reject(thrown);
      else enter(before);
    }
  };

  const test = async () => {
    const { step } = state.conversation;
    const draft = step.kind === 'ask' ? step.draft : undefined;
    if (draft === undefined) return;
    running.abort();
    running = new AbortController();
    const { signal } = running;
    set({ test: { is: 'running' } });
    try {
      const found = await parts.works.test(draft, signal);
      if (!signal.aborted) set({ test: { is: 'good', result: found } });
    } catch (thrown) {
      if (signal.aborted) return;
      set({ test: { is: 'bad', diagnosis: diagnose(thrown, draft, state.world.nowMs) } });
    }
  };

  const end = async (outcome: Outcome) => {
    if (outcome.type === 'quit') return result.resolve('');
    if (outcome.type === 'nothing') return startAnew(undefined);
    set({ isWriting: true });
    try {
      await startAnew(await parts.carryOut(outcome));
    } catch (thrown) {
      const before = back(state.conversation, toSyncerError(thrown).message);
      set({ isWriting: false });
      if (before === undefined) result.reject(thrown);
      else enter(before);
    }
  };

  const startAnew = async (said: string | undefined) => {
    if (!parts.repeats) return result.resolve(said ?? '');
    const now = await parts.look();
    const notice = said === undefined ? undefined : { text: said, isBad: false };
    set({ world: now, isWriting: false, notice, reveals: false });
    enter(begin(() => parts.script(now)));
  };

  const goBack = () => {
    const { conversation, entry } = state;
    const question = asked();
    const kept =
      question === undefined
        ? conversation
        : keep(conversation, question.id, keptOf(question, entry));
    const before = back(kept);
    if (before !== undefined) enter(before);
    else set({ conversation: kept, notice: { text: 'q quits the wizard.', isBad: false } });
  };

  const take = (question: Question, text: string) => {
    if (isConfirm(question) && text === 't') return void test();
    const wrong = question.check(text);
    if (wrong !== undefined) return set({ wrong });
    set({ notice: undefined });
    enter(answer(state.conversation, text));
  };

  const press = (key: Key) => {
    if (isCtrl(key, 'c')) {
      running.abort();
      return result.reject(
        new SyncerError('interrupted', 'cancelled by Ctrl-C: unconfirmed changes were discarded'),
      );
    }
    if (state.isWriting) return;
    if (state.page !== 'question') return turnPage(key);
    if (key.name === 'escape') return goBack();
    if (isCtrl(key, 'r')) return set({ reveals: !state.reveals });
    if (isCtrl(key, 'g')) return set({ page: 'keys', first: 0 });
    if (key.name === 'tab') return set({ page: 'section', first: 0 });
    const question = asked();
    if (question === undefined) return;
    if (typed(key) === '?' && !model.takesText()) return set({ page: 'keys', first: 0 });
    const entered = enterKey(question, state.entry, key);
    if (entered === undefined) return;
    if ('answer' in entered) return take(question, entered.answer);
    const text = enteredValue(question, entered.entry);
    const isTyped = question.kind === 'text' || question.kind === 'list';
    const wrong = isTyped && text !== '' ? (question.check(text) ?? '') : '';
    set({ entry: entered.entry, wrong });
  };

  const turnPage = (key: Key) => {
    const step =
      key.name === 'down' || typed(key) === 'j'
        ? 1
        : key.name === 'up' || typed(key) === 'k'
          ? -1
          : 0;
    if (step !== 0) return set({ first: Math.max(0, state.first + step) });
    if (isCtrl(key, 'r')) return set({ reveals: !state.reveals });
    set({ page: 'question', first: 0 });
  };

  const model: WizardModel & { takesText(): boolean } = {
    get state() {
      return state;
    },
    press,
    resize() {},
    subscribe: changes.subscribe,
    version: changes.version,
    takesText() {
      const question = asked();
      if (question === undefined || question.kind === 'letters') return false;
      return question.kind !== 'list' || !question.exclusive || state.entry.field.text !== '';
    },
    result: result.promise,
  };
  enter(state.conversation);
  return model;
}

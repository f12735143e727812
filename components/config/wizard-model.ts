import { begin } from '../../src/config/dialogue/conversation.ts';
import { diagnose } from '../../src/config/dialogue/diagnosis.ts';
import type { Draft } from '../../src/config/dialogue/draft.ts';
import {
  doWork,
  type WizardParts,
  type WizardWorld,
  type Work,
} from '../../src/config/dialogue/step.ts';
import type { Key } from '../../src/terminal/key.ts';
import { StateScreen, stepByKey } from '../../src/terminal/state-screen.ts';
import { wizardKeys } from './wizard-keys.ts';
import {
  askedIn,
  enter,
  firstState,
  takeWizardEvent,
  type WizardEffect,
  type WizardEvent,
  type WizardState,
} from './wizard-steps.ts';

/** The wizard without its drawing; its result is what was done last, in a line, or `''`. */
export class WizardModel extends StateScreen<WizardState, WizardEffect, string> {
  readonly #parts: WizardParts;
  /** Of what is under way: a work, or a test. */
  #running = new AbortController();

  /** `world` is what `look` gave. */
  constructor(parts: WizardParts, world: WizardWorld) {
    const onScreen = { ...world, isScreen: true };
    const conversation = begin(() => parts.script(onScreen));
    super(firstState(onScreen, conversation));
    this.#parts = parts;
    this.apply(enter(this.state, conversation));
  }

  /** The keys that work now. */
  keys() {
    return wizardKeys(this.state);
  }

  /** The question in all its words, and whether it is one of the form. */
  asked() {
    const { page, entry } = this.state;
    const { id, about, warning } = askedIn(this.state) ?? {};
    return [page, id, about, warning, ...(entry.ticked ?? [])].join('\n');
  }

  protected override takeKey(key: Key) {
    return stepByKey(this.state, this.keys(), key);
  }

  protected override carryOut(effect: WizardEffect): void {
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    switch (effect.type) {
      case 'stop':
        return;
      case 'work':
        void this.#work(effect.work, signal);
        return;
      case 'test':
        void this.#test(effect.draft, signal);
        return;
      case 'write':
        void this.#parts
          .carryOut(effect.outcome)
          .then((said) => this.#turn(said))
          .catch((error) => this.#happen({ type: 'failed', error }));
        return;
      case 'turn':
        void this.#turn(effect.said).catch((error) => this.#happen({ type: 'failed', error }));
        return;
      case 'end':
        this.ended.resolve('');
        return;
      case 'fail':
        this.ended.reject(effect.error);
    }
  }

  #happen(event: WizardEvent, signal?: AbortSignal): void {
    if (signal?.aborted !== true) this.apply(takeWizardEvent(this.state, event));
  }

  async #work(work: Work, signal: AbortSignal): Promise<void> {
    try {
      const tell = (text: string) => this.#happen({ type: 'told', text }, signal);
      const value = await doWork(this.#parts.works, work, tell, signal);
      this.#happen({ type: 'worked', value }, signal);
    } catch (error) {
      this.#happen({ type: 'failed', error }, signal);
    }
  }

  async #test(draft: Draft, signal: AbortSignal): Promise<void> {
    try {
      const result = await this.#parts.works.test(draft, signal);
      this.#happen({ type: 'tested', test: { is: 'good', result } }, signal);
    } catch (thrown) {
      const diagnosis = diagnose(thrown, draft, this.state.world.nowMs);
      this.#happen({ type: 'tested', test: { is: 'bad', diagnosis } }, signal);
    }
  }

  async #turn(said: string | undefined): Promise<void> {
    const { repeats, look, script } = this.#parts;
    if (!repeats) {
      this.ended.resolve(said ?? '');
      return;
    }
    const world = { ...(await look()), isScreen: true };
    this.#happen({ type: 'began', world, conversation: begin(() => script(world)), said });
  }
}

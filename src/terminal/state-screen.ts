import { SyncerError } from '../core/errors.ts';
import { isCtrl, type Key } from './key.ts';
import { type KeyRule, keyName, ruleOf } from './key-table.ts';
import type { KeyedScreen, Size } from './screen-model.ts';

/** What a key or an event makes of a screen: its next state, and what is to be done besides. */
export interface ScreenStep<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** A step to a state, with effects or without. */
export function stepTo<State, Effect = never>(
  state: State,
  ...effects: Effect[]
): ScreenStep<State, Effect> {
  return { state, effects };
}

/** What a key makes of a state, by the table of its keys. */
export function stepByKey<State, Effect>(
  state: State,
  table: readonly KeyRule<(name: string, key: Key) => ScreenStep<State, Effect>>[],
  key: Key,
): ScreenStep<State, Effect> {
  return ruleOf(table, key)?.run(keyName(key), key) ?? stepTo(state);
}

/**
 * A screen as a state machine: pure functions make a step of each key and event, `apply` takes it, and `carryOut` does
 * what takes time or touches the world; what comes of it is an event again.
 */
export abstract class StateScreen<State, Effect, Result = void> implements KeyedScreen<Result> {
  readonly result: Promise<Result>;
  protected readonly ended = Promise.withResolvers<Result>();
  protected size: Size = { columns: 80, rows: 24 };
  readonly #listeners = new Set<() => void>();
  #state: State;
  #version = 0;

  constructor(state: State) {
    this.#state = state;
    this.result = this.ended.promise;
  }

  get state(): State {
    return this.#state;
  }

  press(key: Key): void {
    if (isCtrl(key, 'c') && ruleOf(this.keys(), key)?.interrupts === true)
      this.ended.reject(new SyncerError('interrupted', 'stopped by Ctrl-C'));
    else this.apply(this.takeKey(key));
  }

  resize(size: Size): void {
    this.size = size;
    this.changed();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  version(): number {
    return this.#version;
  }

  abstract keys(): ReturnType<KeyedScreen['keys']>;

  protected abstract takeKey(key: Key): ScreenStep<State, Effect>;

  /** If it throws, the screen ends with the error. */
  protected carryOut(_effect: Effect): void {}

  /** Goes to a state without effects. */
  protected show(state: State): void {
    this.apply({ state, effects: [] });
  }

  protected apply({ state, effects }: ScreenStep<State, Effect>): void {
    this.#state = state;
    try {
      for (const effect of effects) this.carryOut(effect);
    } catch (thrown) {
      this.ended.reject(thrown);
    }
    this.changed();
  }

  /** Something that shows has changed. */
  protected changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}

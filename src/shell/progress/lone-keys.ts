import { HeldKey } from '../../terminal/held-key.ts';
import type { Key } from '../../terminal/key.ts';
import { keyName, READ_MS } from '../../terminal/key-table.ts';
import { ReadQuestion } from '../../terminal/read-question.ts';

/**
 * Separates keys from text that was typed for the shell: a key that counts only alone is pressed once no other key has come
 * within `READ_MS` before or behind it. The same key again is no other key.
 */
export class LoneKeys {
  readonly #press: (key: Key) => void;
  readonly #nowMs: () => number;
  readonly #question: ReadQuestion;
  #last: { readonly name: string; readonly atMs: number; readonly isText: boolean } | undefined;
  readonly #held = new HeldKey();

  /** @param nowMs milliseconds from any start */
  constructor(nowMs: () => number, press: (key: Key) => void) {
    this.#nowMs = nowMs;
    this.#question = new ReadQuestion(nowMs);
    this.#press = press;
  }

  /** The view has been drawn, with a question or without. */
  show(isAsked: boolean): void {
    if (isAsked) this.#question.show();
    else this.#question.hide();
  }

  /**
   * @param isAlone `undefined`: it is no text for the shell, and neither was what came before it
   * @param confirms it counts only once the question could be read
   */
  take(key: Key, isAlone: boolean | undefined, confirms: boolean): void {
    const canAnswer = this.#question.take();
    const [name, atMs, last] = [keyName(key), this.#nowMs(), this.#last];
    const held = this.#forget();
    if (isAlone === undefined) return void this.#press(key);
    const isSame = last?.name === name;
    const isBehind = last !== undefined && atMs - last.atMs < READ_MS;
    const isText = isBehind && (!isSame || last.isText);
    this.#last = { name, atMs, isText };
    if (held === name) this.#press(key);
    if (!isAlone) this.#press(key);
    else if (!isText && (canAnswer || !confirms)) this.#held.hold(key, this.#press);
  }

  /** The view is no longer seen: forgets what was typed, and a key that is not pressed yet. */
  drop(): void {
    this.#question.hide();
    this.#forget();
  }

  /** The name of the key that was not pressed yet. */
  #forget(): string | undefined {
    this.#last = undefined;
    return this.#held.drop();
  }
}

import { goQuote } from '../../go/go-texts.ts';
import { FieldReader } from './field-reader.ts';
import type { HookFileNode, HookFilePlace } from './read-hook-file.ts';

/** What is wrong in a hook that can be loaded, and where in the file. */
export interface HookFault {
  readonly place: HookFilePlace;
  readonly text: string;
  /**
   * `error`: it never works, or lets in requests that it should refuse. `warning`: it may be a mistake. `note`: it
   * works otherwise than in webhook 2.8.0.
   */
  readonly weight: 'error' | 'warning' | 'note';
}

/** Finds faults in the fields of one mapping of a hook file. */
export class FieldCheck {
  readonly fields: FieldReader;
  readonly faults: HookFault[] = [];
  readonly #place: HookFilePlace;
  /** Stands before the names of fields; empty for those of a hook. */
  readonly #owner: string;

  constructor(node: HookFileNode, owner: string) {
    this.fields = new FieldReader(node, owner);
    this.#place = node.place;
    this.#owner = owner;
  }

  /** Adds a fault of a field; `text` follows its name. */
  add(weight: HookFault['weight'], field: string, text: string): void {
    const name = this.#owner === '' ? field : `${this.#owner}.${field}`;
    this.faults.push({ place: this.fields.placeOf(field), text: `${name}${text}`, weight });
  }

  /** Adds a fault of the whole mapping. */
  addWhole(weight: HookFault['weight'], text: string): void {
    this.faults.push({ place: this.#place, text: `${this.#owner}${text}`, weight });
  }

  /** Adds the keys that are none of `known`, which are ignored when a file is loaded. */
  unknown(known: readonly string[], behind = ''): void {
    const before = this.#owner === '' ? '' : `${this.#owner}: `;
    for (const key of this.fields.besides(known)) {
      const text = `${before}unknown key ${goQuote(key)}${behind}`;
      this.faults.push({ place: this.fields.placeOf(key), text, weight: 'warning' });
    }
  }

  /** Whether a text is given; if not, that is added, with the effect. */
  needs(field: string, effect: string): boolean {
    const { fields } = this;
    if (!fields.has(field)) this.add('error', field, ` is missing: ${effect}`);
    else if (fields.text(field) === '') this.add('error', field, ` is empty: ${effect}`);
    return fields.text(field) !== '';
  }
}

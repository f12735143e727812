import type { Program } from './compile-program.ts';

/** What stands on one side of a place between characters, as far as assertions ask. */
export const SIDE = { edge: 0, newline: 1, word: 2, other: 3 } as const;

/** One of the values of `SIDE`. */
export type Side = (typeof SIDE)[keyof typeof SIDE];

/** Characters that a program cannot tell apart. */
export interface CharacterClass {
  /** From 1; 0 is kept for the end of the text. */
  readonly number: number;
  /** By number of a set: whether the characters belong to it. */
  readonly members: readonly boolean[];
  readonly side: Side;
}

const MAX_REMEMBERED = 4096;

/** Sorts characters into classes as they are met, so that tables are by class and stay small. */
export class CharacterClasses {
  readonly #program: Program;
  readonly #asksSides: boolean;
  readonly #bySignature = new Map<string, CharacterClass>();
  readonly #ascii: (CharacterClass | undefined)[] = new Array(128).fill(undefined);
  readonly #others = new Map<number, CharacterClass>();

  constructor(program: Program) {
    this.#program = program;
    const edges = ['text-start', 'text-end'];
    this.#asksSides = [...program.assertions].some((assertion) => !edges.includes(assertion));
  }

  /** The class of a code point. */
  of(codePoint: number): CharacterClass {
    const known = codePoint < 128 ? this.#ascii[codePoint] : this.#others.get(codePoint);
    if (known !== undefined) return known;
    const found = this.#sort(codePoint);
    if (codePoint < 128) {
      this.#ascii[codePoint] = found;
    } else {
      if (this.#others.size >= MAX_REMEMBERED) this.#others.clear();
      this.#others.set(codePoint, found);
    }
    return found;
  }

  #sort(codePoint: number): CharacterClass {
    const side = this.#asksSides ? sideOf(codePoint) : SIDE.other;
    const members = this.#program.sets.map((set) => set.has(codePoint));
    const signature = side + members.map((member) => (member ? '1' : '0')).join('');
    const known = this.#bySignature.get(signature);
    if (known !== undefined) return known;
    const added = { number: this.#bySignature.size + 1, members, side };
    this.#bySignature.set(signature, added);
    return added;
  }
}

function sideOf(codePoint: number): Side {
  if (codePoint === 10) return SIDE.newline;
  return /^\w$/.test(String.fromCodePoint(codePoint)) ? SIDE.word : SIDE.other;
}

import { type CharacterClass, CharacterClasses, SIDE, type Side } from './character-classes.ts';
import type { Program } from './compile-program.ts';
import type { Assertion } from './syntax-tree.ts';

/** What the program can be doing after some characters: steps, and what the last character was. */
interface State {
  readonly steps: readonly number[];
  readonly before: Side;
  /** By number of the character class that comes next. */
  readonly moves: (Move | undefined)[];
}

interface Move {
  /** The state after the character; `undefined` where nothing can match any more. */
  readonly state: State | undefined;
  /** Lowest number of the expressions that matched before the character; Infinity where none did. */
  readonly accepted: number;
}

const NONE = Number.POSITIVE_INFINITY;
const MAX_STATES = 2000;

/**
 * Finds which of several expressions match somewhere in a text. States are made as they are met (a lazy
 * deterministic automaton, as in RE2), so the time grows with the length of the text and never explodes.
 */
export class Automaton {
  readonly #program: Program;
  readonly #classes: CharacterClasses;
  readonly #states = new Map<string, State>();
  readonly #seen: Uint32Array;
  #round = 0;
  #start: State;
  /** How often the states became too many and were forgotten. */
  overflows = 0;

  constructor(program: Program) {
    this.#program = program;
    this.#classes = new CharacterClasses(program);
    this.#seen = new Uint32Array(program.steps.length);
    this.#start = this.#stateOf([], SIDE.edge);
  }

  /** The lowest number of an expression that matches, -1 where none does. */
  find(text: string): number {
    let state: State | undefined = this.#start;
    let found = NONE;
    for (let at = 0; at < text.length && state !== undefined; ) {
      const codePoint = text.codePointAt(at) ?? 0;
      at += codePoint > 0xffff ? 2 : 1;
      const next = this.#classes.of(codePoint);
      const move: Move = state.moves[next.number] ?? this.#makeMove(state, next);
      if (move.accepted < found) found = move.accepted;
      if (found === 0) return 0;
      state = move.state;
    }
    if (state !== undefined) {
      const { accepted } = state.moves[0] ?? this.#makeMove(state, undefined);
      if (accepted < found) found = accepted;
    }
    return found === NONE ? -1 : found;
  }

  #makeMove(state: State, next: CharacterClass | undefined): Move {
    const { steps } = this.#program;
    const targets = new Set<number>();
    let accepted = NONE;
    for (const at of this.#reach(state, next?.side ?? SIDE.edge)) {
      const step = steps[at];
      if (step?.kind === 'accept') accepted = Math.min(accepted, step.expression);
      else if (step?.kind === 'take' && next?.members[step.set]) targets.add(step.next);
    }
    const after = next === undefined ? undefined : this.#stateOf([...targets], next.side);
    const move: Move = { state: after, accepted };
    state.moves[next?.number ?? 0] = move;
    return move;
  }

  /** The steps that are reached from a state without taking a character; every expression may start anew. */
  #reach(state: State, after: Side): number[] {
    const { steps, starts } = this.#program;
    const round = this.#nextRound();
    const stack = [...starts, ...state.steps];
    const reached: number[] = [];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (this.#seen[at] === round) continue;
      this.#seen[at] = round;
      const step = steps[at];
      if (step?.kind === 'fork') stack.push(step.other, step.next);
      else if (step?.kind !== 'assert') reached.push(at);
      else if (holds(step.assertion, state.before, after)) stack.push(step.next);
    }
    return reached;
  }

  #nextRound(): number {
    if (this.#round === 0xffffffff) {
      this.#seen.fill(0);
      this.#round = 0;
    }
    return ++this.#round;
  }

  #stateOf(steps: number[], before: Side): State {
    steps.sort((a, b) => a - b);
    const key = `${before}:${steps.join()}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    if (this.#states.size >= MAX_STATES) this.#forget();
    const state: State = { steps, before, moves: [] };
    this.#states.set(key, state);
    return state;
  }

  #forget(): void {
    this.overflows++;
    this.#states.clear();
    this.#start = { steps: [], before: SIDE.edge, moves: [] };
  }
}

function holds(assertion: Assertion, before: Side, after: Side): boolean {
  switch (assertion) {
    case 'text-start':
      return before === SIDE.edge;
    case 'text-end':
      return after === SIDE.edge;
    case 'line-start':
      return before === SIDE.edge || before === SIDE.newline;
    case 'line-end':
      return after === SIDE.edge || after === SIDE.newline;
    case 'word-border':
      return (before === SIDE.word) !== (after === SIDE.word);
    case 'no-word-border':
      return (before === SIDE.word) === (after === SIDE.word);
  }
}

import { Automaton } from './automaton.ts';
import { compileProgram } from './compile-program.ts';
import { type Node, SyntaxFault } from './syntax-tree.ts';

/** Neighbouring expressions that one automaton looks for. */
interface Part {
  readonly from: number;
  readonly nodes: readonly Node[];
  readonly automaton: Automaton;
}

const MAX_IN_PART = 500;
const MAX_OVERFLOWS = 4;

/**
 * Tells which of a list of expressions is the first that matches a text. Many are looked for at once; a
 * part whose automaton has grown too large is halved, down to single expressions.
 */
export class FirstMatch {
  #parts: Part[];

  constructor(nodes: readonly Node[]) {
    this.#parts = makeParts(nodes, 0);
  }

  /** The index of the first expression that matches somewhere in `text`, -1 where none does. */
  find(text: string): number {
    let index = -1;
    let crowded = false;
    for (const { automaton, from, nodes } of this.#parts) {
      const found = automaton.find(text);
      crowded ||= automaton.overflows > MAX_OVERFLOWS && nodes.length > 1;
      if (found >= 0) {
        index = from + found;
        break;
      }
    }
    if (crowded) this.#split();
    return index;
  }

  #split(): void {
    this.#parts = this.#parts.flatMap((part) =>
      part.automaton.overflows > MAX_OVERFLOWS && part.nodes.length > 1
        ? halve(part.nodes, part.from)
        : [part],
    );
  }
}

function makeParts(nodes: readonly Node[], from: number): Part[] {
  if (nodes.length === 0) return [];
  if (nodes.length > MAX_IN_PART) return halve(nodes, from);
  try {
    return [{ from, nodes, automaton: new Automaton(compileProgram(nodes)) }];
  } catch (thrown) {
    if (thrown instanceof SyntaxFault && nodes.length > 1) return halve(nodes, from);
    throw thrown;
  }
}

function halve(nodes: readonly Node[], from: number): Part[] {
  const middle = Math.ceil(nodes.length / 2);
  return [
    ...makeParts(nodes.slice(0, middle), from),
    ...makeParts(nodes.slice(middle), from + middle),
  ];
}

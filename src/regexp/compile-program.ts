import { type Assertion, type CodePointSet, type Node, SyntaxFault } from './syntax-tree.ts';

/** One step of a program; targets are indices of steps. */
type Step =
  /** Goes on at `next` with one of the characters of set number `set`. */
  | { readonly kind: 'take'; readonly set: number; next: number }
  | { readonly kind: 'assert'; readonly assertion: Assertion; next: number }
  /** Goes on at both. */
  | { readonly kind: 'fork'; next: number; other: number }
  /** Expression number `expression` matches. */
  | { readonly kind: 'accept'; readonly expression: number };

/** Several expressions as one automaton without a memory of how it got where it is (Thompson's construction). */
export interface Program {
  readonly steps: readonly Step[];
  readonly sets: readonly CodePointSet[];
  /** Where each expression starts. */
  readonly starts: readonly number[];
  readonly assertions: ReadonlySet<Assertion>;
}

/** Go multiplies nested counts and refuses more than this. */
const MAX_REPEAT = 1000;
const MAX_DEPTH = 1500;
const MAX_STEPS = 500_000;

/** Compiles expressions into one program. Throws `SyntaxFault` where one is too large. */
export function compileProgram(expressions: readonly Node[]): Program {
  const compiler = new Compiler();
  const starts = expressions.map((node, index) => {
    const accept = compiler.add({ kind: 'accept', expression: index });
    return compiler.compile(node, accept, MAX_REPEAT, 0);
  });
  const { steps, sets, assertions } = compiler;
  return { steps, sets, starts, assertions };
}

class Compiler {
  readonly steps: Step[] = [];
  readonly sets: CodePointSet[] = [];
  readonly assertions = new Set<Assertion>();
  readonly #setNumbers = new Map<string, number>();

  add(step: Step): number {
    if (this.steps.length >= MAX_STEPS) throw new SyntaxFault('expression too large');
    return this.steps.push(step) - 1;
  }

  /** Adds `node` so that it goes on at `next`; gives the step at which it starts. */
  compile(node: Node, next: number, repeats: number, depth: number): number {
    if (depth > MAX_DEPTH) throw new SyntaxFault('expression nests too deeply');
    switch (node.kind) {
      case 'empty':
        return next;
      case 'one-of':
        return this.add({ kind: 'take', set: this.#setNumber(node.set), next });
      case 'assert':
        this.assertions.add(node.assertion);
        return this.add({ kind: 'assert', assertion: node.assertion, next });
      case 'sequence':
        return node.nodes.reduceRight(
          (after, part) => this.compile(part, after, repeats, depth + 1),
          next,
        );
      case 'either':
        return node.nodes
          .map((part) => this.compile(part, next, repeats, depth + 1))
          .reduceRight((other, start) => this.add({ kind: 'fork', next: start, other }));
      case 'repeat':
        return this.#compileRepeat(node, next, repeats, depth + 1);
    }
  }

  #compileRepeat(
    { node, min, max }: Extract<Node, { kind: 'repeat' }>,
    next: number,
    repeats: number,
    depth: number,
  ): number {
    const open = max === Number.POSITIVE_INFINITY;
    const count = open ? min : max;
    if (count > repeats) throw new SyntaxFault('invalid repeat count: too many nested repetitions');
    const inner = count > 1 ? Math.floor(repeats / count) : repeats;
    let start = next;
    if (open) {
      const loop: Step = { kind: 'fork', next, other: next };
      start = this.add(loop);
      loop.next = this.compile(node, start, inner, depth);
    }
    for (let i = open ? min : max; i > 0; i--) {
      start = this.compile(node, start, inner, depth);
      if (i > min) start = this.add({ kind: 'fork', next: start, other: next });
    }
    return start;
  }

  #setNumber(set: CodePointSet): number {
    const known = this.#setNumbers.get(set.key);
    if (known !== undefined) return known;
    this.#setNumbers.set(set.key, this.sets.length);
    return this.sets.push(set) - 1;
  }
}

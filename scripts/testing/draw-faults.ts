import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'rolldown/utils';

/** A fault in a product file: a piece of its text, and what stands there instead. */
export interface PlantedFault {
  /** Relative to the repository. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly kind: FaultKind;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** The kinds of faults. */
export type FaultKind =
  | 'condition reversed'
  | 'and for or'
  | 'bound off by one'
  | 'comparison reversed'
  | 'number off by one'
  | 'await missing'
  | 'arguments swapped'
  | 'call dropped'
  | 'default taken away';

interface Span {
  readonly start: number;
  readonly end: number;
}

const REVERSED: Readonly<Record<string, readonly [FaultKind, string]>> = {
  '<': ['bound off by one', '<='],
  '<=': ['bound off by one', '<'],
  '>': ['bound off by one', '>='],
  '>=': ['bound off by one', '>'],
  '===': ['comparison reversed', '!=='],
  '!==': ['comparison reversed', '==='],
};

/** All places of a file where a fault can be planted, in their order. */
export function faultsOf(file: string, text: string = readFileSync(file, 'utf8')): PlantedFault[] {
  const found: PlantedFault[] = [];
  const textOf = ({ start, end }: Span) => text.slice(start, end);
  const add = (kind: FaultKind, at: Span, after: string) => {
    const line = text.slice(0, at.start).split('\n').length;
    found.push({ file, line, kind, start: at.start, end: at.end, before: textOf(at), after });
  };
  const reverse = (test: Span) => add('condition reversed', test, `!(${textOf(test)})`);
  const swapOperator = (left: Span, right: Span, operator: string, by: string, kind: FaultKind) => {
    const at = left.end + text.slice(left.end, right.start).indexOf(operator);
    add(kind, { start: at, end: at + operator.length }, by);
  };
  const visitor = new Visitor({
    IfStatement({ test }) {
      reverse(test);
    },
    ConditionalExpression({ test }) {
      reverse(test);
    },
    BinaryExpression({ left, right, operator }) {
      const [kind, by] = REVERSED[operator] ?? [];
      if (kind !== undefined && by !== undefined) swapOperator(left, right, operator, by, kind);
    },
    LogicalExpression({ left, right, operator, start, end }) {
      if (operator === '??') add('default taken away', { start, end }, textOf(left));
      else {
        const by = operator === '&&' ? '||' : '&&';
        swapOperator(left, right, operator, by, 'and for or');
      }
    },
    Literal(node) {
      if (typeof node.value === 'number')
        add('number off by one', node, `${Number(node.value) + 1}`);
    },
    AwaitExpression(node) {
      add('await missing', node, textOf(node.argument));
    },
    CallExpression({ arguments: [first, second] }) {
      if (first === undefined || second === undefined) return;
      if (textOf(first) === textOf(second)) return;
      const between = text.slice(first.end, second.start);
      const span = { start: first.start, end: second.end };
      add('arguments swapped', span, textOf(second) + between + textOf(first));
    },
    ExpressionStatement(node) {
      const { expression } = node;
      const isCall = expression.type === 'CallExpression' || expression.type === 'AwaitExpression';
      if (isCall) add('call dropped', node, ';');
    },
  });
  visitor.visit(parseSync(file, text).program);
  return found;
}

/**
 * Draws faults, each place as likely as any other.
 * @param below gives a whole number below its argument
 */
export function drawFaults(
  files: readonly string[],
  count: number,
  below: (limit: number) => number,
): PlantedFault[] {
  const all = files.flatMap((file) => faultsOf(file));
  const drawn: PlantedFault[] = [];
  while (drawn.length < count && all.length > 0) drawn.push(...all.splice(below(all.length), 1));
  return drawn;
}

/** The text of a file with the fault. */
export function withFault(text: string, { start, end, after }: PlantedFault): string {
  return text.slice(0, start) + after + text.slice(end);
}

import { SyntaxFault } from './syntax-tree.ts';
import type { TextReader } from './text-reader.ts';

/** How often something is repeated; `max` is Infinity where there is no limit. */
export interface Repetition {
  readonly min: number;
  readonly max: number;
}

const MAX_COUNT = 1000;
// A further ? asks for the shortest match, which makes no difference to whether there is one.
const OPERATOR = /[*+?]\??/y;
const COUNT = /\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}\??/y;

const OPERATORS: Readonly<Record<string, Repetition>> = {
  '*': { min: 0, max: Number.POSITIVE_INFINITY },
  '+': { min: 1, max: Number.POSITIVE_INFINITY },
  '?': { min: 0, max: 1 },
};

/** `*`, `+`, `?`, `{2}`, `{2,}` or `{2,5}`; `undefined` where none comes next (`{,5}` is plain text). */
export function parseRepetition(reader: TextReader): Repetition | undefined {
  const operator = reader.takeMatch(OPERATOR);
  if (operator !== undefined) return OPERATORS[operator[0].charAt(0)];
  const count = reader.takeMatch(COUNT);
  if (count === undefined) return undefined;
  const [text, from, comma, to] = count;
  const min = Number(from);
  const open = comma === ',' && to === undefined;
  const max = open ? Number.POSITIVE_INFINITY : Number(to ?? from);
  if (min > MAX_COUNT || (!open && max > MAX_COUNT) || min > max) {
    throw new SyntaxFault(`invalid repeat count: \`${text}\``);
  }
  return { min, max };
}

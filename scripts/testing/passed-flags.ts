import { parseSync, Visitor } from 'rolldown/utils';

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Flag extends Span {
  readonly name: string;
}

/** A flag as a word of a command line. */
const FLAG = /(?<=^|[\s"'`([{])--([a-z0-9][a-z0-9-]*)(?=$|[\s"'`)\]}=,;|])/g;
/** What stands before and after a flag in a sentence about it. */
const BEFORE_IN_PROSE =
  /\b(and|because of|but|by|for|like|needs|of|or|see|than|use|with|without) $/;
const AFTER_IN_PROSE = /^,? (and|are|cannot|does|is|may|must|needs?|or|was)\b/;

/** Methods that compare their argument or look for it. */
const COMPARING =
  /^(endsWith|includes|indexOf|match|matchAll|replace|replaceAll|search|split|startsWith)$/;

/**
 * The flags that the code of a test passes on command lines, by their long names, without dashes: those in its texts and
 * the pieces of its templates that are no titles, not expected, compared or thrown, and no sentences.
 */
export function passedFlags(file: string, text: string): ReadonlySet<string> {
  const found: Flag[] = [];
  const others: Span[] = [];
  const add = ({ start, end }: Span, value: string) => {
    for (const name of flagsIn(value)) found.push({ start, end, name });
  };
  const visitor = new Visitor({
    Literal(node) {
      if (typeof node.value === 'string') add(node, node.value);
    },
    TemplateElement(node) {
      add(node, node.value.cooked ?? '');
    },
    CallExpression({ callee, arguments: [first, ...rest] }) {
      if (first === undefined) return;
      const called = text.slice(callee.start, callee.end);
      const [method = ''] = /\w+$/.exec(called) ?? [];
      if (/^(test|it|describe)\b/.test(called)) {
        if (first.type === 'Literal' || first.type === 'TemplateLiteral') others.push(first);
      } else if (/^expect\b/.test(called)) {
        others.push(...rest);
        if (!/^expect(\.poll|\.soft)?$/.test(called)) others.push(first);
      } else if (COMPARING.test(method)) others.push(first, ...rest);
    },
    BinaryExpression({ operator, left, right }) {
      if (/^[!=]==$/.test(operator)) others.push(left, right);
    },
    ThrowStatement(node) {
      others.push(node);
    },
  });
  visitor.visit(parseSync(file, text).program);
  const isPassed = (flag: Flag) =>
    !others.some(({ start, end }) => start <= flag.start && flag.end <= end);
  return new Set(found.filter(isPassed).map(({ name }) => name));
}

function flagsIn(text: string): readonly string[] {
  return [...text.matchAll(FLAG)].flatMap(({ 0: word, 1: name = '', index }) => {
    const isInProse =
      BEFORE_IN_PROSE.test(text.slice(0, index)) ||
      AFTER_IN_PROSE.test(text.slice(index + word.length));
    return isInProse ? [] : [name];
  });
}

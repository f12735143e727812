import { anyCharacter, characterSet, notNewline, setOf } from './code-point-set.ts';
import { parseClass } from './parse-class.ts';
import { parseClassEscape, parseEscape } from './parse-escape.ts';
import { parseGroupStart } from './parse-group.ts';
import { parseRepetition, type Repetition } from './parse-repetition.ts';
import {
  type Assertion,
  type CodePointSet,
  type Flags,
  type Node,
  SyntaxFault,
} from './syntax-tree.ts';
import { TextReader } from './text-reader.ts';

const MAX_DEPTH = 1000;
const ESCAPED_ASSERTION = /\\([AbBz])/y;
const LITERAL_SPAN = /\\Q(.*?)(?:\\E|$)/sy;
const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: 'text-start',
  b: 'word-border',
  B: 'no-word-border',
  z: 'text-end',
};

/**
 * Parses a regular expression in the syntax of Go's `regexp` package (RE2), the one in which rclone's filter
 * patterns take `{{…}}`. Throws `SyntaxFault` for what Go refuses: look-around, backreferences, stacked
 * repetitions, counts above 1000.
 */
export function parseRegexp(text: string): Node {
  return new Parser(text).parse();
}

/** A group that was opened: its alternatives so far, and the flags that hold again when it is closed. */
class OpenGroup {
  readonly outerFlags: Flags;
  sequence: Node[] = [];
  readonly #alternatives: Node[] = [];

  constructor(outerFlags: Flags) {
    this.outerFlags = outerFlags;
  }

  nextAlternative(): void {
    this.#alternatives.push({ kind: 'sequence', nodes: this.sequence });
    this.sequence = [];
  }

  close(): Node {
    this.nextAlternative();
    const [only, ...others] = this.#alternatives;
    if (only !== undefined && others.length === 0) return only;
    return { kind: 'either', nodes: this.#alternatives };
  }
}

class Parser {
  readonly #reader: TextReader;
  readonly #outer: OpenGroup[] = [];
  #flags: Flags = { foldCase: false, multiLine: false, dotAll: false };
  #group = new OpenGroup(this.#flags);

  constructor(text: string) {
    this.#reader = new TextReader(text);
  }

  parse(): Node {
    const reader = this.#reader;
    let repetitionBefore: number | undefined;
    while (!reader.done) {
      const start = reader.at;
      const repetition = parseRepetition(reader);
      if (repetition === undefined) {
        this.#parseAtom();
      } else if (repetitionBefore !== undefined) {
        const stacked = reader.since(repetitionBefore);
        throw new SyntaxFault(`invalid nested repetition operator: \`${stacked}\``);
      } else {
        this.#repeat(repetition, start);
      }
      repetitionBefore = repetition === undefined ? undefined : start;
    }
    if (this.#outer.length > 0) throw new SyntaxFault(`missing closing ): \`${reader.text}\``);
    return this.#group.close();
  }

  #repeat(repetition: Repetition, start: number): void {
    const node = this.#group.sequence.pop();
    if (node === undefined) {
      const operator = this.#reader.since(start);
      throw new SyntaxFault(`missing argument to repetition operator: \`${operator}\``);
    }
    this.#group.sequence.push({ kind: 'repeat', node, ...repetition });
  }

  #parseAtom(): void {
    const reader = this.#reader;
    const { foldCase, multiLine, dotAll } = this.#flags;
    if (reader.startsWith('(')) this.#open();
    else if (reader.take(')')) this.#close();
    else if (reader.take('|')) this.#group.nextAlternative();
    else if (reader.take('^')) this.#assert(multiLine ? 'line-start' : 'text-start');
    else if (reader.take('$')) this.#assert(multiLine ? 'line-end' : 'text-end');
    else if (reader.take('.')) this.#oneOf(dotAll ? anyCharacter : notNewline);
    else if (reader.startsWith('[')) this.#oneOf(parseClass(reader, foldCase));
    else if (reader.startsWith('\\')) this.#parseBackslash();
    else this.#oneOf(characterSet(reader.next().codePointAt(0) ?? 0, foldCase));
  }

  #parseBackslash(): void {
    const reader = this.#reader;
    const { foldCase } = this.#flags;
    const escaped = reader.takeMatch(ESCAPED_ASSERTION)?.[1];
    const assertion = ASSERTIONS[escaped ?? ''];
    const literal = escaped === undefined ? reader.takeMatch(LITERAL_SPAN)?.[1] : undefined;
    if (assertion !== undefined) this.#assert(assertion);
    else if (literal !== undefined) this.#literal(literal);
    else {
      const source = parseClassEscape(reader);
      if (source !== undefined) this.#oneOf(setOf(source, foldCase));
      else this.#oneOf(characterSet(parseEscape(reader), foldCase));
    }
  }

  #literal(text: string): void {
    for (const character of text) {
      this.#oneOf(characterSet(character.codePointAt(0) ?? 0, this.#flags.foldCase));
    }
  }

  #open(): void {
    const { flags, opens } = parseGroupStart(this.#reader, this.#flags);
    if (opens) {
      this.#outer.push(this.#group);
      this.#group = new OpenGroup(this.#flags);
    }
    this.#flags = flags;
    if (this.#outer.length > MAX_DEPTH) throw new SyntaxFault('expression nests too deeply');
  }

  #close(): void {
    const outer = this.#outer.pop();
    if (outer === undefined) throw new SyntaxFault(`unexpected ): \`${this.#reader.text}\``);
    this.#flags = this.#group.outerFlags;
    outer.sequence.push(this.#group.close());
    this.#group = outer;
  }

  #assert(assertion: Assertion): void {
    this.#group.sequence.push({ kind: 'assert', assertion });
  }

  #oneOf(set: CodePointSet): void {
    this.#group.sequence.push({ kind: 'one-of', set });
  }
}

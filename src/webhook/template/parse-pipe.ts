import { type Operand, type Pipe, TemplateFault, type TemplateToken } from './template-node.ts';
import { unquoteGo } from './unquote-go.ts';

/** Reads what stands in an action after its keyword. Throws `TemplateFault`. */
export function parsePipe(
  tokens: readonly TemplateToken[],
  line: number,
  functions: ReadonlySet<string>,
): Pipe {
  const parser = new PipeParser(tokens, line, functions);
  const pipe = parser.pipe();
  parser.expectEnd();
  return pipe;
}

class PipeParser {
  readonly #tokens: readonly TemplateToken[];
  readonly #line: number;
  readonly #functions: ReadonlySet<string>;
  #at = 0;

  constructor(tokens: readonly TemplateToken[], line: number, functions: ReadonlySet<string>) {
    this.#tokens = tokens;
    this.#line = line;
    this.#functions = functions;
  }

  expectEnd(): void {
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) throw this.#fault(`unexpected ${JSON.stringify(rest.text)} in command`);
  }

  pipe(): Pipe {
    const [first, second] = this.#tokens.slice(this.#at);
    const assigns = second?.kind === 'mark' && (second.text === ':=' || second.text === '=');
    const variable =
      first?.kind === 'variable' && assigns
        ? { name: first.text, declares: second.text === ':=' }
        : undefined;
    if (variable !== undefined) this.#at += 2;
    const commands = [this.#command()];
    while (this.#takeMark('|')) commands.push(this.#command());
    const wrong = commands.slice(1).find(({ kind }) => kind !== 'call');
    if (wrong !== undefined) throw this.#fault('non executable command in pipeline stage 2');
    return { line: this.#line, ...(variable && { variable }), commands };
  }

  /** A function with its arguments, or a single value. */
  #command(): Operand {
    const token = this.#tokens[this.#at];
    if (token?.kind === 'word' && !isConstant(token.text)) {
      this.#at++;
      const name = this.#known(token.text);
      const given: Operand[] = [];
      for (let next = this.#operand(); next !== undefined; next = this.#operand()) given.push(next);
      return { kind: 'call', name, arguments: given };
    }
    const operand = this.#operand();
    if (operand === undefined) throw this.#fault('missing value for command');
    if (token?.text === 'nil') throw this.#fault('nil is not a command');
    return operand;
  }

  #operand(): Operand | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined || (token.kind === 'mark' && token.text !== '(')) return undefined;
    this.#at++;
    switch (token.kind) {
      case 'text':
        return { kind: 'literal', value: this.#unquoted(token.text) };
      case 'number':
        return { kind: 'literal', value: this.#number(token.text) };
      case 'variable':
        return { kind: 'variable', name: token.text };
      case 'field':
        return { kind: 'field', name: token.text.slice(1) };
      case 'dot':
        return { kind: 'dot' };
      case 'word':
        if (token.text === 'nil') return { kind: 'literal', value: null };
        if (isConstant(token.text)) return { kind: 'literal', value: token.text === 'true' };
        return { kind: 'call', name: this.#known(token.text), arguments: [] };
      case 'mark': {
        const pipe = this.pipe();
        if (!this.#takeMark(')')) throw this.#fault('unclosed left paren');
        return { kind: 'pipe', pipe };
      }
    }
  }

  #known(name: string): string {
    if (this.#functions.has(name)) return name;
    throw this.#fault(`function ${JSON.stringify(name)} not defined`);
  }

  #unquoted(text: string): string {
    const value = unquoteGo(text);
    if (value === undefined) throw this.#fault(`invalid syntax in ${text}`);
    return value;
  }

  #number(text: string): number {
    if (text.startsWith("'")) return this.#unquoted(text).codePointAt(0) ?? 0;
    const plain = text.replaceAll('_', '');
    const octal = /^([-+]?)0([0-7]+)$/.exec(plain);
    const value = octal ? Number(`${octal[1]}1`) * Number(`0o${octal[2]}`) : Number(plain);
    if (Number.isNaN(value)) throw this.#fault(`bad number syntax: ${JSON.stringify(text)}`);
    return value;
  }

  #takeMark(text: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'mark' || token.text !== text) return false;
    this.#at++;
    return true;
  }

  #fault(text: string): TemplateFault {
    return new TemplateFault(this.#line, text);
  }
}

function isConstant(word: string): boolean {
  return word === 'true' || word === 'false' || word === 'nil';
}

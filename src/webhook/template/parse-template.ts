import { parsePipe } from './parse-pipe.ts';
import {
  type Pipe,
  TemplateFault,
  type TemplateNode,
  type TemplateToken,
} from './template-node.ts';
import { type Piece, tokenize } from './tokenize.ts';
import { unquoteGo } from './unquote-go.ts';

/** A template: what it prints, and what `define` and `block` named in it. */
export interface ParsedTemplate {
  readonly main: readonly TemplateNode[];
  readonly named: ReadonlyMap<string, readonly TemplateNode[]>;
}

/** Parses a template in the syntax of Go's `text/template`. Throws `TemplateFault`. */
export function parseTemplate(text: string, functions: ReadonlySet<string>): ParsedTemplate {
  const parser = new TemplateParser(tokenize(text), functions);
  return parser.parse();
}

class TemplateParser {
  readonly #pieces: readonly Piece[];
  readonly #functions: ReadonlySet<string>;
  readonly #named = new Map<string, readonly TemplateNode[]>();
  #at = 0;
  #line = 1;

  constructor(pieces: readonly Piece[], functions: ReadonlySet<string>) {
    this.#pieces = pieces;
    this.#functions = functions;
  }

  parse(): ParsedTemplate {
    const { nodes, stop } = this.#list(true);
    if (stop !== undefined) throw this.#fault(`unexpected {{${stop}}}`);
    return { main: nodes, named: this.#named };
  }

  /** Reads up to `{{end}}` or `{{else}}`; `rest` is what stands behind `else`. */
  #list(top = false): {
    nodes: TemplateNode[];
    stop?: 'end' | 'else';
    rest: readonly TemplateToken[];
  } {
    const nodes: TemplateNode[] = [];
    while (true) {
      const piece = this.#pieces[this.#at++];
      if (piece === undefined) {
        if (top) return { nodes, rest: [] };
        throw this.#fault('unexpected EOF');
      }
      if (piece.kind === 'text') {
        nodes.push(piece);
        continue;
      }
      this.#line = piece.line;
      const [first, ...rest] = piece.tokens;
      const word = first?.kind === 'word' ? first.text : '';
      if (word === 'end' || word === 'else') return { nodes, stop: word, rest };
      const node = this.#action(word, rest, piece.tokens);
      if (node !== undefined) nodes.push(node);
    }
  }

  #action(
    word: string,
    rest: readonly TemplateToken[],
    all: readonly TemplateToken[],
  ): TemplateNode | undefined {
    switch (word) {
      case 'if':
      case 'with':
      case 'range':
        return this.#branch(word, rest);
      case 'define':
        this.#define(this.#name(rest));
        return undefined;
      case 'block': {
        const name = this.#name(rest);
        const pipe = this.#pipe(rest.slice(1));
        this.#define(name);
        return { kind: 'template', name, pipe, line: this.#line };
      }
      case 'template': {
        const name = this.#name(rest);
        const pipe = rest.length > 1 ? this.#pipe(rest.slice(1)) : undefined;
        return { kind: 'template', name, ...(pipe && { pipe }), line: this.#line };
      }
    }
    return { kind: 'print', pipe: this.#pipe(all) };
  }

  #branch(kind: 'if' | 'with' | 'range', tokens: readonly TemplateToken[]): TemplateNode {
    const pipe = this.#pipe(tokens);
    const { nodes: then, stop, rest } = this.#list();
    if (stop === 'end') return { kind, pipe, then, otherwise: [] };
    const [word, ...more] = rest;
    if (kind === 'if' && word?.kind === 'word' && word.text === 'if') {
      return { kind, pipe, then, otherwise: [this.#branch('if', more)] };
    }
    if (word !== undefined) throw this.#fault(`unexpected ${JSON.stringify(word.text)} in else`);
    const { nodes: otherwise, stop: second } = this.#list();
    if (second !== 'end') throw this.#fault('expected end; found {{else}}');
    return { kind, pipe, then, otherwise };
  }

  #define(name: string): void {
    const { nodes, stop } = this.#list();
    if (stop !== 'end') throw this.#fault('unexpected {{else}} in define clause');
    this.#named.set(name, nodes);
  }

  #name([token]: readonly TemplateToken[]): string {
    const name = token?.kind === 'text' ? unquoteGo(token.text) : undefined;
    if (name === undefined) throw this.#fault('a template needs a name in quotes');
    return name;
  }

  #pipe(tokens: readonly TemplateToken[]): Pipe {
    if (tokens.length === 0) throw this.#fault('missing value for command');
    return parsePipe(tokens, this.#line, this.#functions);
  }

  #fault(text: string): TemplateFault {
    return new TemplateFault(this.#line, text);
  }
}

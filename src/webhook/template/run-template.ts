import { isTrue } from './is-true.ts';
import { type ParsedTemplate, parseTemplate } from './parse-template.ts';
import { type TemplateFunction, templateFunctions } from './template-functions.ts';
import {
  type Operand,
  type Pipe,
  TemplateFault,
  type TemplateNode,
  type TemplateValue,
} from './template-node.ts';

const MAX_DEPTH = 1000;

/** What a hook file that is a Go template gives; its data is nil. Throws `TemplateFault`. */
export function runTemplate(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const functions = templateFunctions(env);
  const parsed = parseTemplate(text, new Set(functions.keys()));
  return new Run(parsed, functions).print(parsed.main, {
    dot: null,
    variables: [['$', null]],
    depth: 0,
  });
}

interface Scope {
  readonly dot: TemplateValue;
  /** The last of a name counts. */
  readonly variables: [string, TemplateValue][];
  readonly depth: number;
}

class Run {
  readonly #template: ParsedTemplate;
  readonly #functions: ReadonlyMap<string, TemplateFunction>;

  constructor(template: ParsedTemplate, functions: ReadonlyMap<string, TemplateFunction>) {
    this.#template = template;
    this.#functions = functions;
  }

  print(nodes: readonly TemplateNode[], scope: Scope): string {
    return nodes.map((node) => this.#printOne(node, scope)).join('');
  }

  #printOne(node: TemplateNode, scope: Scope): string {
    if (node.kind === 'text') return node.text;
    if (node.kind === 'print') {
      const value = this.#pipe(node.pipe, scope);
      if (node.pipe.variable !== undefined) return '';
      return value === null ? '<no value>' : String(value);
    }
    if (node.kind === 'template') return this.#printNamed(node, scope);
    const before = scope.variables.length;
    const value = this.#pipe(node.pipe, scope);
    if (node.kind === 'range' && value !== null) {
      throw new TemplateFault(node.pipe.line, `range can't iterate over ${value}`);
    }
    const dot = node.kind === 'with' && isTrue(value) ? value : scope.dot;
    const text = this.print(isTrue(value) ? node.then : node.otherwise, { ...scope, dot });
    scope.variables.length = before;
    return text;
  }

  #printNamed(node: Extract<TemplateNode, { kind: 'template' }>, scope: Scope): string {
    const nodes = this.#template.named.get(node.name);
    if (nodes === undefined) {
      throw new TemplateFault(node.line, `template ${JSON.stringify(node.name)} not defined`);
    }
    if (scope.depth > MAX_DEPTH) {
      throw new TemplateFault(node.line, 'exceeded maximum template depth');
    }
    const dot = node.pipe === undefined ? null : this.#pipe(node.pipe, scope);
    return this.print(nodes, { dot, variables: [['$', dot]], depth: scope.depth + 1 });
  }

  #pipe(pipe: Pipe, scope: Scope): TemplateValue {
    const [first, ...others] = pipe.commands;
    if (first === undefined) return null;
    let value = this.#operand(first, scope, pipe.line);
    for (const command of others) {
      if (command.kind !== 'call') continue;
      const given = command.arguments.map((operand) => this.#operand(operand, scope, pipe.line));
      value = this.#call(command.name, [...given, value], pipe.line);
    }
    const { variable } = pipe;
    if (variable?.declares === true) scope.variables.push([variable.name, value]);
    else if (variable !== undefined) this.#variable(variable.name, scope, pipe.line)[1] = value;
    return value;
  }

  #operand(operand: Operand, scope: Scope, line: number): TemplateValue {
    switch (operand.kind) {
      case 'literal':
        return operand.value;
      case 'dot':
        return scope.dot;
      case 'variable':
        return this.#variable(operand.name, scope, line)[1];
      case 'field':
        // The data is nil, and so is all that is asked of it.
        return null;
      case 'pipe':
        return this.#pipe(operand.pipe, scope);
      case 'call':
        return this.#lazyCall(operand, scope, line);
    }
  }

  /** `and` and `or` do not look at what no longer matters. */
  #lazyCall(call: Extract<Operand, { kind: 'call' }>, scope: Scope, line: number): TemplateValue {
    const values: TemplateValue[] = [];
    for (const operand of call.arguments) {
      const value = this.#operand(operand, scope, line);
      values.push(value);
      if (call.name === 'and' && !isTrue(value)) return value;
      if (call.name === 'or' && isTrue(value)) return value;
    }
    return this.#call(call.name, values, line);
  }

  #call(name: string, values: readonly TemplateValue[], line: number): TemplateValue {
    try {
      return this.#functions.get(name)?.(...values) ?? null;
    } catch (thrown) {
      throw new TemplateFault(line, `error calling ${name}: ${(thrown as Error).message}`);
    }
  }

  #variable(name: string, scope: Scope, line: number): [string, TemplateValue] {
    const found = scope.variables.findLast(([known]) => known === name);
    if (found === undefined)
      throw new TemplateFault(line, `undefined variable ${JSON.stringify(name)}`);
    return found;
  }
}

/** What is wrong with a template, in Go's form. */
export class TemplateFault extends Error {
  constructor(line: number, text: string) {
    super(`template: hooks:${line}: ${text}`);
  }
}

/** One word of an action. */
export interface TemplateToken {
  readonly kind: 'word' | 'text' | 'number' | 'variable' | 'field' | 'dot' | 'mark';
  /** Texts without their quotes. */
  readonly text: string;
  readonly line: number;
}

/** Something that has a value. */
export type Operand =
  | { readonly kind: 'literal'; readonly value: TemplateValue }
  | { readonly kind: 'dot' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Operand[] }
  | { readonly kind: 'pipe'; readonly pipe: Pipe };

/** Commands, each given the value of the one before as its last argument. */
export interface Pipe {
  readonly line: number;
  readonly variable?: { readonly name: string; readonly declares: boolean };
  readonly commands: readonly Operand[];
}

/** A part of a template. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly pipe: Pipe }
  | {
      readonly kind: 'if' | 'with' | 'range';
      readonly pipe: Pipe;
      readonly then: readonly TemplateNode[];
      readonly otherwise: readonly TemplateNode[];
    }
  | {
      readonly kind: 'template';
      readonly name: string;
      readonly pipe?: Pipe;
      readonly line: number;
    };

/** A value in a template; null is what has no value. */
export type TemplateValue = string | number | boolean | null;

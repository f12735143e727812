/** What is wrong with a template, and in which line. */
export class TemplateFault extends Error {
  constructor(line: number, text: string) {
    super(`template, line ${line}: ${text}`);
  }
}

/** A word of an action. */
export interface TemplateToken {
  readonly kind: 'word' | 'text' | 'number' | 'variable' | 'field' | 'dot' | 'mark';
  readonly text: string;
}

/** A template is text and actions. */
export type TemplatePiece =
  | { readonly text: string }
  | { readonly tokens: readonly TemplateToken[]; readonly line: number };

const PATTERNS: readonly (readonly [TemplateToken['kind'] | 'blank', RegExp])[] = [
  ['blank', /[ \t\r\n]+/y],
  ['text', /"(?:[^"\\\n]|\\[^\n])*"|`[^`]*`/y],
  ['number', /[-+]?\.?\d[\w.]*/y],
  ['variable', /\$[\p{L}\p{N}_]*/uy],
  ['field', /\.[\p{L}_][\p{L}\p{N}_.]*/uy],
  ['dot', /\./y],
  ['word', /[\p{L}_][\p{L}\p{N}_]*/uy],
  ['mark', /:=|=|\||\(|\)/y],
];
const CLOSE = /([ \t\r\n]+-)?\}\}/y;
const COMMENT = /\s*\/\*[\s\S]*?\*\/([ \t\r\n]+-)?\}\}/y;

/** Splits a template; comments are left out. Throws `TemplateFault`. */
export function tokenize(template: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let at = 0;
  let trims = false;
  while (true) {
    const open = template.indexOf('{{', at);
    let text = template.slice(at, open < 0 ? template.length : open);
    if (trims) text = text.replace(/^[ \t\r\n]+/, '');
    const trimsBefore = open >= 0 && /^-[ \t\r\n]/.test(template.slice(open + 2, open + 4));
    if (trimsBefore) text = text.trimEnd();
    if (text !== '') pieces.push({ text });
    if (open < 0) return pieces;
    const start = open + (trimsBefore ? 3 : 2);
    const comment = matchAt(COMMENT, template, start);
    const action = comment === null ? readAction(template, start) : undefined;
    if (action !== undefined) pieces.push(action);
    const closed = comment ?? action?.closed;
    at = (closed?.index ?? start) + (closed?.[0].length ?? 0);
    trims = closed?.[1] !== undefined;
  }
}

function readAction(template: string, start: number) {
  const line = template.slice(0, start).split('\n').length;
  const tokens: TemplateToken[] = [];
  for (let at = start; ; ) {
    const closed = matchAt(CLOSE, template, at);
    if (closed !== null) return { tokens, line, closed };
    if (at >= template.length) throw new TemplateFault(line, '}} is missing');
    const [kind, text] = tokenAt(template, at) ?? [];
    if (kind === undefined || text === undefined) {
      throw new TemplateFault(line, `unexpected ${JSON.stringify(template[at])}`);
    }
    at += text.length;
    if (kind !== 'blank') tokens.push({ kind, text });
  }
}

function tokenAt(template: string, at: number) {
  for (const [kind, pattern] of PATTERNS) {
    const text = matchAt(pattern, template, at)?.[0];
    if (text !== undefined) return [kind, text] as const;
  }
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

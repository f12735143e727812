import { TemplateFault, type TemplateToken } from './template-node.ts';

/** A template cut into its text and its actions. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly tokens: readonly TemplateToken[]; readonly line: number };

const PATTERNS: readonly (readonly [TemplateToken['kind'] | 'blank', RegExp])[] = [
  ['blank', /[ \t\r\n]+/y],
  ['text', /"(?:[^"\\\n]|\\[^\n])*"|`[^`]*`/y],
  [
    'number',
    /'(?:[^'\\\n]|\\[^\n]+?)'|[-+]?(?:\d[\d_]*\.?\d*(?:[eE][-+]?\d+)?|\.\d+|0[xXoObB][0-9a-fA-F_]+)(?![\w])/y,
  ],
  ['variable', /\$[\p{L}\p{N}_]*/uy],
  ['field', /(?:\.[\p{L}_][\p{L}\p{N}_]*)+/uy],
  ['dot', /\./y],
  ['word', /[\p{L}_][\p{L}\p{N}_]*/uy],
  ['mark', /:=|=|\||\(|\)|,/y],
];

/** Cuts a template. Throws `TemplateFault`. */
export function tokenize(template: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let trimNext = false;
  while (true) {
    const open = template.indexOf('{{', at);
    let text = template.slice(at, open < 0 ? template.length : open);
    if (trimNext) text = text.replace(/^[ \t\r\n]+/, '');
    const trimsBefore = open >= 0 && /^-[ \t\r\n]/.test(template.slice(open + 2, open + 4));
    if (trimsBefore) text = text.replace(/[ \t\r\n]+$/, '');
    if (text !== '') pieces.push({ kind: 'text', text });
    if (open < 0) return pieces;
    const line = template.slice(0, open).split('\n').length;
    const start = open + (trimsBefore ? 3 : 2);
    const comment = /\s*\/\*/y;
    comment.lastIndex = start;
    if (comment.test(template)) {
      const close = template.indexOf('*/', comment.lastIndex);
      const end = /\*\/([ \t\r\n]+-)?\}\}/y;
      end.lastIndex = close;
      const match = close < 0 ? null : end.exec(template);
      if (match === null) throw new TemplateFault(line, 'unclosed comment');
      at = end.lastIndex;
      trimNext = match[1] !== undefined;
      continue;
    }
    const action = readAction(template, start, line);
    pieces.push({ kind: 'action', tokens: action.tokens, line });
    at = action.end;
    trimNext = action.trims;
  }
}

function readAction(
  template: string,
  start: number,
  line: number,
): { tokens: TemplateToken[]; end: number; trims: boolean } {
  const tokens: TemplateToken[] = [];
  const close = /([ \t\r\n]+-)?\}\}/y;
  let at = start;
  while (true) {
    close.lastIndex = at;
    const closed = close.exec(template);
    if (closed !== null) return { tokens, end: close.lastIndex, trims: closed[1] !== undefined };
    if (at >= template.length) throw new TemplateFault(line, 'unclosed action');
    const here = line + template.slice(start, at).split('\n').length - 1;
    const found = PATTERNS.map(([kind, pattern]) => {
      pattern.lastIndex = at;
      return { kind, text: pattern.exec(template)?.[0] };
    }).find(({ text }) => text !== undefined);
    if (found?.text === undefined) {
      throw new TemplateFault(here, `unexpected ${JSON.stringify(template[at])} in command`);
    }
    at += found.text.length;
    if (found.kind !== 'blank') tokens.push({ kind: found.kind, text: found.text, line: here });
  }
}

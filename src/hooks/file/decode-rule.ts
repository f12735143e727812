import { decodeParameter } from './decode-parameter.ts';
import { FieldReader } from './field-reader.ts';
import type { FileNode } from './file-node.ts';
import type { Match, Rule } from './hook.ts';

/** Reads a rule and all in it. Throws `HookFileFault`. */
export function decodeRule(node: FileNode, owner: string): Rule {
  const fields = new FieldReader(node, owner);
  const and = fields.list('and')?.map((part) => decodeRule(part, `${owner}.and`));
  const or = fields.list('or')?.map((part) => decodeRule(part, `${owner}.or`));
  const not = fields.node('not');
  const match = fields.node('match');
  return {
    ...(and && { and }),
    ...(or && { or }),
    ...(not && { not: decodeRule(not, `${owner}.not`) }),
    ...(match && { match: decodeMatch(match, `${owner}.match`) }),
  };
}

function decodeMatch(node: FileNode, owner: string): Match {
  const fields = new FieldReader(node, owner);
  const parameter = fields.node('parameter') ?? { kind: 'null', place: node.place };
  return {
    type: fields.text('type'),
    value: fields.text('value'),
    regex: fields.text('regex'),
    secret: fields.text('secret'),
    ipRange: fields.text('ip-range'),
    parameter: decodeParameter(parameter, `${owner}.parameter`),
  };
}

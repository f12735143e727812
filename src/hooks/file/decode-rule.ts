import { decodeParameter } from './decode-parameter.ts';
import { FieldReader } from './field-reader.ts';
import type { FileNode } from './file-node.ts';
import type { Match, Rule } from './hook.ts';
import type { ReferenceReader } from './reference-reader.ts';

/** Reads a rule and all in it. Throws `HookFileFault`. */
export function decodeRule(node: FileNode, owner: string, references: ReferenceReader): Rule {
  const fields = new FieldReader(node, owner);
  const and = fields.list('and')?.map((part) => decodeRule(part, `${owner}.and`, references));
  const or = fields.list('or')?.map((part) => decodeRule(part, `${owner}.or`, references));
  const not = fields.node('not');
  const match = fields.node('match');
  return {
    ...(and && { and }),
    ...(or && { or }),
    ...(not && { not: decodeRule(not, `${owner}.not`, references) }),
    ...(match && { match: decodeMatch(match, `${owner}.match`, references) }),
  };
}

function decodeMatch(node: FileNode, owner: string, references: ReferenceReader): Match {
  const fields = new FieldReader(node, owner);
  const parameter = fields.node('parameter') ?? { kind: 'null', place: node.place };
  const expanded = (name: string) =>
    references.expand(fields.text(name), fields.placeOf(name), `${owner}.${name}`);
  return {
    type: fields.text('type'),
    value: expanded('value'),
    regex: fields.text('regex'),
    secret: expanded('secret'),
    ipRange: fields.text('ip-range'),
    parameter: decodeParameter(parameter, `${owner}.parameter`, references),
  };
}

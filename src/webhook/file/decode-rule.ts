import { FieldReader } from './field-reader.ts';
import type { HookFileNode } from './file-node.ts';
import type { HookMatch, Parameter, Rule } from './hook.ts';
import type { ReferenceReader } from './reference-reader.ts';

/** Reads a rule and all in it. Throws `HookFileFault`. */
export function decodeRule(node: HookFileNode, owner: string, references: ReferenceReader): Rule {
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

function decodeMatch(node: HookFileNode, owner: string, references: ReferenceReader): HookMatch {
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

/** Reads a parameter. Throws `HookFileFault`. */
export function decodeParameter(
  node: HookFileNode,
  owner: string,
  references: ReferenceReader,
): Parameter {
  const fields = new FieldReader(node, owner);
  const source = fields.text('source');
  const name = fields.text('name');
  return {
    source,
    name:
      source === 'string'
        ? references.expandWhole(name, fields.placeOf('name'), `${owner}.name`)
        : name,
    envName: fields.text('envname'),
    base64Decode: fields.bool('base64decode'),
  };
}

import { FieldReader } from './field-reader.ts';
import type { FileNode } from './file-node.ts';
import type { Parameter } from './hook.ts';
import type { ReferenceReader } from './reference-reader.ts';

/** Reads a parameter. Throws `HookFileFault`. */
export function decodeParameter(
  node: FileNode,
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

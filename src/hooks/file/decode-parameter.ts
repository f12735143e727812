import { FieldReader } from './field-reader.ts';
import type { FileNode } from './file-node.ts';
import type { Parameter } from './hook.ts';

/** Reads a parameter. Throws `HookFileFault`. */
export function decodeParameter(node: FileNode, owner: string): Parameter {
  const fields = new FieldReader(node, owner);
  return {
    source: fields.text('source'),
    name: fields.text('name'),
    envName: fields.text('envname'),
    base64Decode: fields.bool('base64decode'),
  };
}

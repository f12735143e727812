import type { NodeId } from '../size-tree/node.ts';
import type { SizeTree } from '../size-tree/size-tree.ts';

/**
 * Those of the nodes whose name holds the text, in their order. Small ASCII letters in the text stand for capitals, too,
 * as long as it holds none itself. Looks at bytes, so that 100,000 names are gone through between two keys.
 */
export function filterRows({ names }: SizeTree, nodes: Int32Array, text: string): Int32Array {
  if (text === '') return nodes;
  const wanted = Buffer.from(text);
  const folds = !/[A-Z]/.test(text);
  const { bytes } = names;
  const fold = (byte: number) => (folds && byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);
  const matchesAt = (from: number) => {
    for (let at = 0; at < wanted.length; at++) {
      if (fold(bytes[from + at] as number) !== wanted[at]) return false;
    }
    return true;
  };
  const holds = (node: NodeId) => {
    const last = names.end(node) - wanted.length;
    for (let from = names.start(node); from <= last; from++) if (matchesAt(from)) return true;
    return false;
  };
  return nodes.filter(holds);
}

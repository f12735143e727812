import { bar } from '../screen/bar.ts';
import type { Glyphs } from '../screen/look.ts';
import { type Line, span } from '../screen/span.ts';
import type { NodeId } from '../size-tree/node.ts';
import type { SizeTree } from '../size-tree/size-tree.ts';

/** The bar of an entry beside the largest one, empty if it is excluded: what is current, then old versions, then uploads, in three tones. */
export function sizeBar(
  tree: SizeTree,
  node: NodeId,
  size: number,
  largest: number,
  width: number,
  glyphs: Pick<Glyphs, 'bar' | 'kept'>,
): Line {
  if (tree.isExcluded(node)) return bar(0, width, glyphs);
  const share = size / Math.max(1, largest);
  const { old, uploads } = tree.keptSums(node);
  if (old + uploads === 0) return bar(share, width, glyphs);
  const columns = (bytes: number) => Math.round((bytes / Math.max(1, largest)) * width);
  const all = columns(size);
  const current = columns(size - old - uploads);
  const older = columns(size - uploads) - current;
  const [oldGlyph, uploadGlyph] = glyphs.kept;
  const full = glyphs.bar.at(-1) ?? '';
  return [
    span(full.repeat(current), 'bar'),
    span(oldGlyph.repeat(older), 'bar-old'),
    span(uploadGlyph.repeat(all - current - older), 'bar-upload'),
    span((glyphs.bar[0] ?? ' ').repeat(width - all), 'track'),
  ];
}

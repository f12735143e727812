import { leafName } from '../../core/remote-path.ts';
import { harmless } from '../../core/shown-text.ts';
import type { FilterVerdict } from '../../filter/filter.ts';
import { cellWidth, cutMiddle, fill, fitLine, lineWidth } from '../../terminal/cells.ts';
import type { Glyphs } from '../../terminal/look.ts';
import { type Line, type Span, span } from '../../terminal/span.ts';
import { type PlanNode, reasonOfNode, type Totals } from './plan-tree.ts';
import { CHANGE_KINDS, KINDS, KINDS_BY_DANGER, kindCount, reviewSize } from './planned-change.ts';

const SIZE_WIDTH = 9;

/** From this width on reasons stand beside the changes. */
const WIDE = 60;
/** What the letter says already. */
const PLAIN_REASONS: ReadonlySet<string> = new Set(['not at the destination', 'not at the source']);

const OF_DIR = { letter: ' ', tone: 'dir' } as const;

/** One line of the tree: a folder with the numbers of what is below it, or a change with its letter and reason. */
export function nodeLine(
  node: PlanNode,
  ofPlan: readonly number[],
  columns: number,
  glyphs: Glyphs,
): Line {
  const { isDir, folded, danger, chosen, change, renamed } = node;
  const isDropped = chosen.changes === 0;
  const indent = '  '.repeat(Math.max(0, Math.min(node.depth, Math.floor(columns / 8))));
  const bytes = isDir ? chosen.bytes || -1 : (change?.size ?? -1);
  const size = reviewSize(isDropped ? -1 : bytes).padStart(SIZE_WIDTH);
  const isWide = columns >= WIDE;
  const aboutRoom = isWide ? Math.floor(columns * 0.4) : 10;
  const reason = reasonOfNode(node);
  let about: Span[] = [];
  if (renamed !== undefined)
    about = [span(`renamed to ${harmless(leafName(renamed.to))}/?`, 'warn')];
  else if (isDir) about = countSpans(chosen, ofPlan, aboutRoom);
  else if (isWide && !PLAIN_REASONS.has(reason)) about = [span(harmless(reason), 'dim')];
  const told = isDropped ? [span('excluded', 'dim')] : fitLine(about, aboutRoom, glyphs.ellipsis);
  const toldWidth = lineWidth(told);
  const { letter, tone } = change === undefined ? OF_DIR : CHANGE_KINDS[change.kind];
  const ofChange = isDropped ? glyphs.cross.slice(0, 1) : letter;
  const ofDir = folded ? glyphs.folded : glyphs.unfolded;
  // What stands for all changes of a kind has its tone.
  const [kind] = danger?.kinds ?? [];
  const nameTone = kind === undefined ? (isDir ? 'dir' : 'plain') : CHANGE_KINDS[kind].tone;
  const room = Math.max(
    4,
    columns - cellWidth(indent) - 2 - SIZE_WIDTH - 1 - (aboutRoom === 0 ? 0 : aboutRoom + 1),
  );
  const name = fill(cutMiddle(nameOf(node), room, glyphs.ellipsis), room);
  return [
    span(indent),
    span(`${isDir ? ofDir : ofChange} `, isDropped ? 'dim' : tone, true),
    span(name, isDropped ? 'dim' : nameTone, danger !== undefined),
    span(size, 'dim'),
    span(' '),
    ...told,
    span(' '.repeat(Math.max(0, aboutRoom - toldWidth))),
  ];
}

/** What would be done in all: `1 deletion, 3 copies · 3 B deleted, 12 MiB to send`. */
export function totalsText({ kinds, bytes, deleted, isAtMost }: Totals, separator: string): string {
  const parts = kindTexts(kinds);
  if (parts.length === 0) return 'nothing';
  const sizes = [
    ...(deleted > 0 ? [`${reviewSize(deleted)} deleted`] : []),
    ...(bytes > deleted
      ? [`${isAtMost ? 'at most ' : ''}${reviewSize(bytes - deleted)} to send`]
      : []),
  ];
  return parts.join(', ') + (sizes.length === 0 ? '' : ` ${separator} ${sizes.join(', ')}`);
}

/** How many changes of each kind, in words, the most dangerous first. */
function kindTexts(kinds: readonly number[]): readonly string[] {
  return KINDS_BY_DANGER.flatMap((kind) => {
    const count = kinds[KINDS.indexOf(kind)] ?? 0;
    return count === 0 ? [] : [kindCount(kind, count)];
  });
}

/** How a node is called. */
export function nameOf({ name, isDir, danger, change, path }: PlanNode): string {
  if (danger !== undefined) return name;
  if (change?.isDir === true)
    return change.path === '' || path.endsWith('/.') ? '(this directory)' : name;
  return harmless(name) + (isDir ? '/' : '');
}

/** What is done below a directory, with a column for each kind that the plan has where there is room for all. */
function countSpans({ kinds }: Totals, ofPlan: readonly number[], room: number): Span[] {
  const widths = ofPlan.map((count) => (count === 0 ? 0 : 2 + String(count).length));
  const hasColumns = widths.reduce((sum, width) => sum + width, 0) <= room + 1;
  return KINDS.flatMap((kind, at) => {
    const count = kinds[at] ?? 0;
    const { letter, tone } = CHANGE_KINDS[kind];
    const text = count === 0 ? '' : `${letter}${count} `;
    return text === '' && !hasColumns
      ? []
      : [span(hasColumns ? text.padEnd(widths[at] ?? 0) : text, tone)];
  });
}

/** What a filter says about a path. */
export interface PathVerdict extends FilterVerdict {
  /** The directory above the path that the rule is about, if it is not about the path. */
  readonly dir?: string;
}

/** What a filter says, in words. */
export function filterText({ keeps, rule, from, dir }: PathVerdict): string {
  if (rule === undefined) return 'included: no filter rule excludes it';
  const where = dir === undefined ? '' : `${dir || 'the root'}: `;
  return `${keeps ? 'included' : 'excluded'}: ${where}${rule} (${from})`;
}

import { harmless } from '../core/harmless.ts';
import { bar } from '../screen/bar.ts';
import { cut, fill, fillLeft } from '../screen/cells.ts';
import type { Glyphs } from '../screen/look.ts';
import { type Line, span } from '../screen/span.ts';
import { ago } from '../screen/time-texts.ts';
import type { Costs } from '../size-tree/costs.ts';
import type { NodeId } from '../size-tree/node.ts';
import type { SizeTree } from '../size-tree/size-tree.ts';
import { shownSize } from '../size-tree/sort-order.ts';
import type { BrowserSettings } from './browser-settings.ts';
import { costText, percentText, shortCount, sizeText, timeText } from './figures.ts';

/** What an entry's line is made of besides the entry. */
export interface EntryLook {
  readonly settings: BrowserSettings;
  readonly columns: number;
  readonly glyphs: Glyphs;
  readonly marked: boolean;
  readonly selected: boolean;
  /** Size of the largest entry of the directory, and of all together. */
  readonly largest: number;
  readonly whole: number;
}

/** Columns that the name has at least; figures stand back for it. */
const LEAST_NAME = 12;

/** Pointer, mark and sign. */
export const SIGN_COLUMNS = 3;
/** A column between size and name. */
export interface Figure {
  readonly heading: string;
  readonly width: number;
  readonly spans: (tree: SizeTree, node: NodeId, look: EntryLook) => Line;
}

const PERCENT: Figure = {
  ...{ heading: '', width: 6 },
  spans: (tree, node, { settings, whole }) => [
    span(
      tree.isExcluded(node)
        ? ' '.repeat(6)
        : percentText(shownSize(tree, node, settings.order), whole),
      'dim',
    ),
  ],
};

const COUNT: Figure = {
  ...{ heading: 'files', width: 6 },
  spans: (tree, node) => {
    const count = tree.isDir(node) ? shortCount(tree.files(node)) : '';
    return [span(fillLeft(count, 6), 'dim')];
  },
};

const AVERAGE: Figure = {
  ...{ heading: 'average', width: 9 },
  spans: (tree, node) => {
    const average = tree.isDir(node) ? sizeText(tree.average(node), false) : '';
    return [span(fillLeft(average, 9), 'dim')];
  },
};

const TIME: Figure = {
  ...{ heading: 'modified', width: 16 },
  spans: (tree, node) => [span(timeText(tree.timeMs(node)), 'dim')],
};

const AGE: Figure = {
  ...{ heading: 'age', width: 6 },
  spans: (tree, node) => {
    const time = tree.timeMs(node);
    const age = Number.isNaN(time) ? '' : ago(Date.now() - time).replace(' ago', '');
    return [span(fillLeft(age, 6), 'dim')];
  },
};

const CLASS: Figure = {
  ...{ heading: 'class       ', width: 12 },
  spans: (tree, node, { glyphs }) => {
    const name = tree.isDir(node) ? '' : (tree.objects.classes[tree.objects.classOf(node)] ?? '');
    return [span(fill(harmless(name), 12, glyphs.ellipsis), 'dim')];
  },
};

function costOf(costs: Costs): Figure {
  const { currency } = costs;
  return {
    ...{ heading: cut(`${harmless(currency) || 'cost'}/month`, 11), width: 11 },
    spans: (_, node) => [span(fillLeft(costText(costs.of(node)), 11), 'dim')],
  };
}

/** Whether the list has columns that need a heading. */
export function hasColumns({ counts, average, times, classes }: BrowserSettings): boolean {
  return counts || average || times !== 'none' || classes;
}

function barOf(width: number): Figure {
  return {
    ...{ heading: '', width },
    spans: (tree, node, { settings, largest, glyphs }) =>
      sizeBar(tree, node, shownSize(tree, node, settings.order), largest, width, glyphs),
  };
}

/** The columns that fit beside the names. */
export function entryFigures(settings: BrowserSettings, columns: number): readonly Figure[] {
  const { graph, counts, average, times, classes, costs, human } = settings;
  let room = columns - SIGN_COLUMNS - (human ? 10 : 20) - 2;
  const all = [
    ...(graph.includes('percent') ? [PERCENT] : []),
    ...(graph.includes('bar') ? [barOf(columns >= 60 ? 10 : 5)] : []),
    ...(counts ? [COUNT] : []),
    ...(average ? [AVERAGE] : []),
    ...(times === 'none' ? [] : [times === 'time' ? TIME : AGE]),
    ...(classes && costs !== undefined ? [costOf(costs)] : []),
    ...(classes ? [CLASS] : []),
  ];
  return all.filter(({ width }) => {
    const fits = room - width - 1 >= LEAST_NAME;
    if (fits) room -= width + 1;
    return fits;
  });
}

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

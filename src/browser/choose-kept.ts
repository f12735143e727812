import type { KeptKind } from '../core/entry-details.ts';
import { counted } from '../kit/counted.ts';
import { row } from '../screen/key-table.ts';
import { type Line, span } from '../screen/span.ts';
import { keptPath } from '../size-tree/kept-name.ts';
import { type NodeId, nodesBelow } from '../size-tree/node.ts';
import type { SizeTree } from '../size-tree/size-tree.ts';
import type { Browser } from './browser.ts';
import { plainSize } from './figures.ts';
import type { PageRule } from './frame.ts';
import { totalsOf } from './marks.ts';
import { textPage } from './text-page.ts';

/** A part of what is kept below some entries. */
interface KeptChoice {
  readonly key: string;
  readonly name: string;
  readonly nodes: readonly NodeId[];
}

/** Whether it is an old version or an upload: nothing else depends on it. */
export function isOld(kind: KeptKind | undefined): boolean {
  return kind === 'old' || kind === 'old-marker' || kind === 'upload';
}

/** Asks what of the entries is to be deleted: old versions, uploads, or everything; `chosen` asks again with names. */
export function chooseKept(
  browser: Browser,
  nodes: readonly NodeId[],
  chosen: (nodes: readonly NodeId[]) => void,
): void {
  const { tree, settings } = browser;
  const all = withVersions(tree, nodes);
  const ofKind = (...kinds: readonly KeptKind[]) =>
    all
      .flatMap((node) => [...nodesBelow(tree, node)])
      .filter((node) => kinds.includes(tree.keptKind(node) as KeptKind));
  const choices: readonly KeptChoice[] = [
    { key: 'o', name: 'only old versions', nodes: ofKind('old', 'old-marker') },
    { key: 'u', name: 'only unfinished uploads', nodes: ofKind('upload') },
    { key: 'e', name: 'everything, also current', nodes: all },
  ].filter((choice) => choice.nodes.length > 0);
  const lines = choices.map(({ key, name, nodes }): Line => {
    const { files, shown } = totalsOf(tree, nodes, settings.order);
    return [
      span(`  ${key}`, 'key', true),
      span(`  ${plainSize(shown).padStart(10)}  `),
      span(name, key === 'e' ? 'bad' : 'plain'),
      span(`  ${counted(files, 'entry')}`, 'dim'),
    ];
  });
  const keys: readonly PageRule[] = choices.map(({ key, name, nodes }) =>
    row(key, name.replace(/,.*/, ''), '', () => {
      browser.back();
      chosen(nodes);
    }),
  );
  const back = () => browser.back();
  const page = textPage({ subject: 'delete what?', text: () => lines, keys: () => keys, back });
  browser.open({ ...page, isBox: true });
}

/** The entries, and with each newest version all other versions and uploads of its object. */
function withVersions(tree: SizeTree, nodes: readonly NodeId[]): readonly NodeId[] {
  const paths = new Map<NodeId, Set<string>>();
  for (const node of nodes) {
    const kind = tree.keptKind(node);
    if (kind !== 'current' && kind !== 'marker') continue;
    const dir = tree.parent(node);
    const known = paths.get(dir) ?? new Set();
    paths.set(dir, known.add(keptPath(tree, node)));
  }
  const more = [...paths].flatMap(([dir, wanted]) =>
    [...tree.children(dir)].filter((node) => !tree.isDir(node) && wanted.has(keptPath(tree, node))),
  );
  return [...new Set([...nodes, ...more])];
}

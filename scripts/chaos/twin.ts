import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Case, PlaceKind, Twin } from './case.ts';
import type { Dice } from './dice.ts';
import { plantShortcut } from './drive-place.ts';
import { type Places, specOf } from './places.ts';
import { NOTHING, type Tree } from './tree.ts';

/** Which other names a place of a kind has. */
const TWINS: Readonly<Record<'local' | 's3' | 'drive', readonly Twin[]>> = {
  local: ['link', 'parent-link'],
  s3: ['remote', 'host', 'folder'],
  drive: ['remote', 'shortcut'],
};

/** Another name for the place of a case. */
export function pickTwin(dice: Dice, kind: PlaceKind): Twin {
  return dice.pick(TWINS[kind === 'lied' ? 's3' : kind]);
}

/** The other name of the place `name`, on the command line. */
export function twinSpec(places: Places, trial: Case, name: string): string {
  const { folder } = places;
  const [first = '', ...rest] = name.split('/');
  const link = join(folder, 'local', `${first}-link`);
  switch (trial.twin) {
    case 'link':
      symlinkSync(specOf(places, 'local', name), link);
      return link;
    case 'parent-link':
      symlinkSync(join(folder, 'local'), link);
      return join(link, name);
    case 'folder':
      return join(folder, 's3', first, ...rest);
    case 'host':
      return `host:${name}`;
    case 'shortcut':
      if (!plantShortcut(places.graph, `${first}-link`, name)) return `drive-twin:${name}`;
      return `away:${first}-link`;
    default:
      return `${trial.from}-twin:${name}`;
  }
}

/** What a run between two names of one place has lost. */
export function lostContents(before: Tree | undefined, after: Tree | undefined): string[] {
  const left = new Set([...(after ?? NOTHING).files.values()].map(({ content }) => content));
  const faults: string[] = [];
  for (const [path, { content }] of before?.files ?? []) {
    if (!left.has(content)) faults.push(`a: ${path} (${content}) is lost`);
  }
  return faults;
}

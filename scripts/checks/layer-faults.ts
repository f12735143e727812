import { findCycles } from './import-cycles.ts';
import { type Import, importsOf } from './imports.ts';
import { FREE_DIRECTORIES, LAYERS, type Layer, SCREEN_PACKAGES } from './layers.ts';
import type { SourceFile } from './source-files.ts';

/**
 * Every import that points the wrong way, and every cycle, one line each; none where all is well.
 * Pure: it is given all files, and reads nothing.
 */
export function findLayerFaults(files: readonly SourceFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  const arrows = [...imports].flatMap(([path, targets]) => checkFile(path, targets));
  const cycles = findCycles(imports).map((cycle) => `import cycle: ${cycle.join(' → ')}`);
  return [...arrows, ...cycles];
}

function checkFile(path: string, imports: readonly Import[]): string[] {
  if (FREE_DIRECTORIES.some((directory) => within(path, directory))) return [];
  const layer = layerOf(path);
  if (layer === undefined) return [`${path} lies in no layer: add one to scripts/checks/layers.ts`];
  return imports
    .filter((imported) => !allowed(path, layer, imported))
    .map(({ target }) => `${path} must not import ${target}`);
}

function allowed(path: string, layer: Layer, { own, target }: Import): boolean {
  if (target === 'node:worker_threads') return layer.directory === 'src/system';
  if (!own) return target.startsWith('node:') || packageAllowed(layer, target);
  if (isOtherPass(path, target)) return false;
  if (layer.may.some((directory) => within(target, directory))) return true;
  // A directory in it that is a layer of its own is entered only where that is said.
  return within(target, ownDirectory(path, layer)) && layerOf(target) === layer;
}

const PASSES = 'src/engine/passes';

/** It keeps what each side loses in a directory of its own. */
const KEEPS_OF_BOTH = 'commands/bisync/bisync.ts';

/** No pass of the engine knows another, and no other file one that has a directory, and so flags; their list does. */
function isOtherPass(path: string, target: string): boolean {
  const [from, to] = [path, target].map((one) =>
    within(one, PASSES) ? one.slice(PASSES.length + 1).split('/')[0] : undefined,
  );
  if (to === undefined || from === to || from === 'list.ts') return false;
  return from !== undefined || (!to.endsWith('.ts') && path !== KEEPS_OF_BOTH);
}

function packageAllowed(layer: Layer, name: string): boolean {
  return SCREEN_PACKAGES.test(name) ? layer.directory.startsWith('components') : layer.packages;
}

/** The directory whose files may import each other freely. */
function ownDirectory(path: string, { directory, apart }: Layer): string {
  if (apart !== true) return directory;
  const below = path.slice(directory.length + 1).split('/');
  return below.length === 1 ? path : `${directory}/${below[0]}`;
}

function layerOf(path: string): Layer | undefined {
  const holding = LAYERS.filter(({ directory }) => within(path, directory));
  return holding.sort((a, b) => b.directory.length - a.directory.length)[0];
}

function within(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

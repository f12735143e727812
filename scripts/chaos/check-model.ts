import type { Case } from './case.ts';
import { sizeOfContent } from './content.ts';
import { filterOf } from './filter-model.ts';
import { CaseFlags } from './flags.ts';
import { shareHash, TRAITS } from './traits.ts';
import type { FoundFile, World } from './tree.ts';
import { nothingChanges, type Prediction } from './wanted.ts';

/** What `check --combined=-` is to print, and whether it ends with 1. */
export function predictCheck(trial: Case, world: World): Prediction {
  const { a, b } = world;
  const flags = new CaseFlags(trial.flags);
  if (a === undefined || b === undefined) return nothingChanges(world, 'any');
  const [keepsA, keepsB] = [filterOf(flags, a), filterOf(flags, b)];
  const output: string[] = [];
  for (const [path, source] of a.files) {
    if (!keepsA(path, source)) continue;
    const dest = b.files.get(path);
    if (dest === undefined || !keepsB(path, dest)) output.push(`+ ${path}`);
    else output.push(`${isSame(trial, flags, source, dest) ? '=' : '*'} ${path}`);
  }
  if (!flags.has('one-way')) {
    for (const [path, dest] of b.files) {
      const source = a.files.get(path);
      if (keepsB(path, dest) && !(source && keepsA(path, source))) output.push(`- ${path}`);
    }
  }
  const differs = output.some((line) => !line.startsWith('='));
  return { ...nothingChanges(world, differs ? 1 : 0), settles: false, output: output.sort() };
}

function isSame({ from, to }: Case, flags: CaseFlags, source: FoundFile, dest: FoundFile): boolean {
  if (sizeOfContent(source.content) !== sizeOfContent(dest.content)) return false;
  if (flags.has('size-only')) return true;
  if (flags.has('download')) return source.content === dest.content;
  if (flags.has('checksum')) return !shareHash(from, to) || source.content === dest.content;
  const seconds = from === 'drive' || to === 'drive';
  const window = TRAITS[seconds ? 'drive' : 'local'].precision;
  const off = source.time - dest.time;
  return off < window && off > -window;
}

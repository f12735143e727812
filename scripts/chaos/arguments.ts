import type { Case } from './case.ts';
import { LISTINGS } from './listing-model.ts';
import type { SideName } from './tree.ts';

/** What every run is told besides: everything is logged, and little time is spent on what fails. */
const ALWAYS = ['-v', '--low-level-retries=2', '--retries-sleep=0', '--timeout=40s'];

/** The command line of a case. */
export function argumentsOf(trial: Case, specOf: (side: SideName) => string): string[] {
  const { command, flags, path, name } = trial;
  const at = (side: SideName, below: string | undefined) =>
    below === undefined ? specOf(side) : `${specOf(side)}/${below}`;
  const words = flags.map((flag) => flag.replace('{c}', specOf('c')));
  const places = isOfOnePlace(command) ? [at('b', name)] : [at('a', path), at('b', name)];
  const own = OWN_FLAGS[command] ?? [];
  const retries = flags.some((flag) => flag.startsWith('--retries=')) ? [] : ['--retries=1'];
  return [...command.split(' '), ...places, ...own, ...words, ...ALWAYS, ...retries];
}

/** What a command is told in every case, so that its output can be read. */
const OWN_FLAGS: Readonly<Record<string, readonly string[]>> = {
  check: ['--combined=-'],
  lsf: ['-R'],
  lsjson: ['-R', '--files-only', '--hash'],
  size: ['--json'],
};

/** Whether a command has one place, which is `b`. */
function isOfOnePlace(command: string): boolean {
  const others = [
    'delete',
    'purge',
    'rmdir',
    'rmdirs',
    'mkdir',
    'deletefile',
    'rcat',
    'touch',
    'cleanup',
    'dedupe',
    'trash empty',
    'versions prune',
  ];
  return LISTINGS.includes(command) || others.includes(command);
}

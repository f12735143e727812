import { commandFlags, text } from '../../src/core/flags.ts';
import { commandsOf } from '../../src/shell/command-line/commands-of.ts';

export const WHY_FLAGS = commandFlags(['why'], {
  'why-as': text('Explain what this command would do: sync, copy or move', {
    name: 'as',
    values: ['sync', 'copy', 'move'],
    default: 'sync',
    placeholder: 'command',
  }),
});

export const WHY_COMMANDS = commandsOf(() => import('./why.ts'), WHY_FLAGS, {
  why: {
    exclusions: [['syncer why', 'name-transform', 'other names may be equal']],
    noun: true,
    usage: 'source:path dest:path path',
    summary: 'Explain what a sync would do with one path, and why',
    description: `
Give it the flags of the run. Shows both entries as they are listed, the filter rule that decides, with its file and
line, each comparison with its numbers, the guards, conflicting runs (with --lock), where --trash keeps the old file, the
last run that changed the path on each side, and the requests that would follow; the last line is the verdict in the
words of -vv.
Changes nothing, and lists only the directories above the path; with --track-renames it lists both trees if the file is
on one side only, since it may be another one renamed.`,
    examples: `
syncer why ~/Documents shelf:documents a/b.txt  # Explain what a sync would do with the file
syncer why ~/Documents shelf:documents a/b.txt --as copy --exclude-from rules.txt  # With a filter, for a copy`,
    see: ['sync', 'check', 'filters'],
  },
});

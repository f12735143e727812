import { bool, commandFlags, text } from '../../src/core/flags.ts';
import type { DedupeMode } from '../../src/engine/duplicates.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const DEDUPE_FLAGS = commandFlags(['dedupe'], {
  'dedupe-mode': text(
    'What to do with duplicates: interactive, skip, list, rename, or the one to keep',
    {
      default: 'interactive',
      values: [
        ...(['interactive', 'skip', 'first', 'newest', 'oldest'] as const),
        ...(['largest', 'smallest', 'rename', 'list'] as const),
      ] satisfies readonly DedupeMode[],
      placeholder: 'mode',
    },
  ),
  'by-hash': bool('Find files with equal hashes, not equal names'),
});

export const DEDUPE_COMMANDS = commandsOf(() => import('./dedupe.ts'), DEDUPE_FLAGS, {
  dedupe: usage('[mode] remote:path', 'Find duplicate files and delete all but one', {
    exclusions: [
      [
        'by-hash',
        'copy-links',
        'one file can have two names, and deleting one of them could lose the content',
      ],
    ],
    changes: true,
    transfersNothing: true,
    usesTimes: () => true,
    usesHashes: () => true,
    description: `
With --by-hash finds files with the same content, whatever their names. The mode says what to do with them:
interactive asks, list prints them, skip keeps them all; first, newest, oldest, largest and smallest choose the one to
keep. Without --by-hash looks for files with the same name, which no backend of syncer allows.`,
    examples: `
syncer dedupe list --by-hash shelf:photos  # List files with equal contents
syncer dedupe newest --by-hash shelf:photos --dry-run  # Show what keeping the newest does`,
    see: ['delete'],
  }),
});

import { openReviewScreen } from '../../components/open.ts';
import { reviewed } from '../../src/run/review/reviewed.ts';
import type { Command } from '../../src/shell/command-line/command.ts';
import type { BISYNC_FLAGS } from './command.ts';
import { runBisync } from './run-bisync.ts';

/** `syncer bisync path1 path2` */
export const bisyncCommand: Command<typeof BISYNC_FLAGS> = (invocation) =>
  reviewed(
    invocation,
    {
      title: 'bisync',
      isTwoWay: true,
      show: openReviewScreen,
      async difference(under, change) {
        const { conflictDifference } = await import('./conflict-difference.ts');
        return conflictDifference(under, change);
      },
    },
    runBisync,
  );

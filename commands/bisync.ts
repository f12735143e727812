import { openReviewScreen } from '../components/open.ts';
import { runBisync } from '../src/app/bisync/run-bisync.ts';
import type { Command } from '../src/app/command.ts';
import { reviewed } from '../src/app/review/reviewed.ts';

/** `syncer bisync path1 path2` */
export const bisyncCommand: Command = (invocation) =>
  reviewed(
    invocation,
    {
      title: 'bisync',
      isTwoWay: true,
      show: openReviewScreen,
      async difference(under, change) {
        const { conflictDifference } = await import('../src/app/bisync/conflict-difference.ts');
        return conflictDifference(under, change);
      },
    },
    runBisync,
  );

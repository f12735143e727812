import { linkedAbort } from '../../src/core/abort.ts';
import type { Watching } from '../../src/core/changes.ts';
import type { Context } from '../../src/core/context.ts';
import type { Op, Remote } from '../../src/core/remote.ts';
import type { Watched } from '../../src/run/transfer/watch.ts';

/** How often a remote is asked for changes, in milliseconds. */
const ASK_MS = 10_000;

/** How often a remote is listed that reports no changes, in milliseconds. */
const LIST_MS = 60_000;

type Plan = Parameters<NonNullable<Remote['can']['watch']>>[0];

/**
 * Both sides of a two-way sync as one that is watched: disks report changes at once, drives are asked for them, and
 * buckets are taken for changed every minute, so that they are listed.
 */
export function watchedPair({ clock }: Pick<Context, 'clock'>, a: Remote, b: Remote): Watched {
  return {
    title: `${a.title} and ${b.title}`,
    can: {
      async watch(plan, op) {
        // If one side cannot be watched any more, both are watched again.
        const watching = linkedAbort(op.signal);
        const shared: Plan = {
          ...plan,
          onLost(error) {
            watching.abort();
            plan.onLost(error);
          },
        };
        const start = (side: Remote) =>
          side.can.watch?.(shared, watching) ?? askedOften(side, shared, watching, clock);
        try {
          const sides = await Promise.all([start(a), start(b)]);
          return {
            dirs: sides.reduce((sum, { dirs }) => sum + dirs, 0),
            assertSameRoot() {
              for (const side of sides) side.assertSameRoot();
            },
          };
        } catch (thrown) {
          watching.abort();
          throw thrown;
        }
      },
    },
  };
}

/** Asks a remote for changes until the signal is aborted. */
async function askedOften(
  { can }: Remote,
  plan: Plan,
  op: Op,
  clock: Context['clock'],
): Promise<Watching> {
  let token = (await can.changes?.(undefined, op))?.token;
  const ask = async () => {
    for (;;) {
      await clock.sleep(can.changes === undefined ? LIST_MS : ASK_MS, op.signal);
      const found = await can.changes?.(token, op);
      token = found?.token;
      if (found?.items === undefined || found.items.length > 0) plan.onChange('', true);
    }
  };
  ask().catch((thrown: Error) => {
    if (!op.signal.aborted) plan.onLost(thrown);
  });
  return { dirs: 0, assertSameRoot() {} };
}

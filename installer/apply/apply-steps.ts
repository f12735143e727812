import { type SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Step } from '../plan/step.ts';
import { deleteItem } from './delete-item.ts';
import { download, readArchive, testTheConnection, verify } from './fetch-archive.ts';
import type { Doer, JobState, World } from './job.ts';
import { makeFolder, writeFileStep, writeUnits } from './make-files.ts';
import { placeProgram, tidy } from './place-program.ts';
import { disable, enable, reload, restart, start, stop } from './steer-units.ts';
import { callTestHook } from './test-hook.ts';

/** Who does which step. */
const DOERS: { readonly [K in Step['kind']]: Doer<Extract<Step, { kind: K }>> } = {
  'test-connection': testTheConnection,
  download,
  'read-archive': readArchive,
  verify,
  'make-folder': makeFolder,
  'place-program': placeProgram,
  'write-file': writeFileStep,
  'write-units': writeUnits,
  reload,
  start,
  enable,
  restart,
  'test-hook': callTestHook,
  stop,
  disable,
  tidy,
  delete: deleteItem,
};

/** Something that was changed, and how to change it back. */
interface Change {
  readonly what: string;
  readonly back: () => Promise<void>;
}

/**
 * Does the steps in their order. When one fails, or the signal is aborted, everything that was changed is changed back,
 * last things first, whatever happens meanwhile; then it rejects with the failure.
 */
export async function applySteps(steps: readonly Step[], world: World): Promise<void> {
  const state: JobState = { prefix: '', takesSocket: false };
  const changes: Change[] = [];
  for (const [index, step] of steps.entries()) {
    world.emit({ kind: 'step-begun', step, index });
    try {
      world.signal.throwIfAborted();
      const doer = DOERS[step.kind] as Doer<Step>;
      const result = await doer(step, world, state, (what, back) => changes.push({ what, back }));
      world.signal.throwIfAborted();
      world.emit({ kind: 'step-done', step, index, result });
    } catch (thrown) {
      world.emit({ kind: 'step-failed', step, index });
      await undoAll(changes, world);
      throw toSyncerError(thrown);
    }
  }
}

/**
 * Does each step even where others fail, for what is not undone but ended: resolves to the failures. Stops early only
 * when the signal is aborted.
 */
export async function applyEach(
  steps: readonly Step[],
  world: World,
): Promise<readonly SyncerError[]> {
  const state: JobState = { prefix: '', takesSocket: false };
  const failures: SyncerError[] = [];
  for (const [index, step] of steps.entries()) {
    world.signal.throwIfAborted();
    world.emit({ kind: 'step-begun', step, index });
    try {
      const doer = DOERS[step.kind] as Doer<Step>;
      world.emit({
        kind: 'step-done',
        step,
        index,
        result: await doer(step, world, state, () => {}),
      });
    } catch (thrown) {
      world.emit({ kind: 'step-failed', step, index });
      failures.push(toSyncerError(thrown));
    }
  }
  return failures;
}

async function undoAll(changes: readonly Change[], { emit }: World): Promise<void> {
  if (changes.length === 0) return;
  emit({ kind: 'undo-begun' });
  for (const { what, back } of changes.toReversed()) {
    let failure: string | undefined;
    await back().catch((error: unknown) => {
      failure = toSyncerError(error).message;
    });
    emit({ kind: 'undone', what, failure });
  }
}

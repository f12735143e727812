import { isDeepStrictEqual } from 'node:util';
import { pickStep, type Side, type Step, snapshotOf } from './exerciser-steps.ts';
import { randomFrom } from './random-from.ts';

/** How the exerciser works. */
export interface ExerciseOptions {
  /** The file system under test: an empty directory that another process serves. */
  readonly mount: string;
  /** An empty local directory, which says what is right. */
  readonly model: string;
  readonly seed: number;
  readonly operations: number;
  /** Files are written at any place, and shortened or extended; otherwise from start to end only. */
  readonly writesAnywhere: boolean;
  /** Called after every hundred operations, with their number. */
  readonly onProgress?: (done: number) => Promise<void>;
}

/**
 * Does the same random operations on a file system and on a local directory, and compares what each of them gives:
 * results, error codes, attributes and contents. Rejects at the first difference, with the seed and the operations
 * before it.
 */
export async function exerciseFileSystem(options: ExerciseOptions): Promise<void> {
  const { seed, operations, writesAnywhere, onProgress } = options;
  const random = randomFrom(seed);
  const mount: Side = { root: options.mount, open: new Map() };
  const model: Side = { root: options.model, open: new Map() };
  const history: string[] = [];
  const compare = async ({ name, act }: Step) => {
    const expected = await outcomeOf(act, model);
    const found = await outcomeOf(act, mount);
    history.push(`${name}: ${shown(expected)}`);
    if (isDeepStrictEqual(found, expected)) return;
    throw new Error(
      `seed ${seed}, operation ${history.length}: got ${shown(found)} after\n  ${history.slice(-15).join('\n  ')}`,
    );
  };
  try {
    for (let done = 1; done <= operations; done++) {
      await compare(pickStep(random, [...model.open.keys()], writesAnywhere));
      if (done % 100 !== 0) continue;
      await compare({ name: 'the whole tree', act: snapshotOf });
      await onProgress?.(done);
    }
  } finally {
    for (const side of [mount, model]) {
      for (const file of side.open.values()) await file.close().catch(() => {});
    }
  }
  await compare({ name: 'the whole tree at the end', act: snapshotOf });
}

type Outcome = { readonly value: unknown } | { readonly code: string };

async function outcomeOf(act: Step['act'], side: Side): Promise<Outcome> {
  try {
    return { value: await act(side) };
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === undefined) throw thrown;
    return { code };
  }
}

function shown(outcome: Outcome): string {
  if ('code' in outcome) return outcome.code;
  const text = JSON.stringify(outcome.value) ?? 'done';
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}

import { expect, test } from 'vitest';
import { type Doomed, deleteVersions } from '../../../../commands/versions/versions.ts';
import { systemClock } from '../../../../src/core/context.ts';
import type { KeptKind } from '../../../../src/core/entry-details.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { ALL, type Consent, PRETEND } from '../../../../src/engine/consent.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import { startRun } from '../../../../src/engine/run.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { remoteWith } from '../../../support/memory-world.ts';

const entry = (path: string, kind: KeptKind, id: string): FileEntry => {
  return { kind: 'file', path, size: 1, kept: { kind, id } };
};

/** Old versions of a file, and the marker above them. */
function* deletedFile(path: string, versions: number): Generator<Doomed> {
  for (let i = 0; i < versions; i++) yield { version: entry(path, 'old', `${i}`) };
  yield { markers: [entry(path, 'marker', 'm')] };
}

async function* doomedOf(...files: readonly Iterable<Doomed>[]): AsyncGenerator<Doomed> {
  for (const file of files) yield* file;
}

async function deletion(
  doomed: AsyncIterable<Doomed>,
  fails: (file: FileEntry) => boolean,
  consent: Consent = ALL,
) {
  const batches: string[][] = [];
  const gone: string[] = [];
  const bare = await remoteWith({});
  const nameOf = ({ path, kept }: FileEntry) => `${path} ${kept?.id}`;
  const deleteKept = async (files: readonly FileEntry[]) => {
    batches.push(files.map(nameOf));
    await new Promise((resolve) => setImmediate(resolve));
    return new Map(files.filter(fails).map((file) => [file, new Error('locked')]));
  };
  const { signal } = new AbortController();
  const context = { signal, clock: systemClock, emit: () => undefined };
  const run = startRun({ context, filter: passAllFilter, consent, budget: new Budget() });
  const note = (file: FileEntry) => void gone.push(nameOf(file));
  const remote = { ...bare, can: { ...bare.can, deleteKept } };
  await deleteVersions(run, remote, doomed, note);
  return { batches, gone, errors: run.tally.count };
}

test('a thousand go with one request, and each marker after the versions below it', async () => {
  const files = Array.from({ length: 500 }, (_, i) => deletedFile(`f${i}`, 5));
  const { batches, gone, errors } = await deletion(doomedOf(...files), () => false);
  expect([gone.length, errors]).toEqual([3000, 0]);
  expect(batches.length).toBeLessThanOrEqual(4);
  expect(Math.max(...batches.map((batch) => batch.length))).toBe(1000);
  const sent = batches.flat();
  for (let i = 0; i < 500; i++) {
    const marker = batches.findIndex((batch) => batch.includes(`f${i} m`));
    const last = batches.findLastIndex((batch) =>
      batch.some((one) => /^f\d+ \d$/.test(one) && one.startsWith(`f${i} `)),
    );
    expect(marker).toBeGreaterThan(last);
  }
  expect(new Set(sent).size).toBe(3000);
});

test('a version that stays keeps its marker, and only its own', async () => {
  const { gone, errors } = await deletion(
    doomedOf(deletedFile('a', 2), deletedFile('b', 2)),
    ({ path, kept }) => path === 'a' && kept?.id === '1',
  );
  expect(errors).toBe(1);
  expect(gone.sort()).toEqual(['a 0', 'b 0', 'b 1', 'b m']);
});

test('a marker above nothing is deleted', async () => {
  const { gone } = await deletion(doomedOf(deletedFile('a', 0)), () => false);
  expect(gone).toEqual(['a m']);
});

test('a version that the consent refuses is not in the request', async () => {
  const { batches, gone } = await deletion(doomedOf(deletedFile('a', 3)), () => false, PRETEND);
  expect(batches).toEqual([]);
  expect(gone).toEqual(['a 0', 'a 1', 'a 2', 'a m']);
});

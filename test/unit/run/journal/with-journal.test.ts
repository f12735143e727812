import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { JournalFile } from '../../../../src/run/journal/journal-file.ts';
import { readChanges } from '../../../../src/run/journal/read-run.ts';
import { withJournal } from '../../../../src/run/journal/with-journal.ts';
import { newTrialName } from '../../../../src/system/owner-state.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';
import { newFolder, openLocal } from '../../backends/local/local-world.ts';

/** What a journal has of a file that is written under the name of a trial file, and deleted. */
async function deedsOf(content: string) {
  const folder = join(newFolder(), 'run');
  const file = new JournalFile(
    folder,
    () => {},
    () => {},
  );
  const { remote } = openLocal();
  const journaled = withJournal(remote, { file, dirsOf: () => undefined });
  const written = await journaled.write(sourceOf(newTrialName(), content), OP);
  await deleteOne(journaled, written, OP);
  file.close();
  return (await readChanges(folder))?.changes.map((change) => change.do);
}

test('a trial file is no change', async () => {
  expect(await deedsOf('')).toBeUndefined();
});

test('a file of the user that is named like a trial file is one', async () => {
  expect(await deedsOf('content')).toEqual(['create', 'delete']);
});

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectBody } from '../../../../src/core/body.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { FileEntry, Remote, WriteSource } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { JournalFile } from '../../../../src/run/journal/journal-file.ts';
import { readChanges } from '../../../../src/run/journal/read-run.ts';
import { Trash } from '../../../../src/run/journal/trash.ts';
import { withJournal } from '../../../../src/run/journal/with-journal.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { layered } from '../../../support/layered.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';
import { newFolder, openLocal } from '../../backends/local/local-world.ts';

let s3: TestS3;
let graph: TestGraph;
let count = 0;

beforeAll(async () => {
  [s3, graph] = await Promise.all([startTestS3(), startTestGraph()]);
});
afterAll(() => Promise.all([s3.stop(), graph.stop()]));

const openOnS3 = async () => {
  const { remote } = await openS3(s3, `kept${++count}`);
  await remote.makeDir('', OP);
  return remote;
};

/** A remote whose server has no conditions. */
const withoutConditions = (remote: Remote) => {
  const write = async (source: WriteSource, op = OP) => {
    if (source.replaces !== undefined) throw new SyncerError('unsupported', 'no conditions');
    return remote.write(source, op);
  };
  return layered(remote, { write });
};

const OPEN: Readonly<Record<string, () => Promise<Remote>>> = {
  disk: async () => openLocal().remote,
  S3: openOnS3,
  drive: async () => (await openDrive(graph, `kept${++count}`)).remote,
};

function trashing(remote: Remote, runId = 'run'): Remote {
  const file = new JournalFile(
    join(newFolder(), 'run'),
    () => {},
    () => {},
  );
  const journal = { file, dirsOf: () => undefined };
  const term = { keepMs: Number.POSITIVE_INFINITY, nowMs: 0 };
  const plan = { use: { isOn: true }, runId, term, onCreate() {}, async onEmptied() {} };
  return withJournal(remote, journal, new Trash(remote, plan));
}

/** A source during whose reading `deed` happens. */
function changing(path: string, content: string, deed: () => Promise<unknown>): WriteSource {
  const source = sourceOf(path, content);
  let isDone = false;
  const open: WriteSource['open'] = async (range, op) => {
    if (!isDone) await deed();
    isDone = true;
    return source.open(range, op);
  };
  return { ...source, open };
}

async function textOf(remote: Remote, path: string): Promise<string | undefined> {
  const file = await remote.stat(path, OP);
  if (file?.kind !== 'file') return undefined;
  return String(await collectBody(await remote.read(file, undefined, OP), OP.signal));
}

const KEPT = '.syncer-trash/run/f';
const CHANGED = { code: 'source-changed' };

describe.each(Object.entries(OPEN))('on a %s', (name, open) => {
  test('what was kept is replaced', async () => {
    const remote = await open();
    await remote.write(sourceOf('f', 'old'), OP);
    await trashing(remote).write(sourceOf('f', 'new content'), OP);
    expect([await textOf(remote, 'f'), await textOf(remote, KEPT)]).toEqual(['new content', 'old']);
  });

  test('a file that is replaced during the transfer stays', async () => {
    const remote = await open();
    await remote.write(sourceOf('f', 'old'), OP);
    const edit = () => remote.write(sourceOf('f', 'edited by another'), OP);
    const writing = trashing(remote).write(changing('f', 'new content', edit), OP);
    await expect(writing).rejects.toMatchObject({ code: 'precondition-failed' });
    expect([await textOf(remote, 'f'), await textOf(remote, KEPT)]).toEqual([
      'edited by another',
      'old',
    ]);
  });

  test('a write that cannot be made leaves no copy of the file that stays', async () => {
    const remote = await open();
    await remote.write(sourceOf('f', 'old'), OP);
    const cannotRead = async () => {
      throw new SyncerError('unreadable', 'cannot read f');
    };
    const writing = trashing(remote).write({ ...sourceOf('f', 'new'), open: cannotRead }, OP);
    await expect(writing).rejects.toMatchObject({ code: 'unreadable' });
    expect([await textOf(remote, 'f'), await textOf(remote, KEPT)]).toEqual(['old', undefined]);
  });

  test('so does one that is created during it, and one that is replaced by two runs', async () => {
    const remote = await open();
    for (const content of ['first', 'second']) {
      const other = () =>
        trashing(remote, `other ${content}`).write(sourceOf('f', `other ${content}`), OP);
      const writing = trashing(remote).write(changing('f', content, other), OP);
      await expect(writing).rejects.toMatchObject({ code: 'precondition-failed' });
      expect(await textOf(remote, 'f')).toBe(`other ${content}`);
    }
  });

  const verbs = name === 'S3' ? (['copyFrom'] as const) : (['copyFrom', 'moveFrom'] as const);
  test.each(verbs)('%s replaces only what was kept', async (how) => {
    const remote = await open();
    const source = await remote.write(sourceOf('source', 'new content'), OP);
    const listed = await remote.write(sourceOf('f', 'old'), OP);
    let deed = async () => {};
    // After the old file was kept.
    const hook =
      (work: NonNullable<Remote['can']['copyFrom']>): typeof work =>
      async (from, file, path, op, keep) => {
        const copied = await work(from, file, path, op, keep);
        if (path === KEPT) await deed();
        return copied;
      };
    const { copyFrom, linkFrom } = remote.can;
    const inner = layered(remote, {
      can: {
        ...remote.can,
        ...(copyFrom && { copyFrom: hook(copyFrom) }),
        ...(linkFrom && {
          linkFrom: async (...args: Parameters<typeof linkFrom>) => {
            const isLinked = await linkFrom(...args);
            await deed();
            return isLinked;
          },
        }),
      },
    });
    deed = async () => void (await remote.write(sourceOf('f', 'edited by another'), OP));
    const call = (replaces: FileEntry, runId?: string) =>
      trashing(inner, runId).can[how]?.(remote, source, 'f', { ...OP, change: { replaces } });
    await expect(call(listed)).rejects.toMatchObject({ code: 'precondition-failed' });
    expect([await textOf(remote, 'f'), await textOf(remote, 'source')]).toEqual([
      'edited by another',
      'new content',
    ]);
    deed = async () => {};
    await call((await remote.stat('f', OP)) as FileEntry, 'next');
    expect(await textOf(remote, 'f')).toBe('new content');
  });
});

test.each(['one', 'many'] as const)(
  'S3, %s deleted: an object that is replaced while it is kept is not deleted',
  async (how) => {
    const plain = await openOnS3();
    const file = await plain.write(sourceOf('f', 'old'), OP);
    const { copyFrom } = plain.can;
    const inner = layered(plain, {
      can: {
        ...plain.can,
        copyFrom: async (...args: Parameters<NonNullable<typeof copyFrom>>) => {
          const copied = await copyFrom?.(...args);
          await plain.write(sourceOf('f', 'edited by another'), OP);
          return copied;
        },
      },
    });
    const remote = trashing(inner);
    const listed = (await plain.stat('f', OP)) as FileEntry;
    if (how === 'many') {
      const other = await plain.write(sourceOf('g', 'other'), OP);
      const failures = await remote.delete([listed, other], OP);
      expect([...failures]).toEqual([[listed, expect.objectContaining(CHANGED)]]);
    } else {
      await expect(deleteOne(remote, file, OP)).rejects.toMatchObject(CHANGED);
    }
    expect([await textOf(plain, 'f'), await textOf(plain, KEPT)]).toEqual([
      'edited by another',
      undefined,
    ]);
  },
);

test('an upload in parts of S3 completes only over what was kept', async () => {
  const { remote } = await openS3(s3, `kept${++count}`, { options: { upload_cutoff: '0' } });
  await remote.makeDir('', OP);
  await remote.write(sourceOf('f', 'old'), OP);
  const edit = () => remote.write(sourceOf('f', 'edited by another'), OP);
  const writing = trashing(remote).write(changing('f', 'new content', edit), OP);
  await expect(writing).rejects.toMatchObject({ code: 'precondition-failed' });
  expect(await textOf(remote, 'f')).toBe('edited by another');
});

test('the file on a server without conditions is looked at before the write', async () => {
  const remote = withoutConditions(await openOnS3());
  await remote.write(sourceOf('f', 'old'), OP);
  await trashing(remote).write(sourceOf('f', 'new content'), OP);
  expect(await textOf(remote, 'f')).toBe('new content');
  await remote.write(sourceOf('g', 'there'), OP);
  const op = { ...OP, change: { replaces: 'nothing' } } as const;
  await expect(trashing(remote).write(sourceOf('g', 'late'), op)).rejects.toMatchObject({
    code: 'precondition-failed',
  });
  expect(await textOf(remote, 'g')).toBe('there');
});

test('on a server, the copy stays after a failure that may still replace the file', async () => {
  const plain = await openOnS3();
  await plain.write(sourceOf('f', 'old'), OP);
  const write = async () => {
    throw new SyncerError('timed-out', 'no response');
  };
  const writing = trashing(layered(plain, { write })).write(sourceOf('f', 'new'), OP);
  await expect(writing).rejects.toMatchObject({ code: 'timed-out' });
  expect([await textOf(plain, 'f'), await textOf(plain, KEPT)]).toEqual(['old', 'old']);
});

test.each([
  ['with', (remote: Remote) => remote],
  ['without', withoutConditions],
])('a stream replaces what was kept on a server %s conditions', async (_, shown) => {
  const plain = await openOnS3();
  const remote = shown(plain);
  await plain.write(sourceOf('f', 'old'), OP);
  const stream = { ...sourceOf('f', 'new'), seekable: false };
  await trashing(remote).write(stream, OP);
  expect([await textOf(remote, 'f'), await textOf(remote, KEPT)]).toEqual(['new', 'old']);
  const { entries } = await plain.listPage('', undefined, OP);
  expect(entries.map(({ path }) => path)).toEqual(['.syncer-trash', 'f']);
});

test('a small copy between disks creates a file only where none is', async () => {
  const { remote } = openLocal();
  const source = await remote.write(sourceOf('source', 'new content'), OP);
  await remote.write(sourceOf('f', 'edited by another'), OP);
  const op = { ...OP, change: { replaces: 'nothing' } } as const;
  const copying = trashing(remote).can.copyFrom?.(remote, source, 'f', op);
  await expect(copying).rejects.toMatchObject({ code: 'precondition-failed' });
  expect(await textOf(remote, 'f')).toBe('edited by another');
});

/** The changes that the journal has after a write of `a` whose metadata could not be set. */
async function changesOf(remote: Remote, write: Remote['write']) {
  const folder = newFolder();
  const file = new JournalFile(
    folder,
    () => {},
    () => {},
  );
  const failing = layered(remote, { write });
  const journaled = withJournal(failing, { file, dirsOf: () => undefined });
  await expect(journaled.write(sourceOf('a', 'content'), OP)).rejects.toThrow('could not be set');
  file.close();
  return (await readChanges(folder))?.changes;
}

const UNSET = new SyncerError('metadata', 'its time could not be set');

test('a file whose metadata could not be set is noted as it is', async () => {
  const { remote } = openLocal();
  const changes = await changesOf(remote, async (source, op) => {
    await remote.write({ ...source, modTime: 5_000_000_000n }, op);
    throw UNSET;
  });
  const left = { size: 7, time: '1970-01-01T00:00:05Z' };
  expect(changes).toMatchObject([{ do: 'create', path: 'a', done: { ok: false, new: left } }]);
});

test('the old file that is still there is not what such a change left', async () => {
  const { remote } = openLocal();
  await remote.write(sourceOf('a', 'old'), OP);
  const changes = await changesOf(remote, () => Promise.reject(UNSET));
  expect(changes?.map(({ do: deed, done }) => [deed, done])).toEqual([
    ['replace', { n: 1, ok: false }],
  ]);
});

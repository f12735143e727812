import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgreedFiles, type Archive } from '../../../../../commands/bisync/two-way/agreed-files.ts';
import { attemptTwoWay } from '../../../../../commands/bisync/two-way/sync-two-way.ts';
import { joinModTime } from '../../../../../src/core/mod-time.ts';
import type { Remote } from '../../../../../src/core/remote.ts';
import { ALL } from '../../../../../src/engine/consent.ts';
import { Budget } from '../../../../../src/engine/loss/budget.ts';
import { passAllFilter } from '../../../../../src/filter/filter.ts';
import { startTestGraph, type TestGraph } from '../../../../servers/graph/start-graph.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';
import {
  contentsOf,
  plainOptions,
  quietContext,
  remoteBut,
  remoteWith,
} from '../../../../support/memory-world.ts';
import { openDrive } from '../../../../support/open-drive.ts';
import { OP, openS3 } from '../../../../support/open-s3.ts';
import { openLocal } from '../../../backends/local/local-world.ts';

let s3: TestS3;
let graph: TestGraph;
beforeAll(async () => {
  [s3, graph] = await Promise.all([startTestS3(), startTestGraph()]);
});
afterAll(() => Promise.all([s3.stop(), graph.stop()]));

const OPEN: Readonly<Record<string, () => Promise<Remote>>> = {
  disk: async () => openLocal().remote,
  bucket: async () => (await openS3(s3, 'two-way')).remote,
  drive: async () => (await openDrive(graph, 'two-way')).remote,
};

const rules = { size: true, modTime: true };
const NOTHING: Archive = {
  roots: ['a', 'b'],
  endedMs: 0,
  files: new AgreedFiles(),
  dirs: new Set(),
};

async function run(a: Remote, b: Remote, archive: Archive) {
  const { context, logLines } = quietContext();
  const plan = {
    ...{ a, b, archive },
    options: { a: plainOptions, b: plainOptions },
    rules: { a: rules, b: rules },
    conflict: {
      rule: 'path1',
      loser: 'num',
      naming: { suffix: { a: 'conflict', b: 'conflict' }, keepExtension: false },
    },
    surprises: { force: false },
    removesEmptyDirs: false,
  } as const;
  const attempt = await attemptTwoWay(
    { context, filter: passAllFilter, consent: ALL, budget: new Budget() },
    plan,
  );
  expect(attempt.error).toBeUndefined();
  return { archive: attempt.archive ?? archive, log: logLines() };
}

function fileOf(path: string, text: string, second: number) {
  const body = Buffer.from(text);
  const modTime = joinModTime(second, 0);
  return { path, size: body.length, modTime, seekable: true, open: async () => body };
}

async function textsIn(remote: Remote): Promise<string[]> {
  const texts = Object.values(await contentsOf(remote)).map((text) => text.replace(/@\d+$/, ''));
  return texts.sort();
}

describe.each(Object.keys(OPEN))('on a %s', (kind) => {
  it('a file that somebody writes during the transfer is not replaced', async () => {
    const b = (await OPEN[kind]?.()) as Remote;
    const a = await remoteWith({ f: 'first' });
    const { archive } = await run(a, b, NOTHING);
    await a.write(fileOf('f', 'from a', 2000), OP);
    await a.write(fileOf('g', 'new on a', 2000), OP);
    // After the last look at the file, when its new content is on the way.
    const edited = remoteBut(b, {
      write: (source, op) => {
        const open: typeof source.open = async (range, op) => {
          await b.write(fileOf(source.path, `${source.path} on b`, 3000), OP);
          return source.open(range, op);
        };
        return b.write({ ...source, open }, op);
      },
    });
    const attempt = await run(a, edited, archive);
    for (const path of ['f', 'g']) {
      expect(attempt.log).toContain(
        `notice: ${path}: Changed since it was listed: left for the next run`,
      );
    }
    expect(await textsIn(b)).toEqual(['f on b', 'g on b']);
    await run(a, b, attempt.archive);
    const all = ['f on b', 'from a', 'g on b', 'new on a'];
    expect(await textsIn(b)).toEqual(all);
    expect(await textsIn(a)).toEqual(all);
    await b.close();
  });
});

import { expect, onTestFinished, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Remote } from '../../../src/core/remote.ts';
import { ALL, type Consent } from '../../../src/engine/consent.ts';
import { Budget } from '../../../src/engine/loss/budget.ts';
import { createRunControl, stoppedBy } from '../../../src/engine/run-control.ts';
import { tooLong } from '../../../src/engine/run-limits.ts';
import { attemptSync } from '../../../src/engine/sync.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import {
  contentsOf,
  type OptionParts,
  optionsOf,
  plainOptions,
  quietContext,
  remoteBut,
  remoteWith,
  runOnce,
} from '../../support/memory-world.ts';
import { waitFor } from '../../support/wait-for.ts';

const files = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`dir${n % 3}/f${n}`, 'x']));

/** A destination that calls `onWrite` before each file. */
function writing(remote: Remote, onWrite: () => void): Remote {
  const write: Remote['write'] = (source, op) => {
    onWrite();
    return remote.write(source, op);
  };
  return remoteBut(remote, { write, can: {} });
}

async function run(stopAt: number, options: OptionParts = {}) {
  const control = createRunControl(() => {
    throw new Error('the engine heeds the wish to stop');
  });
  const source = await remoteWith(files);
  const dest = await remoteWith({ 'gone/a': 'a', gone2: 'b' });
  let writes = 0;
  const to = writing(dest, () => {
    if (++writes === stopAt) control.stop();
  });
  const { context, logLines } = quietContext();
  const plan = {
    verb: 'sync' as const,
    source,
    dest: to,
    options: optionsOf({ deletes: 'after', transfers: 2, ...options }),
  };
  const attempt = await attemptSync(
    { context, filter: passAllFilter, consent: ALL, budget: new Budget(), control },
    plan,
  );
  return { attempt, contents: await contentsOf(dest), log: logLines(), writes: () => writes };
}

test.each([{}, { checkFirst: true }, { deletes: 'during' as const }, { transfers: 7 }])(
  'what is being transferred is finished, nothing else begins, nothing is deleted (%o)',
  async (options) => {
    const { attempt, contents, writes } = await run(5, options);
    expect(attempt.error).toMatchObject({ code: 'stopped', exit: 130 });
    expect(attempt.errors).toBe(1);
    expect(attempt.worthRetrying).toBe(false);
    expect(writes()).toBeGreaterThanOrEqual(5);
    expect(writes()).toBeLessThan(12);
    expect(attempt.transferred).toBe(writes());
    if (options.deletes !== 'during') expect(contents).toMatchObject({ 'gone/a': 'a@1000' });
    const copied = Object.keys(contents).filter((path) => path.startsWith('dir'));
    expect(copied).toHaveLength(writes());
  },
);

test('a wish that comes with the last file still keeps everything from being deleted', async () => {
  const { attempt, contents } = await run(20);
  expect(attempt.error).toMatchObject({ code: 'stopped' });
  expect(attempt.transferred).toBe(20);
  expect(contents).toMatchObject({ gone2: 'b@1000', 'gone/a': 'a@1000' });
});

test.each(['before', 'after'] as const)(
  'nothing is deleted %s all else once the time is over',
  async (deletes) => {
    const control = stoppedBy(
      createRunControl(() => {}),
      AbortSignal.abort(tooLong()),
    );
    const source = await remoteWith({ a: '12345' });
    const dest = await remoteWith({ surplus: 'stays' });
    const { context } = quietContext();
    const plan = { verb: 'sync' as const, source, dest, options: optionsOf({ deletes }) };
    const { error } = await attemptSync(
      { context, filter: passAllFilter, consent: ALL, budget: new Budget(), control },
      plan,
    );
    expect(error?.exit).toBe(10);
    expect(await contentsOf(dest)).toEqual({ surplus: 'stays@1000' });
  },
);

test('without the wish all is done', async () => {
  const { attempt, contents } = await run(-1);
  expect(attempt.error).toBeUndefined();
  expect(Object.keys(contents)).toHaveLength(20);
});

test('while it is paused nothing begins', async () => {
  const control = createRunControl(() => {});
  const source = await remoteWith(files);
  const dest = await remoteWith({});
  control.pause();
  const { context } = quietContext();
  const plan = { verb: 'copy' as const, source, dest, options: plainOptions };
  const running = attemptSync(
    { context, filter: passAllFilter, consent: ALL, budget: new Budget(), control },
    plan,
  );
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(await contentsOf(dest)).toEqual({});
  control.goOn();
  expect((await running).transferred).toBe(20);
});

test('a deletion that rejects beside transfers ends the attempt after them, with their count', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const dest = await remoteWith({ gone: 'a' });
  const write: Remote['write'] = async (source, op) => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    return dest.write(source, op);
  };
  const consent: Consent = {
    how: 'chosen',
    plan: {
      hasWaited: false,
      allows(action) {
        if (action.do === 'delete') throw new SyncerError('no-answer', 'no answer');
        return true;
      },
    },
  };
  const { error, transferred } = await runOnce(
    'sync',
    await remoteWith({ new: 'b' }),
    remoteBut(dest, { write }),
    { deletes: 'during' },
    passAllFilter,
    consent,
  );
  expect(unhandled).toEqual([]);
  expect(error).toMatchObject({ code: 'no-answer' });
  expect(transferred).toBe(1);
  expect(await contentsOf(dest)).toEqual({ gone: 'a@1000', new: 'b@1000' });
});

test('files transferred count also where the listing fails afterwards', async () => {
  const source = await remoteWith({ 'a/file': 'a', 'z/file': 'z' });
  const dest = await remoteWith({});
  let written = 0;
  const write: Remote['write'] = async (file, op) => {
    const entry = await dest.write(file, op);
    written++;
    return entry;
  };
  const listPage: Remote['listPage'] = async (dir, cursor, op) => {
    if (dir !== 'z') return source.listPage(dir, cursor, op);
    await waitFor(() => written > 0);
    throw new SyncerError('config', 'out of order');
  };
  const [from, to] = [remoteBut(source, { listPage }), remoteBut(dest, { write })];
  const { error, transferred } = await runOnce('copy', from, to);
  expect(error).toMatchObject({ message: 'out of order' });
  expect(transferred).toBe(1);
});

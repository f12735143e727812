import { describe, expect, it } from 'vitest';
import { CallQueue } from '../../../../src/backends/rclone/call-queue.ts';
import { hasBatches } from '../../../../src/backends/rclone/rclone-program.ts';

/** A request that rclone got; it is answered by `answer`. */
interface Got {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly path: string | undefined;
  answer(result?: object): void;
  fail(thrown: unknown): void;
}

interface Given {
  readonly places?: number;
  readonly takesBatches?: boolean;
  /** How long each request takes, in milliseconds. */
  readonly ms?: number;
}

function world({ places = 1, takesBatches = true, ms = 1 }: Given = {}) {
  const got: Got[] = [];
  let now = 0;
  const rclone: ConstructorParameters<typeof CallQueue>[0] = {
    takesBatches,
    nowMs: () => now,
    call: (name, input, { signal, path }) =>
      new Promise((resolve, reject) => {
        const answer = (result = {}) => {
          now += ms;
          resolve(result as Readonly<Record<string, unknown>>);
        };
        got.push({ name, input: { ...input }, signal, path, answer, fail: reject });
      }),
  };
  const queue = new CallQueue(rclone, () => places);
  const { signal } = new AbortController();
  const add = (path: string, config = {}, by = signal, name = 'operations/copyfile') => {
    const input = { srcFs: '/', srcRemote: path, dstFs: 'crypt:', dstRemote: path };
    return queue.add({ name, input, config, signal: by, path });
  };
  return { queue, got, add };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

const names = ({ input }: Got) =>
  (input['inputs'] as readonly { readonly dstRemote: string }[]).map(({ dstRemote }) => dstRemote);

/** `first` alone, which says how long a copy takes, and the others behind it. */
async function behindFirst({ got, add }: ReturnType<typeof world>, others: readonly string[]) {
  const first = add('first');
  const added = others.map((path) => add(path));
  await turn();
  expect(got.map(({ name }) => name)).toEqual(['operations/copyfile']);
  got[0]?.answer();
  await first;
  await turn();
  return added;
}

describe('short calls', () => {
  it('are made immediately while nothing runs', () => {
    const { got, add } = world();
    void add('a', { NoCheckDest: true });
    expect(got).toMatchObject([
      { name: 'operations/copyfile', path: 'a', input: { _config: { NoCheckDest: true } } },
    ]);
  });

  it('are sent together when they wait, and each has its own error', async () => {
    const there = world();
    const copies = await behindFirst(there, ['a', 'b', 'c']);
    const [, batch] = there.got;
    expect(batch).toMatchObject({ name: 'job/batch', input: { concurrency: 1 } });
    expect(batch && names(batch)).toEqual(['a', 'b', 'c']);
    const failure = { error: 'object not found', status: 404 };
    batch?.answer({ results: [{}, failure, { error: 'broken' }] });
    const ends = await Promise.allSettled(copies);
    expect(ends).toMatchObject([
      { status: 'fulfilled' },
      { reason: { code: 'file-not-found', path: 'b' } },
      { reason: { code: 'other', path: 'c' } },
    ]);
  });

  it.each([
    ['no results', {}],
    ['null as results', { results: null }],
    ['an object as results', { results: {} }],
    ['too few results', { results: [{}] }],
    ['too many results', { results: [{}, {}, {}] }],
    ['null as a result', { results: [{}, null] }],
    ['a list as a result', { results: [{}, []] }],
    ['a number as an error', { results: [{}, { error: 1 }] }],
  ])('all fail if the answer to a group has %s', async (_what, answer) => {
    const there = world();
    const copies = await behindFirst(there, ['a', 'b']);
    there.got[1]?.answer(answer);
    const ends = await Promise.allSettled(copies);
    expect(ends).toMatchObject([
      { reason: { code: 'bad-answer', path: 'a' } },
      { reason: { code: 'bad-answer', path: 'b' } },
    ]);
  });

  it('all fail when rclone ends', async () => {
    const there = world();
    const copies = await behindFirst(there, ['a', 'b']);
    there.got[1]?.fail(new Error('ended'));
    for (const copy of copies) await expect(copy).rejects.toThrow('ended');
  });

  it('have one request each without job/batch', async () => {
    const there = world({ takesBatches: false });
    await behindFirst(there, ['a', 'b']);
    expect(there.got.map(({ name }) => name)).toEqual([
      'operations/copyfile',
      'operations/copyfile',
    ]);
    expect(['v1.70.3', 'v1.71.0', '', 'v1.72.0-DEV', 'v1.75.2', 'v2.0'].map(hasBatches)).toEqual([
      ...[false, false, false],
      ...[true, true, true],
    ]);
  });

  it('have one request each where a copy takes long', async () => {
    const there = world({ ms: 40 });
    await behindFirst(there, ['a', 'b']);
    expect(there.got[1]?.path).toBe('a');
  });

  it('are divided among the free places, at most 32 together', async () => {
    const there = world({ places: 2, ms: 0.5 });
    const many = Array.from({ length: 81 }, (_, at) => `${at}`);
    const first = there.add('first');
    for (const path of many) void there.add(path);
    await turn();
    expect(there.got.map(({ path }) => path)).toEqual(['first', '0']);
    there.got[0]?.answer();
    there.got[1]?.answer();
    await first;
    await turn();
    expect(there.got.slice(2).map((one) => names(one).length)).toEqual([32, 32]);
  });

  it('are together only if one signal stops them and they are of one kind', async () => {
    const there = world();
    const first = there.add('first');
    const other = new AbortController();
    for (const path of ['a', 'b']) void there.add(path, { Inplace: true });
    void there.add('c', { Inplace: true }, other.signal);
    void there.add('d', {}, other.signal);
    void there.add('e', {}, other.signal, 'operations/movefile');
    for (let at = 0; at < 5; at++) {
      await turn();
      there.got[at]?.answer({ results: [{}, {}] });
    }
    await first;
    expect(there.got.map((one) => (one.path === undefined ? names(one) : one.path))).toEqual([
      ...['first', ['a', 'b'], 'c', 'd', 'e'],
    ]);
    expect(there.got[1]?.input['_config']).toEqual({ Inplace: true });
    expect(there.got[3]?.input['_config']).toBeUndefined();
  });

  it('leave places to longer ones, but one', async () => {
    const there = world({ places: 3 });
    const large = [1, 2].map(() => Promise.withResolvers<void>());
    const beside = large.map(({ promise }) => there.queue.beside(promise));
    void there.add('a');
    void there.add('b');
    await turn();
    expect(there.got).toHaveLength(1);
    large[0]?.resolve();
    await beside[0];
    await turn();
    expect(there.got).toHaveLength(2);
    large[1]?.resolve();
    await beside[1];
  });
});

import { describe, expect, test } from 'vitest';
import type { Verb } from '../../../src/engine/action.ts';
import { ALL } from '../../../src/engine/consent.ts';
import { Budget } from '../../../src/engine/loss/budget.ts';
import type { SyncOptions } from '../../../src/engine/pass.ts';
import { nameTransform } from '../../../src/engine/passes/names/names.ts';
import { attemptSync } from '../../../src/engine/sync.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import {
  contentsOf,
  type Files,
  plainOptions,
  quietContext,
  remoteWith,
} from '../../support/memory-world.ts';

const around = { nowMs: new Date(2026, 10, 22, 9, 5).getTime(), signal: AbortSignal.any([]) };
const named = async (leaf: string, ...texts: string[]) =>
  nameTransform(texts, around).name(leaf, 'file');

describe('--name-transform', () => {
  // What rclone 1.75.2 makes of these names.
  test.each([
    ['a.txt', 'truncate=3', 'a.t'],
    ['añ🦊x.txt', 'truncate=3', 'añ🦊'],
    ['añ🦊x.txt', 'truncate_bytes=4', 'añ'],
    ['añ🦊x.txt', 'truncate_bytes_keep_extension=9', 'añ.txt'],
    ['abcdef.tar.gz', 'truncate_keep_extension=9', 'ab.tar.gz'],
    ['abcdef.tar.gz', 'suffix_keep_extension=-x', 'abcdef-x.tar.gz'],
    ['abc.txt', 'truncate=0', 'abc.txt'],
    ["the quick BROWN-fox it's.txt", 'titlecase', "THE QUICK BROWN-FOX IT'S.TXT"],
    ['ß.txt', 'uppercase', 'ß.TXT'],
    ['ÀÉ.TXT', 'lowercase', 'àé.txt'],
    ['a b&ü.txt', 'url', 'a+b%26%C3%BC.txt'],
    ['añ🦊x.txt', 'ascii', 'ax.txt'],
    ['aXa.txt', 'replace=a:Q', 'QXQ.txt'],
    ['aXa.txt', 'regex=(a)(.)/$2$1', 'Xa.atxt'],
    ['ab', 'prefix=', 'ab'],
    ['ab', 'PREFIX=z', 'zab'],
    ['ab', 'prefix=a,b', 'a,bab'],
    ['ab', 'file,suffix=z', 'abz'],
    ['ab', 'all,trimsuffix=b', 'a'],
    ['ab', 'dir,prefix=z', 'ab'],
    ['ab', 'date=-{YYYYMMDD}', 'ab-20261122'],
    ['ab', 'date={macfriendlytime}', 'ab2026-11-22 0905AM'],
    ['ab', 'date=x-{DateOnly}-y', 'abx-2026-11-22-y'],
    ['Café🦊.txt', 'charmap=ISO-8859-1', 'Café_.txt'],
    ['Café_€.txt', 'Windows-1252', 'Café_€.txt'],
    ['a:b*.txt', 'encoder=Colon,Asterisk', 'a：b＊.txt'],
    ['a：b.txt', 'decoder=Colon', 'a:b.txt'],
    ['añ🦊x y.TXT', 'base64encode', 'YcOx8J-minggeS5UWFQ='],
    ['YWI=', 'base64decode', 'ab'],
    ['ab', 'command=echo', 'ab'],
    ['ﬁ.txt', 'nfkc', 'fi.txt'],
  ])('%s with %s is %s', async (leaf, text, result) => {
    expect(await named(leaf, text)).toBe(result);
  });

  test('several are made in their order', async () => {
    expect(await named('a.txt', 'suffix=.b', 'trimsuffix=.b', 'uppercase')).toBe('A.TXT');
  });

  test.each([
    ['nope', 'usage'],
    ['prefix', 'usage'],
    ['truncate=x', 'no-retry'],
    ['replace=a', 'no-retry'],
    ['regex=a', 'no-retry'],
    ['regex=((/x', 'no-retry'],
    ['encoder=foo', 'no-retry'],
    ['charmap=no', 'no-retry'],
  ])('%s is refused at the start, as %s', (text, code) => {
    const message = expect.stringContaining(`--name-transform ${text}`);
    expect(() => nameTransform([text], around)).toThrow(expect.objectContaining({ code, message }));
  });

  test.each([
    ['a', 'suffix=/b'],
    ['a', 'trimprefix=a'],
    ['a', 'replace=a:..'],
    ['YWI', 'base64decode'],
    ['a', 'command=false'],
    ['.hidden', 'truncate_keep_extension=3'],
  ])('%s has no name with %s', async (leaf, text) => {
    await expect(named(leaf, text)).rejects.toThrow();
  });
});

describe('a run with changed names', () => {
  const run = async (verb: Verb, files: Files, there: Files, texts: string[], more = {}) => {
    const [source, dest] = [await remoteWith(files), await remoteWith(there)];
    const options: SyncOptions = {
      ...plainOptions,
      deletes: verb === 'sync' ? 'after' : 'off',
      transform: nameTransform(texts, around),
      ...more,
    };
    const { context, logLines } = quietContext();
    const setup = { context, filter: passAllFilter, consent: ALL, budget: new Budget() };
    const attempt = await attemptSync(setup, { verb, source, dest, options });
    const log = logLines();
    return { ...attempt, log, left: await contentsOf(source), found: await contentsOf(dest) };
  };

  test('sync matches, copies and deletes by the new names', async () => {
    const files = { 'D/A': 'one', 'D/B': 'new', C: 'three' };
    const there = { 'd/a': 'one', 'd/b': 'old!', 'd/x': 'extra', D: 'extra' };
    const ended = await run('sync', files, there, ['all,lowercase']);
    expect(ended.found).toEqual({ 'd/a': 'one@1000', 'd/b': 'new@1000', c: 'three@1000' });
    expect([ended.error, ended.transferred]).toEqual([undefined, 2]);
  });

  test.each([{}, { noTraverse: true }])('a second run has nothing to do %o', async (more) => {
    const { transferred } = await run('copy', { A: '1' }, { a: '1' }, ['lowercase'], more);
    expect(transferred).toBe(0);
  });

  test.each(['copy', 'sync', 'move'] as const)(
    '%s loses none of two with one name',
    async (verb) => {
      const ended = await run(verb, { X: 'one', x: 'two', Y: '' }, { old: '' }, ['lowercase']);
      expect(ended.worthRetrying).toBe(false);
      expect(ended.left).toMatchObject({ X: 'one@1000', x: 'two@1000' });
      expect(ended.found).toEqual({ y: '@1000', old: '@1000' });
      expect(ended.log.filter((line) => line.includes('another entry'))).toHaveLength(2);
    },
  );
});

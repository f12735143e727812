import { expect, test } from 'vitest';
import { memoryRemote } from '../../../src/backends/memory/memory-remote.ts';
import { MemoryTree } from '../../../src/backends/memory/memory-tree.ts';
import { ALL } from '../../../src/engine/consent.ts';
import { tryMoveDir } from '../../../src/engine/move-dir.ts';
import type { FileRule } from '../../../src/engine/rules/rule.ts';
import { attemptSync } from '../../../src/engine/sync.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import {
  contentsOf,
  type OptionParts,
  optionsOf,
  quietContext,
  remoteWith,
} from '../../support/memory-world.ts';

/** Moves `from` to `to` of one store, as the command does: by one rename, or else file by file. */
async function moved(
  options: OptionParts & { readonly comparesDest?: true },
  moreRules: readonly FileRule[] = [],
) {
  const tree = new MemoryTree();
  const store = await remoteWith({ 'from/a': 'aa', 'from/sub/b': 'bb', 'ref/a': 'aa' }, { tree });
  const below = (root: string) => memoryRemote({ name: store.name, tree, root });
  const setup = { context: quietContext().context, filter: passAllFilter, consent: ALL };
  const { comparesDest, ...given } = options;
  const references = { mode: 'compare', dirs: [below('ref')] } as const;
  const plan = {
    verb: 'move',
    source: below('from'),
    dest: below('to'),
    options: optionsOf(comparesDest ? { ...given, references } : given),
    moreRules,
  } as const;
  const isRenamed = await tryMoveDir(setup, plan);
  if (!isRenamed) await attemptSync(setup, plan);
  return {
    isRenamed,
    files: Object.keys(await contentsOf(store)).filter((path) => !path.endsWith('/')),
  };
}

test('a directory is moved by one rename', async () => {
  const { isRenamed, files } = await moved({});
  expect([isRenamed, files]).toEqual([true, ['ref/a', 'to/a', 'to/sub/b']]);
});

test('a rule about new files keeps its files back also from a directory that one rename would move', async () => {
  const rule: FileRule = {
    name: 'protected',
    of: 'change',
    keepsNames: false,
    extra: 'pairs-only',
    isForNew: true,
    judge: ({ source }) =>
      source.path === 'sub/b' ? { do: 'keep', reason: { why: 'chosen' } } : undefined,
  };
  const { isRenamed, files } = await moved({}, [rule]);
  expect([isRenamed, files]).toEqual([false, ['from/sub/b', 'ref/a', 'to/a']]);
});

test('--existing leaves a whole directory where it is', async () => {
  const { isRenamed, files } = await moved({ existing: true });
  expect([isRenamed, files]).toEqual([false, ['from/a', 'from/sub/b', 'ref/a']]);
});

test('--compare-dest holds for the files of a directory that one rename would move', async () => {
  const { isRenamed, files } = await moved({ comparesDest: true });
  expect([isRenamed, files]).toEqual([false, ['from/a', 'ref/a', 'to/sub/b']]);
});

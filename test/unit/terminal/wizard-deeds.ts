import { changesOf } from '../../../src/config/dialogue/option-question.ts';
import type { Outcome } from '../../../src/config/dialogue/step.ts';
import { worldOf } from '../config/dialogue/walk.ts';
import type { Deed } from './random-keys.ts';

/** Only these answer a question whose answer deletes or replaces something. */
export const YES = ['y', 'Y'];

/** Three remotes. */
export const WORLD = worldOf({
  store: { type: 's3', provider: 'Other', access_key_id: 'AK', secret_access_key: 'sk' },
  od: { type: 'drive_provider_a', token: '{"access_token":"a"}', drive_id: 'd' },
  alias: { type: 'alias', remote: 'store:b' },
});

/** What the configuration held before. */
export const FORMER = new Map([
  ['gone', new Map([['type', 's3']])],
  ...WORLD.remotes.slice(0, 2).map(({ name, values }) => [name, values] as const),
]);

/** What an outcome of the wizard does, and what the screen must have shown of it. */
export function wizardDeed(outcome: Outcome): Deed {
  const what = outcome.type;
  switch (outcome.type) {
    case 'save': {
      const { draft } = outcome;
      const { deleted, replaced } = changesOf(draft);
      const few = (names: readonly string[]) =>
        names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names;
      const losses = [...few(deleted), ...few(replaced)];
      if (losses.length === 0) return { what, names: [draft.name] };
      return { what: 'save with losses', names: [`"${draft.name}"`, ...losses], keys: YES };
    }
    case 'undo':
      return {
        what,
        names: ['restores the remote "gone"', 'deletes the remote "alias"'],
        keys: YES,
      };
    case 'delete':
      return { what, names: [`Delete "${outcome.name}"`], keys: YES };
    case 'rename':
    case 'copy':
      return { what, names: [outcome.from, outcome.to] };
    case 'import':
      if (outcome.names?.includes('store') !== true) return { what, names: ['import 1', 'fresh'] };
      return { what: 'import with losses', names: ['Replaces store (s3)'], keys: YES };
    case 'password':
      if (outcome.password !== undefined) return { what, names: ['password'] };
      return { what: 'decrypt', names: ['without encryption'], keys: YES };
    default:
      return { what, names: [] };
  }
}

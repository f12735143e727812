import { commandFlags } from './flag-definition.ts';

const printing = ['hooks', 'hooks list', 'hooks history', 'hooks show', 'hooks rerun'];

/** Flags of `syncer hooks`. */
export const HOOK_FLAGS = {
  ...commandFlags([...printing, 'hooks follow'], {
    control: {
      type: 'string',
      placeholder: 'path',
      help: 'Control socket of the hook server (its -control)',
      defaultText: 'the path used by webhook -control auto',
    },
  }),
  ...commandFlags(printing, {
    'hooks-json': { name: 'json', type: 'bool', help: 'Print JSON' },
  }),
  ...commandFlags(['hooks'], {
    'hooks-plain': { name: 'plain', type: 'bool', help: 'Print lines even on a terminal' },
  }),
};

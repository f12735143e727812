import type { FlagDefinition } from './flag-definition.ts';

const HOOKS = [
  ...['hooks', 'hooks list', 'hooks history', 'hooks show', 'hooks follow', 'hooks rerun'],
] as const;

/** Flags of `syncer hooks`. */
export const HOOK_FLAGS = {
  control: {
    type: 'string',
    placeholder: 'path',
    help: 'Control socket of the hook server (its -control)',
    defaultText: 'the path used by webhook -control auto',
    group: 'command',
    commands: HOOKS,
  },
  'hooks-json': {
    name: 'json',
    type: 'bool',
    help: 'Print JSON',
    group: 'command',
    commands: HOOKS.filter((name) => name !== 'hooks follow'),
  },
  'hooks-plain': {
    name: 'plain',
    type: 'bool',
    help: 'Print lines even on a terminal',
    group: 'command',
    commands: ['hooks'],
  },
} as const satisfies Record<string, FlagDefinition>;

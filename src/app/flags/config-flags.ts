import type { FlagDefinition } from './flag-definition.ts';

const making = ['config create', 'config update'] as const;
const loggingIn = [
  'authorize',
  'config',
  'config create',
  'config update',
  'config reconnect',
] as const;

/** Flags about the configuration, its password, and what is generated from the tables of the program. */
export const CONFIG_FLAGS = {
  'ask-password': {
    type: 'bool',
    default: true,
    help: 'Ask for the password of an encrypted configuration',
    group: 'config',
  },
  'auto-confirm': {
    type: 'bool',
    help: 'Accept defaults instead of asking',
    group: 'config',
  },
  obscure: {
    type: 'bool',
    help: 'Obscure passwords even if they look obscured already',
    group: 'command',
    commands: making,
  },
  'no-obscure': {
    type: 'bool',
    help: 'Never obscure passwords',
    group: 'command',
    commands: making,
  },
  'non-interactive': {
    type: 'bool',
    help: 'Print the next question as JSON instead of asking',
    group: 'command',
    commands: making,
  },
  continue: {
    type: 'bool',
    help: 'Continue from --state with the answer in --result',
    group: 'command',
    commands: making,
  },
  'config-all': {
    name: 'all',
    type: 'bool',
    help: 'Ask for every option',
    group: 'command',
    commands: making,
  },
  state: {
    type: 'string',
    placeholder: 'state',
    help: 'State printed with the question (with --continue)',
    group: 'command',
    commands: making,
  },
  result: {
    type: 'string',
    placeholder: 'answer',
    help: 'Answer to the question (with --continue)',
    group: 'command',
    commands: making,
  },
  device: {
    type: 'bool',
    defaultText: 'if there is no display',
    help: 'Log in on another device by typing a code there',
    group: 'command',
    commands: loggingIn,
  },
  'auth-no-open-browser': {
    type: 'bool',
    help: 'Print the login link instead of opening a browser',
    group: 'command',
    commands: loggingIn,
  },
  'auth-port': {
    type: 'int',
    default: 53682,
    placeholder: 'port',
    help: 'Local port that receives the login result from the browser',
    group: 'command',
    commands: loggingIn,
  },
  force: {
    type: 'bool',
    help: 'Replace remotes with the same name',
    group: 'command',
    commands: ['config import'],
  },
  'no-descriptions': {
    type: 'bool',
    help: 'Omit descriptions from completions',
    group: 'command',
    commands: ['completion bash', 'completion zsh', 'completion fish', 'completion powershell'],
  },
  man: {
    type: 'bool',
    help: 'Write man pages instead of Markdown',
    group: 'command',
    commands: ['gendocs'],
  },
} as const satisfies Record<string, FlagDefinition>;

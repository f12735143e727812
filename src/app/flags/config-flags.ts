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
    help: 'Take the default where the configuration would ask',
    group: 'config',
  },
  obscure: {
    type: 'bool',
    help: 'Obscure passwords even where they look obscured',
    group: 'command',
    commands: making,
  },
  'no-obscure': {
    type: 'bool',
    help: 'Store passwords as they are given',
    group: 'command',
    commands: making,
  },
  'non-interactive': {
    type: 'bool',
    help: 'Print the next question as JSON instead of asking it',
    group: 'command',
    commands: making,
  },
  continue: {
    type: 'bool',
    help: 'Go on with the answer --result to the question of --state',
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
    help: 'The state that came with the question, for --continue',
    group: 'command',
    commands: making,
  },
  result: {
    type: 'string',
    placeholder: 'answer',
    help: 'The answer to the question, for --continue',
    group: 'command',
    commands: making,
  },
  device: {
    type: 'bool',
    defaultText: 'where there is no display',
    help: 'Log in on another device, by a code to type there',
    group: 'command',
    commands: loggingIn,
  },
  'auth-no-open-browser': {
    type: 'bool',
    help: 'Do not open the browser: only show the link that leads to the login',
    group: 'command',
    commands: loggingIn,
  },
  'auth-port': {
    type: 'int',
    default: 53682,
    placeholder: 'port',
    help: 'The port of this machine to which the browser brings the answer',
    group: 'command',
    commands: loggingIn,
  },
  force: {
    type: 'bool',
    help: 'Replace remotes of the same name',
    group: 'command',
    commands: ['config import'],
  },
  'no-descriptions': {
    type: 'bool',
    help: 'Complete without descriptions',
    group: 'command',
    commands: ['completion bash', 'completion zsh', 'completion fish', 'completion powershell'],
  },
  man: {
    type: 'bool',
    help: 'Write manual pages instead of Markdown',
    group: 'command',
    commands: ['gendocs'],
  },
} as const satisfies Record<string, FlagDefinition>;

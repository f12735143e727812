import { readInt } from '../../go/read-number.ts';
import { commandFlags, groupFlags } from './flag-definition.ts';

const making = ['config create', 'config update'] as const;
const loggingIn = [
  'authorize',
  'config',
  'config create',
  'config update',
  'config reconnect',
] as const;

/** Flags for the configuration, logging in, and generated scripts and docs. */
export const CONFIG_FLAGS = {
  ...groupFlags('config', {
    'ask-password': {
      type: 'bool',
      default: true,
      help: 'Ask for the password of an encrypted configuration',
    },
    'auto-confirm': { type: 'bool', help: 'Accept defaults instead of asking' },
  }),
  ...commandFlags(making, {
    obscure: { type: 'bool', help: 'Obscure passwords even if they look obscured already' },
    'no-obscure': { type: 'bool', help: 'Never obscure passwords' },
    'non-interactive': { type: 'bool', help: 'Print the next question as JSON instead of asking' },
    'no-output': { type: 'bool', help: 'Do not print the remote or the next question' },
    continue: { type: 'bool', help: 'Continue from --state with the answer in --result' },
    'config-all': { name: 'all', type: 'bool', help: 'Ask for every option' },
    state: {
      type: 'string',
      placeholder: 'state',
      help: 'State printed with the question (with --continue)',
    },
    result: {
      type: 'string',
      placeholder: 'answer',
      help: 'Answer to the question (with --continue)',
    },
  }),
  ...commandFlags(loggingIn, {
    device: {
      type: 'bool',
      defaultText: 'if there is no display',
      help: 'Log in on another device by typing a code there',
    },
    'auth-no-open-browser': {
      type: 'bool',
      help: 'Print the login link instead of opening a browser',
    },
    'auth-port': {
      type: 'int',
      default: 53682,
      placeholder: 'port',
      check: wrongPort,
      help: 'Local port that receives the login result from the browser',
    },
  }),
  ...commandFlags(['config import'], {
    force: { type: 'bool', help: 'Replace remotes with the same name' },
  }),
  ...commandFlags(
    ['completion bash', 'completion zsh', 'completion fish', 'completion powershell'],
    {
      'no-descriptions': { type: 'bool', help: 'Omit descriptions from completions' },
    },
  ),
  ...commandFlags(['gendocs'], {
    man: { type: 'bool', help: 'Write man pages instead of Markdown' },
  }),
};

/** What is wrong with a port that a program must be able to name. */
function wrongPort(text: string): string | undefined {
  const port = readInt(text);
  return port >= 1 && port <= 65_535 ? undefined : `must be a port from 1 to 65535, not "${text}"`;
}

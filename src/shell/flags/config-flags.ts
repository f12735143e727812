import { bool, commandFlags, groupFlags, int, text } from '../../core/flags.ts';
import { readInt } from '../../go/read-number.ts';

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
    'ask-password': bool('Ask for the password of an encrypted configuration', { default: true }),
    'rclone-program': text('Name or path of the rclone that opens remotes of other types', {
      placeholder: 'program',
      defaultText: 'rclone',
    }),
    'auto-confirm': bool('Accept defaults instead of asking'),
  }),
  ...commandFlags(making, {
    obscure: bool('Obscure passwords even if they look obscured already'),
    'no-obscure': bool('Never obscure passwords'),
    'non-interactive': bool('Print the next question as JSON instead of asking'),
    'no-output': bool('Do not print the remote or the next question'),
    continue: bool('Continue from --state with the answer in --result'),
    'config-all': bool('Ask for every option', { name: 'all' }),
    state: text('State printed with the question (with --continue)', { placeholder: 'state' }),
    result: text('Answer to the question (with --continue)', { placeholder: 'answer' }),
  }),
  ...commandFlags(loggingIn, {
    device: bool('Log in on another device by typing a code there', {
      defaultText: 'if there is no display',
    }),
    'auth-no-open-browser': bool('Print the login link instead of opening a browser'),
    'auth-port': int('Local port that receives the login result from the browser', {
      default: 53682,
      placeholder: 'port',
      check: wrongPort,
    }),
  }),
  ...commandFlags(['config import'], { force: bool('Replace remotes with the same name') }),
  ...commandFlags(
    ['completion bash', 'completion zsh', 'completion fish', 'completion powershell'],
    { 'no-descriptions': bool('Omit descriptions from completions') },
  ),
  ...commandFlags(['gendocs'], { man: bool('Write man pages instead of Markdown') }),
};

/** What is wrong with a port that a program must be able to name. */
function wrongPort(text: string): string | undefined {
  const port = readInt(text);
  return port >= 1 && port <= 65_535 ? undefined : `must be a port from 1 to 65535, not "${text}"`;
}

import { bool, commandFlags, groupFlags, int, text } from '../../core/flags.ts';
import { readInt } from '../../go/read-number.ts';

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
};

/** What is wrong with a port that a program must be able to name. */
function wrongPort(text: string): string | undefined {
  const port = readInt(text);
  return port >= 1 && port <= 65_535 ? undefined : `must be a port from 1 to 65535, not "${text}"`;
}

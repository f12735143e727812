/** What the hook "test" answers. */
export const TEST_ANSWER = 'test success!\n';

/** What the hook "test" is made of. */
export interface TestHook {
  /** The script, absolute. */
  readonly script: string;
  /** Where it runs, absolute. */
  readonly folder: string;
  readonly token: string;
}

/** The text of `/etc/webhook.conf`: one hook, `test`, that wants its token in the query. */
export function hookFile({ script, folder, token }: TestHook): string {
  const hook = {
    id: 'test',
    'execute-command': script,
    'command-working-directory': folder,
    'response-message': TEST_ANSWER,
    'trigger-rule': {
      match: { type: 'value', value: token, parameter: { source: 'url', name: 'token' } },
    },
  };
  return `${JSON.stringify([hook], null, 2)}\n`;
}

/** What the hook "test" answers. */
export const TEST_ANSWER = 'test success!\n';

/** What the hook "test" is made of. */
interface TestHook {
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

/** By this line the installer knows its own script again. */
export const SCRIPT_MARK = '# Written by webhook-installer.';

/** `test.sh`: what the hook "test" runs. The log lies in the folder that the hook runs it in. */
export const TEST_SCRIPT = `#!/bin/sh
${SCRIPT_MARK}
# Run by the hook "test": adds a line with the time to test.log in the current directory.
echo "$(date '+%Y-%m-%d %H:%M:%S') test hook called" >>test.log
`;

/** A file that is written whole. */
export interface NewFile {
  readonly path: string;
  readonly content: string;
  /** Its permissions. */
  readonly mode: number;
}

/** What the service is started with. */
export interface ServiceChoice {
  readonly program: string;
  readonly hooks: string;
  readonly port: number;
  /** As systemd reads it. */
  readonly restartDelay: string;
}

/** The words that start the hook server, as the specification has them. */
export function startWords({ program, hooks, port }: ServiceChoice): readonly string[] {
  const flags = ['-nopanic', '-hotreload', '-verbose', '-port', `${port}`];
  return [program, ...flags, '-hooks', hooks];
}

/** The value of `ExecStart=` for these words: systemd.service(5). Of the program, `$` is no variable. */
export function execStart([program = '', ...words]: readonly string[]): string {
  return [unitWord(program), ...words.map((word) => unitWord(word).replaceAll('$', '$$$$'))].join(
    ' ',
  );
}

/** A value in a unit in which systemd would replace specifiers. */
export function unitText(text: string): string {
  return text.replaceAll('%', '%%');
}

function unitWord(word: string): string {
  if (/^[\w./@+,:~-]+$/.test(word)) return word;
  return `"${unitText(word).replace(/["\\]/g, '\\$&')}"`;
}

/** The beginning that both kinds of service share. */
export const UNIT_HEAD = `# Written by webhook-installer. Changes belong into "systemctl edit webhook".
[Unit]
Description=webhook, a server that runs commands on HTTP requests
Documentation=https://github.com/adnanh/webhook
Wants=network-online.target
After=network-online.target
`;

/** `webhook.service` as the specification describes it. */
export function unitFile(choice: ServiceChoice): string {
  return `${UNIT_HEAD}
[Service]
Type=simple
User=root
Group=root
ExecStart=${execStart(startWords(choice))}
Restart=on-failure
RestartSec=${choice.restartDelay}

[Install]
WantedBy=multi-user.target
`;
}

import type { InstallerOptions } from '../command-line/read-options.ts';
import type { Layout } from '../layout.ts';

/** What the hook "test" answers. */
export const TEST_ANSWER = 'test success!\n';

/**
 * The text of `/etc/webhook.conf`: one hook, `test`, that wants its token in the query.
 *
 * @param script absolute, as is `folder`, where it runs
 */
export function hookFile(script: string, folder: string, token: string): string {
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
  readonly mode: number;
}

/** What the service is started with. */
type ServiceChoice = Pick<InstallerOptions, 'program' | 'hooks' | 'port' | 'restartDelay'>;

/** The words that start the hook server, as the specification has them. */
export function startWords({ program, hooks, port }: ServiceChoice): readonly string[] {
  const flags = ['-nopanic', '-hotreload', '-verbose', '-port', `${port}`];
  return [program, ...flags, '-hooks', hooks];
}

/** The value of `ExecStart=` for these words: systemd.service(5). Of the program, `$` is no variable. */
function execStart([program = '', ...words]: readonly string[]): string {
  const others = words.map((word) => unitWord(word).replaceAll('$', '$$$$'));
  return [unitWord(program), ...others].join(' ');
}

/** A value in a unit in which systemd would replace specifiers. */
function unitText(text: string): string {
  return text.replaceAll('%', '%%');
}

function unitWord(word: string): string {
  if (/^[\w./@+,:~-]+$/.test(word)) return word;
  return `"${unitText(word).replace(/["\\]/g, '\\$&')}"`;
}

/** The beginning that both kinds of service share. */
const UNIT_HEAD = `# Written by webhook-installer. Changes belong into "systemctl edit webhook".
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

/** What the service may not do, in directives of systemd.exec(5). */
const SANDBOX = `NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
UMask=0077`;

/** Ports below this one take a capability. */
const FIRST_FREE_PORT = 1024;

/**
 * The units of `--hardened`: a user that exists only while the service runs, a sandbox, the hook file as a credential
 * that no other user can read, and a restart when it changes. With a program that takes a socket from systemd, the
 * socket stays open over restarts.
 */
export function hardenedUnits(
  layout: Layout,
  choice: ServiceChoice,
  takesSocket: boolean,
): readonly NewFile[] {
  const files = [
    { path: layout.unit, content: serviceUnit(choice, takesSocket) },
    { path: layout.watchUnit, content: watchUnit(choice) },
    { path: layout.renewUnit, content: RENEW_UNIT },
    ...(takesSocket ? [{ path: layout.socketUnit, content: socketUnit(choice) }] : []),
  ];
  return files.map((file) => ({ ...file, mode: 0o644 }));
}

function serviceUnit(choice: ServiceChoice, takesSocket: boolean): string {
  const before = execStart(startWords({ ...choice, hooks: '' }).slice(0, -1));
  const command = `${before} $\{CREDENTIALS_DIRECTORY}/webhook.conf`;
  const needsCapability = !takesSocket && choice.port < FIRST_FREE_PORT;
  const capability = needsCapability ? 'CAP_NET_BIND_SERVICE' : '';
  const ambient = needsCapability ? `AmbientCapabilities=${capability}\n` : '';
  const socket = takesSocket ? 'Requires=webhook.socket\nAfter=webhook.socket\n' : '';
  return `${UNIT_HEAD}${socket}
[Service]
Type=simple
DynamicUser=yes
User=webhook
StateDirectory=webhook
WorkingDirectory=/var/lib/webhook
LoadCredential=webhook.conf:${unitText(choice.hooks)}
ExecStart=${command}
Restart=on-failure
RestartSec=${choice.restartDelay}
CapabilityBoundingSet=${capability}
${ambient}${SANDBOX}

[Install]
WantedBy=multi-user.target
`;
}

const socketUnit = ({ port }: ServiceChoice) => `# Written by webhook-installer.
[Unit]
Description=The port of webhook

[Socket]
ListenStream=${port}
Backlog=4096

[Install]
WantedBy=sockets.target
`;

const watchUnit = ({ hooks }: ServiceChoice) => `# Written by webhook-installer.
[Unit]
Description=Changes of ${unitText(hooks)}

[Path]
PathChanged=${unitText(hooks)}
Unit=webhook-hooks.service

[Install]
WantedBy=multi-user.target
`;

/** A credential is copied when the service starts; so a new hook file means a restart. */
const RENEW_UNIT = `# Written by webhook-installer.
[Unit]
Description=Restart webhook with its new hooks

[Service]
Type=oneshot
ExecStart=/bin/systemctl try-restart webhook.service
`;

import { join } from 'node:path';
import type { InstallerOptions } from '../read-options.ts';

/** What the hook "test" answers. */
export const TEST_ANSWER = 'test success!\n';

/** The text of `/etc/webhook.conf`: one hook, `test`, that wants its token in the query. Paths are absolute. */
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
const unitText = (text: string): string => text.replaceAll('%', '%%');

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
  const needsCapability = !takesSocket && choice.port < 1024;
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

/** Where everything lies that the installer makes, as paths inside its root. */
export type Layout = Readonly<ReturnType<typeof layoutOf>>;

/** Names that the program has beside its place while it is put there: the process that did it, and what it is. */
export const STRAY = /^\.webhook-installer-(\d+)\.(?:new|old)$/;

/** Where things lie by the options. */
export function layoutOf({ workDir, program, hooks, unitDir }: InstallerOptions) {
  const workFolder = join(workDir, 'webhook');
  const wants = '/etc/systemd/system';
  return {
    /** `<work_dir>/webhook`. */
    workFolder,
    testScript: join(workFolder, 'test.sh'),
    program,
    hooks,
    unit: join(unitDir, 'webhook.service'),
    /** What `--hardened` adds. */
    socketUnit: join(unitDir, 'webhook.socket'),
    watchUnit: join(unitDir, 'webhook-hooks.path'),
    renewUnit: join(unitDir, 'webhook-hooks.service'),
    /** Links that enable units, by any program. */
    enablingLinks: [
      `${wants}/multi-user.target.wants/webhook.service`,
      `${wants}/multi-user.target.wants/webhook-hooks.path`,
      `${wants}/sockets.target.wants/webhook.socket`,
    ],
    /** What a service with a user of its own may write; only where it was installed so. */
    stateFolders: ['/var/lib/webhook', '/var/lib/private/webhook'],
  };
}

import type { Layout } from '../layout.ts';
import {
  execStart,
  type NewFile,
  type ServiceChoice,
  startWords,
  UNIT_HEAD,
  unitText,
} from './installed-files.ts';

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

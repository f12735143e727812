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
export function startCommand({ program, hooks, port }: ServiceChoice): string {
  return `${program} -nopanic -hotreload -verbose -port ${port} -hooks ${hooks}`;
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
ExecStart=${startCommand(choice)}
Restart=on-failure
RestartSec=${choice.restartDelay}

[Install]
WantedBy=multi-user.target
`;
}

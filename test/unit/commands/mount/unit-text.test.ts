import { expect, test } from 'vitest';
import { unitText } from '../../../../commands/mount/run-mount.ts';

const parts = {
  program: ['/usr/bin/node', '/opt/sync er/syncer.js'],
  argv: ['mount', 'r:a', '/mnt', '--exclude', '50% $x "q"'],
  source: 'r:a',
  mountPoint: '/mnt',
  isForUser: false,
  env: { HOME: '/root' },
  stopSeconds: 90,
};

test('the whole unit', () => {
  expect(unitText(parts)).toBe(`[Unit]
Description=r:a on /mnt (syncer)
Wants=network-online.target
After=network-online.target
AssertPathIsDirectory=/mnt

[Service]
Type=notify
Environment="HOME=/root"
ExecStart=/usr/bin/node "/opt/sync er/syncer.js" mount r:a /mnt --exclude "50%% $$x \\"q\\""
KillMode=mixed
SuccessExitStatus=143
TimeoutStopSec=90
Restart=on-failure
RestartSec=5

[Install]
WantedBy=multi-user.target
`);
});

test('for a user', () => {
  expect(unitText({ ...parts, isForUser: true })).toContain('WantedBy=default.target\n');
});

import { expect, test } from 'vitest';
import { s3 } from '../../../../src/backends/s3/index.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import { ignoredOptionsLog } from '../../../../src/run/remotes/bare-remotes.ts';

test('an option without effect is logged once for a remote, and only where it is set', () => {
  const events: SyncerEvent[] = [];
  const log = ignoredOptionsLog({ emit: (one) => events.push(one) });
  const options = {
    download_url: 'https://cdn.example.com',
    no_system_metadata: 'false',
    might_gzip: 'unset',
    sdk_log_mode: 'Off',
    use_x_id: 'true',
    region: 'eu',
  };
  log({ section: 'a', backend: s3, options });
  log({ section: 'a', backend: s3, options });
  log({ section: undefined, backend: s3, options: { disable_http2: 'true' } });
  expect(events).toEqual([
    expect.objectContaining({ path: 'a', level: 'notice', fields: { option: 'download_url' } }),
    expect.objectContaining({ path: 'a', level: 'info', fields: { option: 'use_x_id' } }),
    expect.objectContaining({ path: 's3', level: 'info', fields: { option: 'disable_http2' } }),
  ]);
});

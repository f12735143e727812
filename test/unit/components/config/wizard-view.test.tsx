import { expect, test } from 'vitest';
import { WizardView } from '../../../../components/config/wizard-view.tsx';
import { textKey } from '../../../../src/terminal/key.ts';
import { showScreen } from '../draw-screen.tsx';
import { frame, openModel, press, TO_SECRET, works } from './wizard-screen.ts';

test('the menu at 80x24', () => {
  expect(frame(openModel(works), 80, 24)).toMatchInlineSnapshot(`
    [
      "syncer config  /home/me/.config/syncer/syncer.conf",
      "Current remotes:",
      "❯ 1  photos                      s3, https://s3.example.com",
      "  2  work                        drive_provider_a, business b!x, login expiry u…",
      "  3  odd␛[31m                    dropbox, through rclone",
      "  e  Edit existing remote",
      "  n  New remote",
      "  d  Delete remote",
      "  r  Rename remote",
      "  c  Copy remote",
      "  s  Set configuration password",
      "  i  Import from rclone",
      "  q  Quit config",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "↑↓ move · Enter select · / filter · n new · d delete · c copy · q quit · ? keys",
    ]
  `);
});

test('a notice that is longer than a line is shown whole', async () => {
  const advice = 'run chmod 600 /home/me/.config/syncer/syncer.conf';
  const model = openModel(works, undefined, `Deleted "photos". It contains secrets: ${advice}`);
  await press(model, 'dy');
  expect(frame(model, 60, 24).slice(1, 4)).toEqual([
    'Deleted "photos". It contains secrets: run chmod 600',
    '/home/me/.config/syncer/syncer.conf',
    'Current remotes:',
  ]);
});

test('the menu at 40x12', () => {
  expect(frame(openModel(works), 40, 12)).toMatchInlineSnapshot(`
    [
      "syncer config  /home/me/.config/syncer/…",
      "Current remotes:",
      "❯ 1  photos                s3, https://…",
      "  2  work                  drive_provid…",
      "  3  odd␛[31m              dropbox, thr…",
      "  e  Edit existing remote",
      "  n  New remote",
      "  d  Delete remote",
      "  r  Rename remote",
      "  c  Copy remote",
      "  s  Set configuration password",
      "↑↓ move · Enter select · q quit · ? keys",
    ]
  `);
});

test('what a list has no room for stands whole beside it', async () => {
  const model = openModel(works);
  await press(model, 'nstore⏎');
  const lines = frame(model, 100, 30);
  expect(lines.find((line) => line.includes('1  s3'))).toMatch(/S3 object storage: Am… /);
  const beside = lines.map((line) => line.split('│')[1]?.trim() ?? '');
  expect(beside.slice(2, 5)).toEqual([
    's3',
    'S3 object storage: Amazon S3, MinIO, Ceph,',
    'Cloudflare R2, Wasabi and others',
  ]);
});

test('a secret at 80x24: masked, with the section below', async () => {
  const model = openModel(works);
  await press(model, TO_SECRET);
  expect(frame(model, 80, 24)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote store (s3)            Step 4 of 7: Credentials, 3 of 3",
      "Secret access key  secret_access_key",
      "Secret access key. Leave empty for anonymous access or credentials from the",
      "environment.",
      "secret_access_key: •• ______________________________",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "────────────────────────────────────────────────────────────────────────────────",
      "[store]",
      "type = s3",
      "provider = Other",
      "env_auth = false",
      "access_key_id = AK",
      "secret_access_key = ***",
      "",
      "syncer config create store s3 provider=Other env_auth=false access_key_id=AK",
      "Enter next · Esc back · Tab preview · ^R secrets · ^G keys · ^C quit",
    ]
  `);
});

test('a secret at 120x22: shown on demand, with the section beside', async () => {
  const model = openModel(works);
  await press(model, `${TO_SECRET}^r`);
  expect(frame(model, 120, 22)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote store (s3)                                                    Step 4 of 7: Credentials, 3 of 3",
      "───────────────────────────────────────────────────────────────────┬────────────────────────────────────────────────────",
      "Secret access key  secret_access_key                               │ [store]",
      "Secret access key. Leave empty for anonymous access or credentials │ type = s3",
      "from the environment.                                              │ provider = Other",
      "secret_access_key: sk ______________________________               │ env_auth = false",
      "                                                                   │ access_key_id = AK",
      "                                                                   │ secret_access_key = sk",
      "                                                                   │",
      "                                                                   │ syncer config create store s3 provider=Other",
      "                                                                   │ env_auth=false access_key_id=AK",
      "                                                                   │ secret_access_key=sk",
      "                                                                   │",
      "                                                                   │",
      "                                                                   │",
      "                                                                   │",
      "                                                                   │",
      "                                                                   │",
      "                                                                   │",
      "                                                                   │",
      "───────────────────────────────────────────────────────────────────┴────────────────────────────────────────────────────",
      "Enter next · Esc back · Tab preview · ^R secrets · ^G keys · ^C quit",
    ]
  `);
});

test('a secret at 40x12', async () => {
  const model = openModel(works);
  await press(model, TO_SECRET);
  expect(frame(model, 40, 12)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote store … 4 of 7",
      "Secret access key  secret_access_key",
      "Secret access key. Leave empty for",
      "anonymous access or credentials from the",
      "environment.",
      "secret_access_key: •• _________________",
      "",
      "",
      "",
      "",
      "",
      "Enter next · Esc back · Tab preview",
    ]
  `);
});

test('what is wrong is told while it is typed', async () => {
  const model = openModel(works);
  await press(model, 'nphotos');
  expect(frame(model, 40, 12)).toMatchInlineSnapshot(`
    [
      "syncer config  /home/me/.config/… step 1",
      "Name",
      "Enter name for new remote.",
      "Example: photos",
      "name: photos __________________________",
      "A remote named "photos" already exists.",
      "",
      "",
      "",
      "",
      "",
      "Enter next · Esc back · ^G keys",
    ]
  `);
});

test('a long list at 40x12, searched', async () => {
  const model = openModel(works);
  await press(model, 'nstore⏎1⏎cloud');
  expect(frame(model, 40, 12)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote store … 3 of 7",
      "Provider",
      "S3 provider. Sets the URL style and",
      "known workarounds.",
      "search or enter: cloud",
      "❯  7  Cloudflare       Cloudflare R2.",
      "   2  Alibaba          Alibaba Cloud OS…",
      "   3  ArvanCloud       Arvan Cloud.",
      "   4  BizflyCloud      Bizfly Cloud Sim…",
      "   6  ChinaMobile      China Mobile Ecl…",
      "  15  GCS              Google Cloud Sto…",
      "↑↓ move · type search · Esc back",
    ]
  `);
});

test.each([
  [120, 40, true],
  [80, 24, true],
  [40, 12, true],
  [40, 7, false],
  [20, 8, false],
])('at %sx%s a deletion is confirmed: %s', (columns, rows, isWhole) => {
  const model = openModel(works);
  const { screen, draw } = showScreen(model, WizardView, 'config');
  draw({ columns, rows });
  screen.press(textKey('d'));
  const shown = draw({ columns, rows }).join(' ');
  expect(shown.includes('enlarge the window')).toBe(!isWhole);
  screen.press(textKey('y'));
  expect(model.state.isWriting).toBe(isWhole);
});

const isTyped = (model: ReturnType<typeof openModel>) =>
  model.keys().some(({ types }) => types === true);

test('the menu with a filter at 80x24: what is typed is no letter of the menu', async () => {
  const model = openModel(works);
  await press(model, '/d');
  expect(isTyped(model)).toBe(true);
  const lines = frame(model, 80, 24);
  expect(lines.slice(1, 8)).toEqual([
    'Current remotes:',
    'filter d',
    '❯ 1  work                        drive_provider_a, business b!x, login expiry u…',
    '  2  odd␛[31m                    dropbox, through rclone',
    '  e  Edit existing remote',
    '  d  Delete remote',
    '  s  Set configuration password',
  ]);
  await press(model, 'q⏎');
  expect(frame(model, 80, 24).slice(2, 4)).toEqual(['filter dq', 'Nothing matches the filter.']);
  await press(model, '⎋');
  expect(frame(model, 80, 24)[2]).toContain('1  photos');
  expect(isTyped(model)).toBe(false);
});

test('the types at 80x24 stand in groups; what a search finds does not', async () => {
  const model = openModel(works);
  await press(model, 'nstore⏎');
  const lines = frame(model, 80, 24);
  expect(lines[0]).toMatch(/Step 2: Type$/);
  expect(lines.slice(5, 14).map((line) => line.slice(0, 32).trimEnd())).toEqual([
    'S3-compatible',
    '❯ 1  s3',
    'Microsoft drives',
    '  2  drive_provider_a, onedrive',
    'This computer',
    '  3  local',
    '  4  memory',
    'Over another remote',
    '  5  alias',
  ]);
  await press(model, 'disk');
  expect(frame(model, 80, 24).slice(3, 6).join('\n')).not.toContain('This computer');
});

test('the title names the step: those that follow a login are not counted before it', async () => {
  let model = openModel(works);
  const titleAfter = async (keys: string) => {
    await press(model, keys);
    return frame(model, 100, 24)[0]?.replace(/^.* (Step)/, '$1');
  };
  expect(await titleAfter('n')).toBe('Step 1: Name');
  expect(await titleAfter('store⏎1⏎')).toBe('Step 3 of 7: Provider');
  expect(await titleAfter('Other⏎n')).toBe('Step 4 of 7: Credentials, 2 of 3');
  expect(await titleAfter('A⏎s⏎')).toBe('Step 5 of 7: Region and endpoint, 1 of 2');
  expect(await titleAfter('⏎https://x⏎')).toBe('Step 6 of 7: Advanced settings');
  expect(await titleAfter('n')).toBe('Step 7 of 7: Test and save');
  model = openModel(works);
  expect(await titleAfter('nwork2⏎2⏎id⏎secret⏎n')).toBe('Step 5: Login');
});

import { expect, test } from 'vitest';
import { WizardView } from '../../../../components/config/wizard-view.tsx';
import { ctrlKey, pasteKey } from '../../../../src/terminal/key.ts';
import { ASCII_GLYPHS } from '../../../../src/terminal/look.ts';
import { showScreen } from '../draw-screen.tsx';
import { fails, frame, openModel, press, TO_SECRET, works } from './wizard-screen.ts';

test('a confirmation whose test fails at 80x24', async () => {
  const model = openModel(fails);
  await press(model, `${TO_SECRET}⏎⏎localhost⏎n`);
  expect(frame(model, 80, 24)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote store (s3)                  Step 7 of 7: Test and save",
      "    provider           Other",
      "    env_auth           false",
      "    access_key_id      AK",
      "❯ ✗ secret_access_key  ••••••••  cannot list: the secret key is wrong",
      "    region",
      "    endpoint           localhost",
      "  ▸ 62 advanced, without a value (a shows them)",
      "────────────────────────────────────────────────────────────────────────────────",
      "✗ Test failed: cannot list: the secret key is wrong",
      "→ Go back to secret_access_key and paste the secret again, without spaces.",
      "Secret access key  secret_access_key",
      "Secret access key. Leave empty for anonymous access or credentials from the",
      "environment.",
      "[store]",
      "type = s3",
      "provider = Other",
      "env_auth = false",
      "access_key_id = AK",
      "secret_access_key = ***",
      "endpoint = localhost",
      "",
      "syncer config create store s3 provider=Other env_auth=false access_key_id=AK",
      "Enter edit · ↑↓ move · s save · t test · a advanced · Esc back · ? keys",
    ]
  `);
});

test('a confirmation whose test works at 40x12, in ASCII', async () => {
  const model = openModel(works);
  await press(model, `${TO_SECRET}⏎⏎localhost⏎n`);
  expect(frame(model, 40, 12, ASCII_GLYPHS)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote store ~ 7 of 7",
      ">   provider           Other",
      "    env_auth           false",
      "    access_key_id      AK",
      "    secret_access_key  --------",
      "    region",
      "  > 62 advanced, without a value (a sho~",
      "----------------------------------------",
      "ok Test passed: 2 entries: a, b",
      "Provider",
      "S3 provider. Sets the URL style and",
      "Enter edit | s save | Esc back | ? keys",
    ]
  `);
});

test('a token that is not complete at 80x24', async () => {
  const model = openModel(works);
  await press(model, 'ndrive⏎2⏎id⏎secret⏎nn');
  model.press(pasteKey('{"access_token":'));
  expect(frame(model, 80, 24)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote drive (drive_provider_a)                 Step 5: Login",
      "Config token  config_token",
      "Execute this on a machine with a web browser, then paste the result:",
      "syncer authorize drive_provider_a id ***",
      "Example: {"access_token":"...","expiry":"2026-11-20T12:00:00Z"}",
      "config_token: ••••••••••••••••",
      "Incomplete: the closing brace is missing.",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "────────────────────────────────────────────────────────────────────────────────",
      "[drive]",
      "type = drive_provider_a",
      "client_id = id",
      "client_secret = ***",
      "token = ***",
      "",
      "syncer config create drive drive_provider_a client_id=id client_secret=***",
      "token=***",
      "paste token · Enter select · Esc back · ^R secrets · ^G keys · ^C quit",
    ]
  `);
});

test('a login on another device; where the pattern does not fit it is left out', async () => {
  const model = openModel(works);
  await press(model, 'ndrive⏎2⏎id⏎secret⏎nd');
  expect(frame(model, 80, 8)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote drive (drive_provider_a)",
      "Logging in…",
      "To log in, open https://example.com/device on any device and enter the code ABCD",
      "█▀▀█",
      "█▄▄█",
      "",
      "",
      "Esc cancel · ^C quit",
    ]
  `);
  expect(frame(model, 40, 7)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote drive (drive_…",
      "Logging in…",
      "To log in, open",
      "https://example.com/device on any device",
      "and enter the code ABCD",
      "",
      "Esc cancel · ^C quit",
    ]
  `);
});

test('what an import would bring, and the keys', async () => {
  const model = openModel(works);
  await press(model, 'i/x⏎');
  expect(frame(model, 60, 12)).toMatchInlineSnapshot(`
    [
      "syncer config  /home/me/.config/syncer/syncer.conf",
      "Which remotes are imported?",
      "❯ [ ]  photos  s3, replaces the remote of this name",
      "  [x]  x       s3",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "y import 1 · Space mark · a all · Esc back · ? keys",
    ]
  `);
  await press(model, ' ');
  expect(frame(model, 60, 12)).toContain('Replaces photos (s3).');
  const { screen, draw } = showScreen(model, WizardView, 'config');
  screen.press(ctrlKey('g'));
  expect(draw({ columns: 60, rows: 15 })).toMatchInlineSnapshot(`
    [
      "syncer config  keys",
      "        y  take all that have a tick",
      "    Space  set or clear the tick at the cursor",
      "        a  set all ticks that are shown, or clear them",
      "  ↑ ↓ k j  move in a list; also PgUp, PgDn, Home, End",
      "        /  show only lines that contain a text",
      "      Esc  go back one question; answers are kept",
      "      Tab  preview the section to be written, and the",
      "           equivalent command",
      "       ^R  show or hide secrets",
      "     ? ^G  show or hide this page",
      "       ^C  quit immediately; unconfirmed changes are",
      "           discarded",
      "",
      "any key goes back",
    ]
  `);
});

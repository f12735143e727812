import { expect, test } from 'vitest';
import { pasteKey } from '../../../../src/screen/key.ts';
import { ASCII_GLYPHS } from '../../../../src/screen/look.ts';
import { fails, frame, openModel, press, TO_SECRET, works } from './wizard-frame.tsx';

test('a confirmation whose test fails at 80x24', async () => {
  const model = openModel(fails);
  await press(model, `${TO_SECRET}⏎⏎localhost⏎n`);
  expect(frame(model, 80, 24)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote store (s3)                                     step 11",
      "Keep this remote?",
      "❯ y  Yes this is OK       write it to the configuration (default)",
      "  e  Edit this remote     go through the questions again",
      "  d  Discard              back to the menu, nothing written",
      "  t  Test the connection  list the root; nothing is written",
      "✗ It does not work: cannot list: the secret key is wrong",
      "→ Go back to secret_access_key (e) and paste the secret anew, without blanks.",
      "[store]",
      "type = s3",
      "provider = Other",
      "env_auth = false",
      "access_key_id = AK",
      "secret_access_key = ***",
      "endpoint = localhost",
      "",
      "syncer config create store s3 provider=Other env_auth=false access_key_id=AK",
      "secret_access_key=*** endpoint=localhost",
      "",
      "",
      "",
      "",
      "",
      "↑↓ move · Enter take it · Esc back · Tab section · ? keys · ^C leave",
    ]
  `);
});

test('a confirmation whose test works at 40x12, in ASCII', async () => {
  const model = openModel(works);
  await press(model, `${TO_SECRET}⏎⏎localhost⏎n`);
  expect(frame(model, 40, 12, ASCII_GLYPHS)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote store~ step 11",
      "Keep this remote?",
      "> y  Yes this is OK       write it to t~",
      "  e  Edit this remote     go through th~",
      "  d  Discard              back to the m~",
      "  t  Test the connection  list the root~",
      "ok It works: 2 entries: a, b",
      "[store]",
      "type = s3",
      "provider = Other",
      "env_auth = false",
      "Up/Down move | Enter take it | Esc back",
    ]
  `);
});

test('a token that is not complete at 80x24', async () => {
  const model = openModel(works);
  await press(model, 'ndrive⏎2⏎id⏎secret⏎nn');
  model.press(pasteKey('{"access_token":'));
  expect(frame(model, 80, 24)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote drive (drive_provider_a)                        step 8",
      "config_token",
      "Execute this on a machine with a web browser, then paste the result:",
      "syncer authorize drive_provider_a id ***",
      "Example: {"access_token":"...","expiry":"2026-11-20T12:00:00Z"}",
      "config_token: ••••••••••••••••",
      "Not complete yet: the closing brace is missing.",
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
      "paste the login · Enter take it · Esc back · ^R secrets · ^G keys · ^C leave",
    ]
  `);
});

test('a login on another device; where the pattern does not fit it is left out', async () => {
  const model = openModel(works);
  await press(model, 'ndrive⏎2⏎id⏎secret⏎nd');
  expect(frame(model, 80, 8)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote drive (drive_provider_a)                        step 8",
      "Logging in…",
      "To log in, open https://example.com/device on any device and enter the code ABCD",
      "█▀▀█",
      "█▄▄█",
      "",
      "",
      "Esc cancel · ^C leave",
    ]
  `);
  expect(frame(model, 40, 7)).toMatchInlineSnapshot(`
    [
      "syncer config  new remote drive … step 8",
      "Logging in…",
      "To log in, open",
      "https://example.com/device on any device",
      "and enter the code ABCD",
      "",
      "Esc cancel · ^C leave",
    ]
  `);
});

test('what an import would bring, and the keys', async () => {
  const model = openModel(works);
  await press(model, 'i/x⏎');
  expect(frame(model, 60, 12)).toMatchInlineSnapshot(`
    [
      "syncer config  /home/me/.config/syncer/syncer.conf    step 3",
      "Import these?",
      "x (s3): is taken over with everything in it",
      "photos (s3): another one of this name is here",
      "❯ y  Import 1                        (default)",
      "  f  Import and replace those of the same name",
      "  n  Import nothing",
      "",
      "",
      "",
      "",
      "↑↓ move · Enter take it · Esc back · ? keys · ^C leave",
    ]
  `);
  await press(model, '^g');
  expect(frame(model, 60, 15)).toMatchInlineSnapshot(`
    [
      "syncer config  /home/me/.config/syncer/syncer.conf    step 3",
      "      ↑ ↓ k j  move in a list; also PgUp, PgDn, Home, End",
      "          0-9  move to the item of that number",
      "          a-z  where items have letters, take one; in other…",
      "            /  search also for what begins with j or k",
      "        Enter  take what the cursor is on, or what was typed",
      "          y n  answer yes or no at once",
      "          Esc  one question back; everything is kept",
      "          Tab  show the section that will be written, and t…",
      "           ^R  show or hide secrets",
      "  ^A ^E ^W ^U  begin, end, delete a word, delete all before…",
      "         ? ^G  this page",
      "           ^C  leave at once; what was not confirmed is not…",
      "",
      "any key back",
    ]
  `);
});

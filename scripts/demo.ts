import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CHANGED_FILE, DELETED_FILE, writeDemoFiles } from './demo/demo-files.ts';
import { KEYS, remoteLines, startServer } from './demo/local-server.ts';
import { openScreen } from './demo/screen.ts';
import { Stage } from './demo/stage.ts';

/**
 * `npm run demo`: builds syncer, then syncs a directory to its S3 server and compares the contents of both.
 * Every command that is shown is really run, in a directory that is deleted afterwards. An argument names another program
 * to run, and nothing is built.
 */
const root = resolve(import.meta.dirname, '..');
const built = join(root, 'dist/syncer.js');
const other = process.argv[2];
const program = [process.execPath, other ?? built];
const screen = openScreen(process.stdout, process.env);
const stage = await Stage.open();

await stage.play(play);

async function play(): Promise<void> {
  if (other === undefined) {
    screen.heading('Build');
    await stage.run([process.execPath, join(root, 'scripts/build.ts')]);
  }

  screen.heading('A directory to sync');
  const { files, bytes } = await writeDemoFiles(join(stage.folder, 'holiday'));
  screen.say(`${stage.folder}/holiday: ${files} files, ${(bytes / 1024 ** 2).toFixed(1)} MiB`);

  screen.heading('An S3 server on this machine');
  await mkdir(join(stage.folder, 'store'));
  screen.command(`syncer serve s3 store --addr 127.0.0.1:0 --auth-key ${KEYS.id},${KEYS.secret}`);
  await writeConfig(await startServer(stage, program));

  screen.heading('Sync the directory');
  await syncer('sync', 'holiday', 'demo:bucket', '-P');

  screen.heading('Compare the contents of both sides');
  await syncer('check', 'holiday', 'demo:bucket', '--checksum');

  screen.heading('What is there now');
  await syncer('ls', 'demo:bucket');
  await syncer('tree', 'demo:bucket');

  screen.heading('Sync again: nothing needs to be copied');
  expectWork(await watchSync(), 0, 0);

  screen.heading('Change one file, delete one, sync only that');
  await appendFile(join(stage.folder, 'holiday', CHANGED_FILE), 'One more line.\n');
  await rm(join(stage.folder, 'holiday', DELETED_FILE));
  screen.say(`changed holiday/${CHANGED_FILE}, deleted holiday/${DELETED_FILE}`);
  expectWork(await watchSync(), 1, 1);
  await syncer('check', 'holiday', 'demo:bucket', '--checksum');

  screen.heading('Your turn');
  screen.say('The demo stops its server and deletes its directory. Commands to try next:');
  screen.command(`alias syncer="'${process.execPath}' '${built}'"`);
  screen.command('syncer help');
  screen.command('syncer sync DIRECTORY COPY --dry-run');
  screen.command('syncer serve s3 DIRECTORY --addr 127.0.0.1:9000 --auth-key KEY,SECRET');
}

async function writeConfig(endpoint: string): Promise<void> {
  const lines = remoteLines('demo', endpoint);
  await writeFile(join(stage.folder, 'syncer.conf'), `${lines.join('\n')}\n`, { mode: 0o600 });
  screen.say(`\n${stage.folder}/syncer.conf, which the commands below read:\n`);
  screen.say(lines.map((line) => `  ${line}`).join('\n'));
}

async function syncer(...args: string[]): Promise<void> {
  screen.command(`syncer ${args.join(' ')}`);
  await stage.run([...program, ...args]);
}

/** Runs a sync with `-v`, and returns its log. */
async function watchSync(): Promise<string> {
  const args = ['sync', 'holiday', 'demo:bucket', '-v'];
  screen.command(`syncer ${args.join(' ')}`);
  let log = '';
  await stage.run([...program, ...args], (text) => {
    log += text;
  });
  return log;
}

/** Throws unless the log of a sync has exactly these numbers of files copied and deleted. */
function expectWork(log: string, copied: number, deleted: number): void {
  const count = (pattern: RegExp) => log.match(pattern)?.length ?? 0;
  const [c, d] = [count(/: Copied \(/g), count(/: Deleted$/gm)];
  if (c !== copied || d !== deleted) {
    throw new Error(`${c} files copied and ${d} deleted, ${copied} and ${deleted} expected`);
  }
  screen.good(`${copied} copied, ${deleted} deleted`);
}

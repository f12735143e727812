import { BACKENDS } from '../../src/backends/index.ts';
import { runRclone, toLog } from '../../src/backends/rclone/rclone-program.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Remote } from '../../src/core/remote.ts';
import { loseOne } from '../../src/engine/loss/lose.ts';
import { goJson, type Json } from '../../src/go/go-json.ts';
import { openListing } from '../../src/run/listing/open-listing.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import type {
  Changing,
  CommandCall,
  Remotes,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { deleteBudget } from '../../src/shell/flags/delete-limits.ts';
import type { BACKEND_FLAGS } from './command.ts';

export async function backendCommand(
  invocation: CommandCall<typeof BACKEND_FLAGS> & Remotes & StandardOutput & Changing,
): Promise<void> {
  const { args, flags, out } = invocation;
  const [name = '', spec = '', ...rest] = args;
  const isType = BACKENDS.some(({ type, aliases }) => type === spec || aliases?.includes(spec));
  const place = isType ? `:${spec}:` : spec;
  const settings = await invocation.remotes.rcloneSettings(place);
  if (settings !== undefined) {
    const options = (flags.option ?? []).map((option) => `--option=${option}`);
    const words = ['backend', ...options, '--', name, place, ...rest];
    return out.write(await runRclone(settings, words, toLog(invocation)));
  }
  const opened = await openListing(invocation, place);
  const { remote } = opened;
  if (name === 'features') return out.write(`${goJson(featuresOf(remote), '\t')}\n`);
  const { commands } = remote.can;
  if (commands === undefined) {
    throw new SyncerError('unsupported', `${remote.title} doesn't support backend commands`);
  }
  if (name === 'help') {
    const lines = Object.entries(commands).flatMap(([word, { summary, usage, options = {} }]) => [
      `${word}${usage === undefined ? '' : ` ${usage}`}`,
      `    ${summary}`,
      ...Object.entries(options).map(([option, help]) => `    -o ${option}  ${help}`),
    ]);
    return out.write(`${lines.join('\n')}\n`);
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const known = ['features', 'help', ...Object.keys(commands)].join(', ');
    const text =
      name === 'set'
        ? 'set changes a program that keeps running, and this one ends: use "syncer config update"'
        : `"${name}" is no command of this backend; there are ${known}`;
    throw new SyncerError('usage', text);
  }
  if (opened.file !== undefined && command.takesFile !== true) {
    const text = `${name} needs a bucket or a directory, and "${spec}" is a file`;
    throw new SyncerError('not-a-directory', text);
  }
  const options = optionsOf(flags.option, name, command.options);
  const budget = deleteBudget(flags);
  let result: unknown;
  await runAttempts(
    invocation,
    async (attempt) => {
      const { op } = attempt;
      result = await command.run({
        args: rest,
        options,
        op,
        files: () => opened.within(attempt).files(),
        mayChange: (words, about, size = -1) =>
          attempt.mayChange({ do: 'other', words, about, size }),
        async lose(version, destroy) {
          const { path: about, size } = version;
          const each = () => ({ do: 'other', words: 'delete', about, size }) as const;
          const loss = { remote, why: 'deleted', ask: { each } } as const;
          try {
            await loseOne(attempt, loss, version, destroy);
            op.signal.throwIfAborted();
            return true;
          } catch (thrown) {
            op.signal.throwIfAborted();
            attempt.fail(thrown, about, 'delete');
            return false;
          }
        },
        fail: attempt.fail,
      });
    },
    budget,
  );
  if (result !== undefined) await out.write(`${goJson(result as Json, '\t')}\n`);
}

/** The options of `-o name=value` and `-o name`. */
function optionsOf(
  given: readonly string[],
  name: string,
  known: object = {},
): ReadonlyMap<string, string> {
  return new Map(
    given.map((text) => {
      const equals = text.indexOf('=');
      const option = equals < 0 ? text : text.slice(0, equals);
      if (!Object.hasOwn(known, option)) {
        throw new SyncerError('usage', `${name} has no option "${option}"`);
      }
      return [option, equals < 0 ? '' : text.slice(equals + 1)];
    }),
  );
}

/** What a remote can do, as `rclone backend features` prints it. */
function featuresOf({ name, root, title, traits, can }: Remote): Json {
  const kind = can.place?.kind;
  const keepsAny = kind === 's3' || kind === 'disk';
  const hasMetadata = keepsAny || kind === 'drive';
  const ofDirs = can.readDirMetadata;
  const features = {
    About: can.about,
    BucketBased: traits.bucketBased,
    BucketBasedRootOK: traits.bucketBased,
    CanHaveEmptyDirectories: traits.emptyDirs,
    CaseInsensitive: traits.caseInsensitive,
    ChangeNotify: can.changes,
    CleanUp: can.cleanUp,
    Command: can.commands,
    Copy: can.copyFrom,
    DirMove: can.moveDirFrom,
    DirSetModTime: can.setDirModTime,
    Disconnect: can.disconnect,
    IsLocal: kind === 'disk',
    GetTier: can.setTier,
    SetTier: can.setTier,
    ListP: true,
    ListR: can.listTreePage ?? can.listDirs,
    Move: can.moveFrom,
    PublicLink: can.publicLink,
    Purge: can.purge,
    PutStream: true,
    ReadMetadata: hasMetadata,
    UserMetadata: keepsAny,
    WriteMetadata: hasMetadata,
    ReadDirMetadata: ofDirs,
    UserDirMetadata: ofDirs && keepsAny,
    WriteDirMetadata: ofDirs,
    ServerSideAcrossConfigs: traits.copiesAcross,
    ReadMimeType: !traits.onDisk,
    WriteMimeType: kind === 's3',
    SlowHash: traits.slowHash,
    SlowModTime: traits.slowModTime,
    UserInfo: can.userInfo,
    WriteDirSetModTime: can.setDirModTime,
  };
  const sorted = Object.entries(features).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    Name: name === '' ? 'local' : name,
    Root: root,
    String: title,
    // rclone's time for no modification times: a hundred years, in nanoseconds.
    Precision: Number(traits.modTimePrecision ?? 3_153_600_000_000_000_000n),
    Hashes: traits.hashes,
    Features: Object.fromEntries(sorted.map(([key, value]) => [key, Boolean(value)])),
  };
}

import { checkFiles } from '../file/load-hooks.ts';
import {
  FlagFault,
  FlagRangeFault,
  type FlagValues,
  HelpWanted,
  parseFlags,
  usageText,
} from '../flag-table.ts';
import { stamped } from '../log/hook-log.ts';
import { startServer } from './start-server.ts';

/** Webhook's version, whose behaviour this is. */
const VERSION = '2.8.0';

/** Runs `webhook`. Resolves to the exit code. */
export async function runWebhook(argv: readonly string[], process: NodeJS.Process) {
  const { stdout, stderr } = process;
  let flags: FlagValues;
  try {
    flags = parseFlags(argv);
  } catch (thrown) {
    if (thrown instanceof HelpWanted) {
      stderr.write(usageText());
      return 0;
    }
    if (!(thrown instanceof FlagFault)) throw thrown;
    const usage = thrown instanceof FlagRangeFault ? '' : usageText();
    stderr.write(`${thrown.message}\n${usage}`);
    return 2;
  }
  if (flags.version) {
    stdout.write(`webhook version ${VERSION}\n`);
    return 0;
  }
  if (flags['list-cipher-suites']) {
    const { cipherSuites } = await import('./tls-connections.ts');
    try {
      stdout.write(`${cipherSuites(flags['tls-min-version']).join('\n')}\n`);
      return 0;
    } catch (thrown) {
      // The log has no name before its lines yet.
      stderr.write(stamped((thrown as Error).message).replace('[webhook] ', ''));
      return 1;
    }
  }
  if (flags.check.length > 0) {
    const options = { template: flags.template, env: process.env };
    const { faults, warnings } = await checkFiles(flags.check, options);
    for (const line of [...warnings, ...faults]) stderr.write(`${line}\n`);
    return faults.length === 0 ? 0 : 1;
  }
  if ((flags.setuid === 0) !== (flags.setgid === 0)) {
    stdout.write('error: setuid and setgid options must be used together\n');
    return 1;
  }
  return await startServer(flags, VERSION, process);
}

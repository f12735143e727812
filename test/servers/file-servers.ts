import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { obscure } from '../../src/config/obscure.ts';
import { findFreePort } from '../cli/free-port.ts';
import { newerRclone } from '../support/open-rclone.ts';

/** A server of files on loopback, as a process of a test. */
export interface FileServer {
  /** The directory that it serves. */
  readonly root: string;
  /** The lines of a section for rclone, without its name. */
  readonly section: string;
  /** Ends it and removes its directory. */
  stop(): Promise<void>;
}

/** The programs that a server needs beside rclone, by type; a test without them is skipped. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  sftp: ['/usr/sbin/sshd', '/usr/bin/ssh-keygen'],
  ftp: ['/usr/sbin/vsftpd'],
  webdav: [],
  http: [],
};

/** The programs that are missing for a server. */
export function missingFor(type: string): readonly string[] {
  const missing = (NEEDED[type] ?? []).filter((program) => !existsSync(program));
  return newerRclone === undefined ? [...missing, 'rclone'] : missing;
}

/** Starts a server of a type of `NEEDED`. */
export async function startFileServer(type: string): Promise<FileServer> {
  const base = mkdtempSync(join(tmpdir(), 'syncer-test-server-'));
  const root = join(base, 'files');
  mkdirSync(root);
  const port = await findFreePort();
  const { words, section } = SERVERS[type]?.(base, root, port) ?? { words: [], section: '' };
  const [program = '', ...args] = words;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2_000);
    });
  }
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  for (let tries = 0; !(await accepts(port)); tries++) {
    if (child.exitCode !== null || tries > 2_000) throw new Error(`no ${type} server: ${said}`);
    await sleep(10);
  }
  return {
    root,
    section: `type = ${type}\n${section}`,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** How a server is started, and what its section says. */
interface Started {
  readonly words: readonly string[];
  readonly section: string;
}

const SERVERS: Readonly<Record<string, (base: string, root: string, port: number) => Started>> = {
  sftp: startSftp,
  ftp: startFtp,
  webdav: (_base, root, port) => ({
    words: serve('webdav', root, port),
    section: `url = http://127.0.0.1:${port}\nvendor = rclone\npacer_min_sleep = 1ms\n`,
  }),
  http: (_base, root, port) => ({
    words: serve('http', root, port),
    section: `url = http://127.0.0.1:${port}\n`,
  }),
};

/** OpenSSH with a host key and a login key of its own. */
function startSftp(base: string, root: string, port: number): Started {
  const [host, login] = [join(base, 'host'), join(base, 'login')];
  for (const key of [host, login])
    execFileSync('/usr/bin/ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const isRoot = process.getuid?.() === 0;
  // Where root starts it, it asks for this directory.
  if (isRoot) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  writeFileSync(
    join(base, 'config'),
    `Port ${port}
ListenAddress 127.0.0.1
HostKey ${host}
AuthorizedKeysFile ${login}.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
MaxSessions 100
SetEnv HOME=${base} SHELL=/bin/sh
Subsystem sftp internal-sftp -d ${root}
`,
  );
  return {
    words: ['/usr/sbin/sshd', '-D', '-e', '-f', join(base, 'config')],
    section: `host = 127.0.0.1
port = ${port}
user = ${userInfo().username}
key_file = ${login}
known_hosts_file = none
shell_type = unix
md5sum_command = md5sum
sha1sum_command = sha1sum
`,
  };
}

/** vsftpd as the user of the test; everybody may write. */
function startFtp(base: string, root: string, port: number): Started {
  const config = join(base, 'config');
  writeFileSync(
    config,
    `listen=YES
listen_address=127.0.0.1
listen_port=${port}
background=NO
run_as_launching_user=YES
anonymous_enable=YES
no_anon_password=YES
anon_root=${root}
allow_writeable_chroot=YES
write_enable=YES
anon_upload_enable=YES
anon_mkdir_write_enable=YES
anon_other_write_enable=YES
anon_world_readable_only=NO
anon_umask=022
mdtm_write=YES
use_localtime=NO
force_dot_files=YES
max_per_ip=0
seccomp_sandbox=NO
isolate=NO
isolate_network=NO
secure_chroot_dir=${base}

`,
  );
  return {
    words: ['/usr/sbin/vsftpd', config],
    section: `host = 127.0.0.1
port = ${port}
user = anonymous
pass = ${obscure('anonymous')}
explicit_tls = false
writing_mdtm = true
`,
  };
}

function serve(protocol: string, root: string, port: number): readonly string[] {
  const words = [newerRclone ?? 'rclone', 'serve', protocol, root, '--config='];
  return [...words, `--addr=127.0.0.1:${port}`];
}

/** Whether something listens on the port. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.on('connect', () => end(true)).on('error', () => end(false));
  });
}

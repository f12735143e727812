import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { canBoot, inContainer, type Trial } from '../../support/systemd-container.ts';
import { tarball } from '../../support/tarballs.ts';

const root = resolve(import.meta.dirname, '../../..');
const PROGRAM = '/usr/bin/webhook';
const arch = process.arch === 'x64' ? 'amd64' : process.arch;

/** Debian's webhook 2.8.0 is what the archive holds. */
const canRun = canBoot && existsSync(PROGRAM);

/** What the trial must show. */
const EXPECTED = `menu 1: 0
  call the test hook: test success!
service: active enabled
answers: test success! / Hook rules were not satisfied.
unit: on-failure 5s root root
restarts after kill -9: 1
calls in the log: 3
restarts after hot reload: 1
second install: 1, items found: 5
upgrade: 0
menu 2: 0
service: not-found inactive
left: nothing, hook files kept: 1
answer: no answer
install --hardened: 0
user other, hook file 600
answer: test success!
calls in the log: 2
answer after a change: new hooks
uninstall: 0
left: nothing, hook files kept: 1
no webhook program was found: nothing to uninstall
bad archive: 1
left: nothing, hook files kept: 0
`;

/** The trial: a line for each thing that was seen, `name: value`. */
const SCRIPT = `
export PATH=${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin
rm -rf ${PROGRAM} /etc/webhook.conf /lib/systemd/system/webhook.service /var/lib/dpkg/info/webhook.*
find /etc/systemd /var/lib/systemd -name 'webhook*' -delete
systemctl daemon-reload
mkdir /srv/trial && cd /srv/trial
I="node ${root}/packages/syncer-webhook/dist/webhook-installer.js"
A="--archive /trial/webhook.tar.gz --token secret"
U=http://127.0.0.1:9191/hooks/test?token
get() { node -e 'fetch(process.argv[1]).then(async (a) => console.log((await a.text()).trim()), () => console.log("no answer"))' "$1"; }
show() { systemctl show -P "$1" webhook.service; }
calls() { until [ "$(grep -c called $1)" = $2 ]; do sleep 0.2; done; echo "calls in the log: $2"; }
files() { find / -xdev -name '*webhook*' ! -path '/proc/*' ! -path '/trial/*' ! -path '${root}/*' | sort; }
left() {
  kept=$(ls /etc | grep -c '^webhook.conf.removed-')
  rm -f /etc/webhook.conf.removed-*
  files | diff /trial/before - && echo "left: nothing, hook files kept: $kept"
}
files >/trial/before

echo 1 | $I $A >/trial/install; echo "menu 1: $?"; grep 'test success!' /trial/install
echo "service: $(systemctl is-active webhook) $(systemctl is-enabled webhook)"
echo "answers: $(get $U=secret) / $(get $U=wrong)"
echo "unit: $(show Restart) $(show RestartUSec) $(show User) $(show Group)"
kill -9 $(show MainPID)
until [ "$(get $U=secret)" = 'test success!' ]; do sleep 0.2; done
echo "restarts after kill -9: $(show NRestarts)"
calls webhook/test.log 3
change() { sed "s/test success!/$1/" /etc/webhook.conf >/trial/hooks && cat /trial/hooks >/etc/webhook.conf; }
change 'hot reload'
until [ "$(get $U=secret)" = 'hot reload' ]; do sleep 0.2; done
echo "restarts after hot reload: $(show NRestarts)"
$I install --yes $A >/trial/again 2>&1; echo "second install: $?, items found: $(grep -c ^found /trial/again)"
$I upgrade --yes --archive /trial/webhook.tar.gz >/trial/upgrade 2>&1; echo "upgrade: $?"
echo 2 | $I >/trial/uninstall; echo "menu 2: $?"
echo "service: $(show LoadState) $(systemctl is-active webhook)"
left
echo "answer: $(get $U=secret)"

$I install --yes $A --hardened --work-dir /opt >/trial/hardened 2>&1; echo "install --hardened: $?"
[ "$(stat -c %u /proc/$(show MainPID))" = 0 ] || echo "user other, hook file $(stat -c %a /etc/webhook.conf)"
echo "answer: $(get $U=secret)"
calls /var/lib/webhook/test.log 2
change 'new hooks'
until [ "$(get $U=secret)" = 'new hooks' ]; do sleep 0.2; done
echo "answer after a change: $(get $U=secret)"
$I uninstall --yes --work-dir /opt >/trial/uninstall 2>&1; echo "uninstall: $?"
left
echo 2 | $I | tail -n 1
printf broken >/trial/broken.tar.gz
$I install --yes --archive /trial/broken.tar.gz >/trial/broken 2>&1; echo "bad archive: $?"
left
`;

describe.skipIf(!canRun)('with a real systemd, as users install it', () => {
  let trial: Trial;
  beforeAll(async () => {
    const archive = tarball([
      { name: `webhook-linux-${arch}/webhook`, content: readFileSync(PROGRAM) },
    ]);
    trial = await inContainer(SCRIPT, { 'webhook.tar.gz': archive }, [root]);
  });

  test('install by menu, restart after a kill, hot reload, upgrade, uninstall, hardened', (context) => {
    if (!trial.started) context.skip(`no systemd starts here: ${trial.output}`);
    expect(trial.output).toBe(EXPECTED);
  });
});
